// That damage to emitted text is noticed: a barrier gone or under divergent control, a thread that returns early, a mask that lacks
// a lane, an access one further. Every place of the kind in some examples is damaged, one a mutant; each has to fail `verify`, and
// by a fault of the right kind.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>

#include "batch.h"
#include "cases.h"

namespace cdsl::emulation {
namespace {

struct Damage {
  std::string name, from, to;
  std::string kinds;  // of the fault, one of them
};

// The first one tells whether the place is reached at all.
const Damage kDamages[] = {
    {"an access of nothing", "__syncthreads();", "*(int*)0 = 0;", "out of bounds"},
    {"an access of nothing before a shuffle", "_sync(0xffffffffu", "_sync((*(int*)0 = 0, 0xffffffffu)", "out of bounds"},
    {"a barrier is gone", "__syncthreads();", "", "race, unwritten read"},
    {"a barrier is for 16 threads", "__syncthreads();", "if (threadIdx.x < 16) __syncthreads();", "divergent barrier, bad shuffle, unwritten read"},
    {"a thread returns before a barrier", "__syncthreads();", "if (threadIdx.x == 5) return; __syncthreads();", "divergent barrier, bad shuffle, unwritten read"},
    {"a mask lacks a lane", "_sync(0xffffffffu", "_sync(0xfffeffffu", "bad shuffle"},
};

struct Example {
  std::string file;
  std::vector<Sizes> sizes;
};
// Each has barriers for another reason: a tile read across, sums of warps, a sum of several blocks, bins, one reduction after
// another, a second thread axis, a loop that uses a tile again.
const Example kExamples[] = {
    {"transpose", {{{"M", 100}, {"N", 68}}, {{"M", 33}, {"N", 31}}}},
    {"row_sum", {{{"M", 3}, {"N", 1028}}, {{"M", 2}, {"N", 33}}}},
    {"softmax", {{{"M", 3}, {"N", 1028}}, {{"M", 2}, {"N", 33}}}},
    {"layer_norm", {{{"M", 3}, {"N", 1028}}, {{"M", 2}, {"N", 33}}}},
    {"column_sum", {{{"M", 300}, {"N", 64}}, {{"M", 300}, {"N", 31}}}},
    {"gemm_bias_gelu", {{{"M", 130}, {"N", 136}, {"K", 72}}, {{"M", 33}, {"N", 31}, {"K", 50}}}},
    {"histogram", {{{"N", 1000}}, {{"N", 333}}}},
    {"argmax", {{{"M", 3}, {"N", 1028}}, {{"M", 2}, {"N", 33}}}},
    {"permute_4d", {{{"I", 2}, {"J", 31}, {"K", 3}, {"L", 33}}, {{"I", 4}, {"J", 32}, {"K", 4}, {"L", 32}}}},
};

/// Damage that changes nothing: after the last step of a product no thread touches its tiles again.
bool is_harmless(const std::string& text, std::size_t at, const Damage& damage) {
  return damage.to.empty() && text.substr(at).starts_with("__syncthreads();\n  }\n  #pragma unroll");
}

struct Mutant {
  const CaseFunction* function;
  const Damage* damage;
  std::size_t unit, place;
};

/// Where kernels end and the launcher, which is not executed, begins.
std::size_t end_of_kernels(const std::string& text) {
  return std::min(text.find("#ifndef __CUDACC_RTC__"), text.size());
}

class Mutants : public ::testing::Test {
 protected:
  Batch batch;
  std::vector<std::unique_ptr<Source>> sources;
  std::vector<std::unique_ptr<CaseFunction>> functions;
  std::vector<Mutant> mutants;

  void damage_all() {
    for (const Example& example : kExamples) {
      Case one{"examples/" + example.file + ".cdsl", {}, {}, example.sizes};
      sources.push_back(load_and_parse({CDSL_SOURCE_DIR "/" + one.file, {}, {}, 20}));
      for (auto& function : functions_of(one, *sources.back(), {})) {
        function->sizes.resize(example.sizes.size());
        damage(*function);
        functions.push_back(std::move(function));
      }
    }
    batch.build();
  }

  void damage(const CaseFunction& function) {
    const std::string text = emit(*function.source, function.compiled, function.options);
    const std::size_t end = end_of_kernels(text);
    for (const Damage& damage : kDamages) {
      for (std::size_t at = 0; (at = text.find(damage.from, at)) < end; ++at) {
        if (is_harmless(text, at, damage)) continue;
        std::string damaged = text;
        damaged.replace(at, damage.from.size(), damage.to);
        const std::size_t unit = batch.add_text(function.compiled.program, std::move(damaged), function.options.architecture);
        mutants.push_back({&function, &damage, unit, static_cast<std::size_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1});
      }
    }
  }

  /// What `verify` says at the first sizes at which it notices something; empty where it never does.
  std::vector<std::string> judge(const Mutant& mutant) {
    for (const Sizes& sizes : mutant.function->sizes) {
      auto messages = judge(mutant, sizes);
      if (!messages.empty()) return messages;
    }
    return {};
  }

  std::vector<std::string> judge(const Mutant& mutant, const Sizes& sizes) {
    const CaseFunction& function = *mutant.function;
    VerifyOptions options;
    options.given = function.given;
    options.sizes = sizes;
    options.exact_only = true;
    options.device = [&](const loop::Program&, bool small) { return batch.device(mutant.unit, small, 1); };
    const auto outcome = verify(*function.source, function.reference, function.compiled, options);
    if (!outcome) return {outcome.message()};
    return outcome->verdict == Verification::Verdict::Failed ? outcome->messages : std::vector<std::string>{};
  }
};

bool tells_of(const std::vector<std::string>& messages, const std::string& kinds) {
  for (std::size_t at = 0; at <= kinds.size();) {
    const std::size_t end = std::min(kinds.find(", ", at), kinds.size());
    const std::string kind = kinds.substr(at, end - at);
    for (const std::string& message : messages) {
      if (message.find(kind) != std::string::npos) return true;
    }
    at = end + 2;
  }
  return false;
}

TEST_F(Mutants, OfEmittedTextAreNoticed) {
  damage_all();
  std::map<std::string, std::pair<int, int>> killed;  // by damage: so many, of so many
  std::set<std::pair<const CaseFunction*, std::size_t>> unreached;
  for (const Mutant& mutant : mutants) {
    ASSERT_EQ(batch.problem(mutant.unit), "");
    if (unreached.contains({mutant.function, mutant.place})) continue;
    const auto messages = judge(mutant);
    auto& [dead, all] = killed[mutant.damage->name];
    ++all;
    if (tells_of(messages, mutant.damage->kinds)) {
      ++dead;
    } else if (messages.empty() && mutant.damage->kinds == "out of bounds") {
      unreached.insert({mutant.function, mutant.place});
    } else {
      ADD_FAILURE() << mutant.function->title << ", line " << mutant.place << " of its text: " << mutant.damage->name << ": "
                    << (messages.empty() ? "not noticed" : messages[0]);
    }
  }
  for (const auto& [name, count] : killed) {
    fmt::print("{}: {} of {} noticed\n", name, count.first, count.second);
    EXPECT_GE(count.first * 10, count.second * 8) << name;
  }
}

}  // namespace
}  // namespace cdsl::emulation
