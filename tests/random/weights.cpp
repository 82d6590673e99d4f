// How often each statement is generated.
#include "tests/random/generator.h"

namespace cdsl::random {

const std::vector<Generator::Production>& Generator::statements() {
  static const std::vector<Production> all = {
      {"pointwise", &Generator::pointwise, 12},
      {"row reduction", &Generator::reduce_rows, 10},
      {"full reduction", &Generator::reduce_all, 5},
      {"product", &Generator::product, 10},
      {"convolution", &Generator::convolution, 3},
      {"stencil", &Generator::stencil, 5},
      {"permute", &Generator::permute, 6},
      {"scan", &Generator::scan, 7},
      {"softmax", &Generator::softmax, 4},
      {"all pairs", &Generator::all_pairs, 3},
      {"arguments", &Generator::arguments, 4},
      {"user reducer", &Generator::user_reducer, 3},
      {"segments", &Generator::segments, 3},
      {"pieces", &Generator::pieces, 4},
      {"overwrite", &Generator::overwrite, 4},
      {"gather", &Generator::gather, 4},
      {"histogram", &Generator::histogram, 4},
      {"scatter", &Generator::scatter, 6},
      {"unique scatter", &Generator::scatter_unique, 2},
      {"records", &Generator::records, 6},
      {"record update", &Generator::record_update, 4},
      {"repeat", &Generator::repeat, 6},
      {"along", &Generator::along, 6},
      {"call", &Generator::call_function, 3},
      {"call of several types", &Generator::call_generic, 3},
      {"call in place", &Generator::call_in_place, 2},
      {"snapshot", &Generator::snapshot, 4},
      {"repeat in repeat", &Generator::repeat_in_repeat, 2},
      {"along in repeat", &Generator::along_in_repeat, 2},
      {"along in along", &Generator::along_in_along, 2},
      {"repeat in along", &Generator::repeat_in_along, 2},
  };
  return all;
}

}  // namespace cdsl::random
