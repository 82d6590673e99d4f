// Random expressions over every type and operator, for tests that need trees nobody would write.
#pragma once

#include <random>
#include <vector>

#include "maker.h"

namespace cdsl::test {

using Random = std::mt19937_64;

/// `count` trees over scalar parameters that it adds to the function, two of each type; none asks
/// for the sign of a NaN, which the language leaves open.
std::vector<ExprId> random_trees(Maker& maker, Random& random, int count);

/// A value of an evaluation type: often a zero, a one, an end of the type, an infinity, a NaN or
/// what lies next to them.
Value random_value(Random& random, ScalarType type);

}  // namespace cdsl::test
