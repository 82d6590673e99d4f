#include "dsl/schedule/remark.h"

#include <fmt/format.h>

namespace cdsl {

std::string to_string(const Remark& remark) {
  std::string text = fmt::format("{}: {}: {}{}", remark.pass, remark.site, remark.fired ? "" : "declined: ", remark.reason);
  std::string numbers;
  for (const Remark::Number& n : remark.numbers) {
    numbers += fmt::format("{}{} {:g}{}", numbers.empty() ? "" : ", ", n.name, n.value, n.unit.empty() ? "" : " " + n.unit);
  }
  return numbers.empty() ? text : text + " (" + numbers + ")";
}

std::string setting(const std::string& key, const std::string& choice) {
  const bool plain = choice.find_first_of("(){} ") == std::string::npos;
  return plain ? fmt::format("--set {}={}", key, choice) : fmt::format("--set '{}={}'", key, choice);
}

}  // namespace cdsl
