// The whole compiler on text of the language. The first two bytes choose options.
#include "fuzz/compile_text.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  using namespace cdsl;
  if (size > fuzz::kMostBytes || size < 2) return -1;
  // Printable, so that the corpus can be read: "00" is the default.
  const unsigned bits = (data[0] - '0') & 63u;
  const unsigned more = (data[1] - '0') & 3u;
  fuzz::compile_text("fuzz.cdsl", std::string(fuzz::text_of(data + 2, size - 2)), fuzz::options_of(bits | more << 6));
  return 0;
}
