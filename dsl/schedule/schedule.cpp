#include "dsl/schedule/schedule.h"

#include <fmt/format.h>

namespace cdsl {
namespace {

std::string_view name_of(LoopForm form) {
  switch (form) {
    case LoopForm::Launches: return "launches";
    case LoopForm::Thread: return "thread";
    case LoopForm::Block: return "block";
  }
  return "?";
}

}  // namespace

std::string to_string(const Schedule& schedule) {
  std::string text = fmt::format("threads = {}\nsimplify = {}\n", schedule.block_threads, schedule.simplify ? "on" : "off");
  for (const auto& [loop, form] : schedule.loops) text += fmt::format("{} = {}\n", loop, name_of(form));
  for (const auto& [key, choice] : schedule.overrides) text += fmt::format("set {} = {}\n", key, choice);
  return text;
}

}  // namespace cdsl
