// Prints the host side of a file, inside `#ifndef __CUDACC_RTC__`. For each function: the struct of
// arguments, the workspace query, and the function that checks a call and launches its kernels on a
// stream. Nothing in it waits for the device.
#pragma once

#include "codegen/kernel.h"
#include "codegen/text.h"

namespace cdsl::cuda {

void print_launchers(File& file, std::span<Module> modules, Writer& out);

/// The struct of one record of reports.
inline constexpr std::string_view kReportRecord =
    "// Run-time reports of one site in the source: how many, and the value of the first.\n"
    "struct cdsl_report {\n"
    "  unsigned long long count;\n"
    "  long long value;\n"
    "};\n";

/// What the host of a library finds in the machine code by name: constants, and records for reports.
void print_library_symbols(std::span<Module> modules, Writer& out);

/// Small functions in an unnamed namespace, if there are any; a blank line before.
void print_helpers(const std::string& functions, Writer& out);

}  // namespace cdsl::cuda
