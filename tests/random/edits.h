// Ways to make a program smaller: each gives one that may no longer mean anything, and the shrinker asks.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/random/program.h"

namespace cdsl::random {

/// Where each statement lies, those inside blocks after their block.
std::vector<std::pair<std::vector<Statement>*, std::size_t>> statements(Program& program);

/// All nodes below statements, outermost first.
std::vector<Node*> nodes_of(Program& program);

void replace_word(Node& node, const std::string& word, const std::string& by);

/// What may stand for an expression: a constant, a part of it of the same type.
std::vector<Node> replacements(const Node& node);

/// A `let` goes, and its expression stands where its name was. False: the statement at this place is none.
bool inline_let(Program& program, std::vector<Statement>& block, std::size_t at);

/// An axis of a tensor goes, everywhere, and 0 stands where its index was used. False: it has no such axis.
bool drop_axis(Program& program, const std::string& name, std::size_t axis);

}  // namespace cdsl::random
