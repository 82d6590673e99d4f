/// Which mutant runs: in a build with CDSL_MUTANTS every drawn site reads `cdsl_mutant(17) ? mutated : original`, and the
/// environment variable CDSL_MUTANT names the one that is mutated; without it the program is the original one.
///
/// CDSL_MUTANT_TRACE names a file that gets a line with the number of each site that the process comes by.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>

inline int cdsl_chosen_mutant() {
  const char* chosen = std::getenv("CDSL_MUTANT");
  return chosen == nullptr ? -1 : std::atoi(chosen);
}

/// Appends at once, since the process may end in any way.
inline void cdsl_trace_mutant(int number) {
  static std::atomic<bool> seen[1000];
  static const char* const path = std::getenv("CDSL_MUTANT_TRACE");
  if (path == nullptr || seen[number].exchange(true)) return;
  if (std::FILE* file = std::fopen(path, "a")) {
    std::fprintf(file, "%d\n", number);
    std::fclose(file);
  }
}

inline bool cdsl_mutant(int number) {
  static const int chosen = cdsl_chosen_mutant();
  cdsl_trace_mutant(number);
  return chosen == number;
}
