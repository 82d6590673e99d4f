#include "dsl/support/suggest.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace cdsl {
namespace {

constexpr std::size_t kLongestWord = 48;

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Edit distance in halves: a change costs 2, a change of case 1.
int distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(2 * i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(2 * j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      char x = a[i - 1], y = b[j - 1];
      int change = x == y ? 0 : lower(x) == lower(y) ? 1 : 2;
      d[i][j] = std::min({d[i - 1][j] + 2, d[i][j - 1] + 2, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && x == b[j - 2] && y == a[i - 2])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 2);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  int limit = std::max(2, static_cast<int>(2 * word.size() / 3));
  if (word.size() == 1) limit = 1;
  int best = limit + 1;
  std::string_view found;
  for (std::string_view candidate : candidates) {
    if (candidate == word) return std::nullopt;
    if (candidate.size() > kLongestWord) continue;
    int here = distance(word, candidate);
    if (here < best) {
      best = here;
      found = candidate;
    }
  }
  if (found.empty()) return std::nullopt;
  return std::string(found);
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  std::optional<std::string> found = nearest(word, candidates);
  return found ? ", did you mean '" + *found + "'?" : std::string();
}

}  // namespace cdsl
