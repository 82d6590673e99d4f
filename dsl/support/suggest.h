// "Did you mean": the candidate nearest to a misspelt word.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cdsl {

// The candidate with the fewest insertions, deletions, replacements and swaps of neighbours (a
// difference of case counts half), if they are at most a third of the word; of equals the first.
// nullopt where nothing is near or the word is itself a candidate.
std::optional<std::string> nearest(std::string_view word,
                                   std::span<const std::string_view> candidates);

// ", did you mean 'x'?" or an empty string.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace cdsl
