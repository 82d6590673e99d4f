// The whole compiler on programs of which every choice is a byte of the input. The first byte chooses options.
#include "fuzz/compile_text.h"
#include "fuzz/target.h"
#include "fuzz/token_program.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace cdsl;
  if (size > fuzz::kMostBytes || size < 1) return -1;
  std::string text = fuzz::token_program(data + 1, size - 1);
  if (text.size() > fuzz::kMostBytes) return -1;
  fuzz::compile_text("fuzz.cdsl", std::move(text), fuzz::options_of(data[0]));
  return 0;
}
