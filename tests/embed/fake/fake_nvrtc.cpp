// libnvrtc.so for tests: "machine code" is a list of the text's kernels and the sizes of their parameters, PTX the
// options of the compilation.
// FAKE_NVRTC_LOG: a file that gets a line a compilation; FAKE_NVRTC_FAIL: texts that hold this are refused;
// FAKE_NVRTC_ARCH: the only architecture that it knows.

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace {

struct Program {
  std::string text, log, cubin, ptx;
};

std::string from(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? "" : text;
}

int size_of(const std::string& type) {
  if (type.find('*') != std::string::npos || type.find("long long") != std::string::npos || type.find("double") != std::string::npos) return 8;
  if (type.find("TensorMap") != std::string::npos) return 128;
  if (type.find("int") != std::string::npos || type.find("float") != std::string::npos) return 4;
  if (type.find("short") != std::string::npos || type.find("half") != std::string::npos || type.find("bfloat16") != std::string::npos) return 2;
  return 1;
}

std::string kernels_of(const std::string& text) {
  static const std::regex kernel(R"(extern "C" __global__ void[^;{]*?\s(\w+)\(([^)]*)\)\s*\{)");
  std::ostringstream out;
  out << "fake cubin\n";
  for (std::sregex_iterator at(text.begin(), text.end(), kernel), end; at != end; ++at) {
    out << (*at)[1];
    std::istringstream parameters((*at)[2]);
    for (std::string parameter; std::getline(parameters, parameter, ',');) out << ' ' << size_of(parameter);
    out << '\n';
  }
  return out.str();
}

}  // namespace

#define NVRTC extern "C" __attribute__((visibility("default")))

NVRTC int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return 0;
}
NVRTC const char* nvrtcGetErrorString(int code) { return code == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION"; }
NVRTC int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}
NVRTC int nvrtcGetSupportedArchs(int* archs) {
  *archs = from("FAKE_NVRTC_ARCH").empty() ? 90 : std::atoi(from("FAKE_NVRTC_ARCH").c_str());
  return 0;
}
NVRTC int nvrtcCreateProgram(Program** program, const char* text, const char*, int, const char* const*, const char* const*) {
  *program = new Program{text, {}, {}, {}};
  return 0;
}
NVRTC int nvrtcDestroyProgram(Program** program) {
  delete *program;
  *program = nullptr;
  return 0;
}
NVRTC int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  if (const std::string log = from("FAKE_NVRTC_LOG"); !log.empty()) std::ofstream(log, std::ios::app) << "compiled\n";
  if (const std::string refused = from("FAKE_NVRTC_FAIL"); !refused.empty() && program->text.find(refused) != std::string::npos) {
    program->log = "error: this text is refused";
    return 6;
  }
  program->cubin = kernels_of(program->text);
  for (int k = 0; k < count; ++k) program->ptx += "// " + std::string(options[k]) + "\n";
  return 0;
}
NVRTC int nvrtcGetProgramLogSize(Program* program, std::size_t* size) {
  *size = program->log.size() + 1;
  return 0;
}
NVRTC int nvrtcGetProgramLog(Program* program, char* log) {
  std::strcpy(log, program->log.c_str());
  return 0;
}
NVRTC int nvrtcGetPTXSize(Program* program, std::size_t* size) {
  *size = program->ptx.size() + 1;
  return 0;
}
NVRTC int nvrtcGetPTX(Program* program, char* ptx) {
  std::strcpy(ptx, program->ptx.c_str());
  return 0;
}
NVRTC int nvrtcGetCUBINSize(Program* program, std::size_t* size) {
  *size = program->cubin.size() + 1;
  return 0;
}
NVRTC int nvrtcGetCUBIN(Program* program, char* cubin) {
  std::strcpy(cubin, program->cubin.c_str());
  return 0;
}
