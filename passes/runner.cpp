#include "passes/runner.h"

#include <algorithm>
#include <chrono>

#include "dsl/support/check.h"
#include "dsl/tensor/print.h"
#include "dsl/tensor/verify.h"

namespace cdsl {
namespace {

// Enough of a broken IR to find the place.
constexpr std::size_t kShownBytes = 20000;

void require_sound(std::string_view pass, const std::vector<std::string>& problems,
                   const std::string& text) {
  if (problems.empty()) return;
  std::string message = "after pass '" + std::string(pass) + "':";
  for (const std::string& problem : problems) message += "\n  " + problem;
  throw InternalError(__FILE__, __LINE__, message + "\n" + text.substr(0, kShownBytes));
}

}  // namespace

double PassRunner::now() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(time).count();
}

bool PassRunner::is_shown(std::string_view pass) const {
  return options_.dump &&
         std::any_of(options_.print_after.begin(), options_.print_after.end(),
                     [&](const std::string& name) { return name == pass || name == "all"; });
}

void PassRunner::inspect(std::string_view pass, const tir::Function& function) const {
  if (is_shown(pass)) options_.dump(pass, tir::to_string(function));
  if (!options_.verify) return;
  const std::vector<std::string> problems = tir::verify(function);
  require_sound(pass, problems, problems.empty() ? std::string() : tir::to_string(function));
  if (options_.made_function) options_.made_function(pass, function);
}

void PassRunner::inspect(std::string_view pass, const Decided& decided) const {
  if (is_shown(pass)) options_.dump(pass, to_string(decided));
  if (!options_.verify) return;
  const std::vector<std::string> problems = tir::verify(decided.function);
  require_sound(pass, problems, problems.empty() ? std::string() : tir::to_string(decided.function));
  if (options_.made_function) options_.made_function(pass, decided.function);
}

void PassRunner::inspect(std::string_view pass, const loop::Program& program) const {
  if (is_shown(pass)) options_.dump(pass, loop::to_string(program));
  if (!options_.verify) return;
  const std::vector<std::string> problems = loop::verify(program);
  require_sound(pass, problems, problems.empty() ? std::string() : loop::to_string(program));
  if (options_.made_program) options_.made_program(pass, program);
}

}  // namespace cdsl
