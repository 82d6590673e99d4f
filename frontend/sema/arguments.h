// Arguments of a call of a `fn`: matched with parameters; sizes and types deduced from them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/sema/convert.h"

namespace cdsl::sema {

struct CallArguments {
  std::map<std::string, TensorSymbol*> tensors;
  std::map<std::string, Operand> scalars;
  std::map<std::string, ScalarType> types;
  std::vector<std::pair<std::string, ExprId>> sizes;
  std::map<std::string, SourceRange> places;  // of the arguments, by parameter
};

std::optional<CallArguments> call_arguments(Analysis& a, const ast::FnDecl& fn,
                                            const ast::Call& call, SourceRange at);
bool constant_is_one(const Analysis& a, ExprId extent);

}  // namespace cdsl::sema
