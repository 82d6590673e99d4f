// A program with an LLVM of its own beside the one inside libcdsl: both keep lists of options and of much else.
#include <cdsl/cdsl.hpp>
#include <cstdio>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/raw_ostream.h>
#include <string>
#include <vector>

static llvm::cl::opt<int> factor("factor", llvm::cl::desc("what to multiply by"), llvm::cl::init(1));

int main(int argc, char** argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv);
  cdsl::Runtime runtime({"sim", nullptr});
  cdsl::Kernel scale = runtime.parse("fn scale(x: f32[N], a: f32) -> (y: f32[N]) { y[i] = a * x[i]; }").kernel();
  std::vector<float> x(40, 2.0f), y(40, 0.0f);
  scale.launch(nullptr, cdsl::tensor(x.data(), {40}), static_cast<float>(factor), cdsl::tensor(y.data(), {40}));
  runtime.synchronize();
  std::string text;
  llvm::raw_string_ostream(text) << "2 * " << factor << " = " << y[39];
  std::puts(text.c_str());
  try {  // a message of libcdsl, which its own LLVM renders
    runtime.parse("fn broken(");
    return 1;
  } catch (const cdsl::Error& error) {
    return error.status() == CDSL_ERROR_SOURCE && y[39] == 2.0f * static_cast<float>(factor) ? 0 : 1;
  }
}
