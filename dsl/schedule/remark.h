// What a decision leaves behind: which pass, at which place, taken or declined, with the numbers behind it.
#pragma once

#include <string>
#include <vector>

#include "dsl/support/source.h"

namespace cdsl {

struct Remark {
  struct Number {
    std::string name;               // "sectors/request"
    double value = 0;
    std::string unit;
  };
  struct Alternative {
    std::string choice;
    std::string why_not;
    std::vector<Number> numbers;
  };
  std::string pass;                 // "simplify"
  std::string site;                 // the statement or tensor: "C", "p.x"
  bool fired = true;
  std::string choice;               // what was chosen: the value of `--set KEY=CHOICE`
  std::string reason;               // one sentence
  std::vector<Number> numbers;
  std::vector<Alternative> alternatives;
  SourceRange where;
  std::string key = {};             // that `--set` takes to change it; empty: nothing overrides it
};

using Remarks = std::vector<Remark>;

/// One line: "simplify: C: 3 dead stages removed (…)".
std::string to_string(const Remark& remark);

/// `--set KEY=CHOICE`, quoted where a shell would take it apart.
std::string setting(const std::string& key, const std::string& choice);

}  // namespace cdsl
