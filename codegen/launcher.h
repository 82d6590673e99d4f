// Prints the host side of a file, inside `#ifndef __CUDACC_RTC__`: the struct of arguments, the workspace query, and the
// function that checks a call and launches its kernels on a stream. Nothing in it waits for the device.
#pragma once

#include "codegen/kernel.h"
#include "codegen/text.h"

namespace cdsl::cuda {

void print_launcher(Module& module, Writer& out);

}  // namespace cdsl::cuda
