// The Plan of a program.
#include <algorithm>

#include <fmt/format.h>

#include "frontend/ir_reader/loop_reader.h"

namespace cdsl::ir_reader {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::int64_t kMaxTensor = 1 << 16, kMaxPart = 1 << 10;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

}  // namespace

void LoopReader::plan() {
  c_.expect("plan");
  c_.expect(Tok::LBrace);
  // Without the function, a name that no kernel has is a size.
  names_.show_shared();
  for (std::size_t k = 0; function_ == nullptr && !c_.at_end(); ++k) {
    if (c_.kind(k) == Tok::End) break;
    const bool alone = c_.kind(k) == Tok::Name && !names_.knows(c_.text(k));
    if (alone && follows_operator(k)) names_.show(std::string(c_.text(k)), names_.shared(std::string(c_.text(k)), SymbolKind::Size, ScalarType::I64));
  }
  while (c_.at_word("parameter") || c_.at_word("workspace") || c_.at_word("constant")) plan_buffer();
  while (c_.at_word("view")) view();
  steps(p_.plan.steps);
  c_.expect(Tok::RBrace);
  names_.end_kernel();
}

}  // namespace cdsl::ir_reader
