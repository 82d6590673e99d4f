// Prints the host side of a file, inside `#ifndef __CUDACC_RTC__`. For each function: the struct of
// arguments, the workspace query, and the function that checks a call and launches its kernels on a
// stream. Nothing in it waits for the device.
#pragma once

#include "codegen/kernel.h"
#include "codegen/text.h"

namespace cdsl::cuda {

void print_launchers(File& file, std::span<Module> modules, Writer& out);

/// Small functions in an unnamed namespace, if there are any; a blank line before.
void print_helpers(const std::string& functions, Writer& out);

}  // namespace cdsl::cuda
