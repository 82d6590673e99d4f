// A library in C++ of the functions of some programs: a typed header, and a source that stands on include/cdsl/aot.h (machine code
// for some architectures, launched through the driver) or on include/cdsl/embedded.h (the programs as text, compiled when they are
// called). Both sources implement the same header. What a launch checks, picks and does is the text of the emitted .cu's launcher.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codegen/cuda.h"
#include "dsl/types/record.h"

namespace cdsl {

struct LibraryOptions {
  std::string name;     // of the namespace: an identifier
  std::string header;   // the header's file name, as the source includes it
  std::string version;  // of cuoptc
  /// A layout of records as the language spells it.
  std::function<std::string(const RecordType&, const Layout&)> spell_layout;
};

/// Machine code for one architecture.
struct LibraryImage {
  std::string architecture;  // "sm_90a"
  std::string launchers;     // text inside a namespace of that name
  std::string reports;       // entries of the list of what kernels report
  std::vector<std::byte> code;
};

/// The text whose machine code a library holds: kernels, and what the host finds by name.
std::string library_kernels(std::span<const CudaUnit> units, CudaOptions options);

/// Equal for all architectures unless they lay out a `layout(auto)` parameter in different ways.
std::string library_header(std::span<const CudaUnit> units, const CudaOptions& cuda, const LibraryOptions& options);

/// All of an image but its code.
LibraryImage library_image(std::span<const CudaUnit> units, CudaOptions cuda, const LibraryOptions& options);

/// The source with machine code. `images`: an architecture each; the first that fits a device is taken.
std::string library_source(std::span<const CudaUnit> units, std::span<const LibraryImage> images, const LibraryOptions& options);

/// A program as text, with what it was compiled with.
struct EmbeddedProgram {
  std::string text, name;
  std::vector<CudaUnit> units;
  std::vector<std::string> defines, settings;  // "T=f32", "C.tile.m=64"
  bool strict = false, fast_math = false;
};

std::string embedded_source(std::span<const EmbeddedProgram> programs, const CudaOptions& cuda, const LibraryOptions& options);

}  // namespace cdsl
