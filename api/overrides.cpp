#include "api/overrides.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "dsl/machine/architectures.h"
#include "dsl/schedule/directives.h"
#include "dsl/support/suggest.h"

namespace cdsl {
namespace {

constexpr int kMostThreads = 1024;

std::vector<std::string> split(std::string_view key) {
  std::vector<std::string> parts(1);
  for (char c : key) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::optional<LoopForm> loop_form(std::string_view text) {
  if (text == "launches") return LoopForm::Launches;
  if (text == "thread") return LoopForm::Thread;
  if (text == "block") return LoopForm::Block;
  return std::nullopt;
}

void collect_loops(const ExprArena& arena, const tir::Block& block,
                   std::vector<std::string>& names) {
  for (const tir::Statement& statement : block.statements) {
    if (const auto* loop = std::get_if<tir::Loop>(&statement)) {
      names.push_back(arena.symbol(loop->index).name);
      collect_loops(arena, *loop->body, names);
    }
  }
}

class Overrides {
 public:
  Overrides(const tir::Function& function, DiagnosticSink& sink)
      : function_(function), sink_(sink) {
    collect_loops(function.arena, function.body, loops_);
  }

  void apply(const std::string& key, const std::string& value, Schedule& schedule) {
    const std::vector<std::string> parts = split(key);
    if (key == "threads") return set_threads(key, value, schedule);
    if (key == "map") return set_map(key, value, schedule);
    if (key == "index") return set_index(key, value, schedule);
    if (parts[0] == "loop" && parts.size() == 2) return set_loop(key, parts[1], value, schedule);
    if (parts.size() < 2 || parts.size() > 3) {
      report(Code::UnknownDirective, key, value,
             "keys are threads, map, index, loop.INDEX, TENSOR.DIRECTIVE and TENSOR.DIRECTIVE.KEY");
    } else if (!may_be_tensor(parts[0])) {
      report(Code::ScheduleTarget, key, value,
             fmt::format("'{}' has no tensor '{}'{}", function_.name, parts[0],
                         did_you_mean(parts[0], tensors())));
    } else if (!is_directive(parts[1])) {
      report(Code::UnknownDirective, key, value,
             fmt::format("no directive is named '{}'{}", parts[1],
                         did_you_mean(parts[1], directives())));
    } else {
      schedule.overrides[key] = value;
      schedule.directed.erase(key);
    }
  }

 private:
  /// Of the function, or one that cutting a running sum of the function's may add (passes/decide/scan.h). Whether it did is seen
  /// when nothing answers.
  bool may_be_tensor(std::string name) const {
    while (true) {
      if (function_.find_tensor(name).valid()) return true;
      const auto at = name.rfind('_');
      if (at == std::string::npos) return false;
      const std::string_view suffix = std::string_view(name).substr(at + 1);
      if (suffix != "block" && suffix != "before" && suffix != "behind") return false;
      name.resize(at);
    }
  }

  void report(Code code, const std::string& key, const std::string& value, std::string why) {
    sink_.report(code, {}, fmt::format("--set {}={}: {}", key, value, why));
  }

  void set_threads(const std::string& key, const std::string& value, Schedule& schedule) {
    int threads = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
    if (error != std::errc() || end != value.data() + value.size() || threads < 1 ||
        threads > kMostThreads) {
      return report(Code::DirectiveArgument, key, value, "a block has 1 to 1024 threads");
    }
    schedule.block_threads = threads;
    schedule.threads_asked = true;
  }

  void set_map(const std::string& key, const std::string& value, Schedule& schedule) {
    if (value != "general")
      return report(Code::DirectiveArgument, key, value,
                    "of a whole function only general; TENSOR.map sets one statement's");
    schedule.decide = false;
  }

  void set_index(const std::string& key, const std::string& value, Schedule& schedule) {
    if (value != "i32" && value != "i64") return report(Code::DirectiveArgument, key, value, "no such choice; possible: i32 (where they fit), i64");
    schedule.wide_indices = value == "i64";
  }

  void set_loop(const std::string& key, const std::string& index, const std::string& value,
                Schedule& schedule) {
    const std::vector<std::string_view> known(loops_.begin(), loops_.end());
    if (std::find(loops_.begin(), loops_.end(), index) == loops_.end()) {
      return report(Code::ScheduleTarget, key, value,
                    fmt::format("'{}' has no loop over '{}'{}", function_.name, index,
                                did_you_mean(index, known)));
    }
    const auto form = loop_form(value);
    if (!form)
      return report(Code::DirectiveArgument, key, value,
                    "a loop is one of launches, thread, block");
    schedule.loops[key] = *form;
  }

  static bool is_directive(std::string_view name) {
    const auto& all = known_directives();
    return std::any_of(all.begin(), all.end(),
                       [&](const DirectiveInfo& d) { return d.name == name; });
  }
  static std::vector<std::string_view> directives() {
    std::vector<std::string_view> names;
    for (const DirectiveInfo& directive : known_directives()) names.push_back(directive.name);
    return names;
  }
  std::vector<std::string_view> tensors() const {
    std::vector<std::string_view> names;
    for (const tir::Tensor& tensor : function_.tensors) names.push_back(tensor.name);
    return names;
  }

  const tir::Function& function_;
  DiagnosticSink& sink_;
  std::vector<std::string> loops_;
};

/// A directive as the keys that `--set` knows: `Y: vector(4)` is Y.vector=4, `C: tile(m: 128)` C.tile.m=128, `fuse(a, C)`
/// C.fuse=together, `separate(a, C)` C.fuse=apart.
void apply(const Directive& directive, Schedule& schedule) {
  const bool separates = directive.name == "separate";
  if (directive.name == "fuse" || separates) {
    if (directive.arguments.empty()) return;
    const std::string key = directive.arguments.back().text + ".fuse";
    schedule.overrides[key] = separates ? "apart" : "together";
    schedule.directed[key] = directive.where;
    return;
  }
  if (directive.arguments.empty() && !directive.target.empty()) {      // `persistent`
    const std::string key = directive.target + "." + directive.name;
    schedule.overrides[key] = "on";
    schedule.directed[key] = directive.where;
  }
  for (const DirectiveArgument& argument : directive.arguments) {
    if (directive.name == "loop") {
      if (const auto form = loop_form(argument.text)) schedule.loops["loop." + argument.key] = *form;
    } else if (!directive.target.empty()) {
      std::string key = directive.target + "." + directive.name;
      if (!argument.key.empty()) key += "." + argument.key;
      schedule.overrides[key] = argument.text;
      schedule.directed[key] = directive.where;
    }
  }
}

/// `schedule f for sm_90` holds for sm_90a, and for a name that is exactly the one compiled for.
bool holds_for(const Directive& directive, std::string_view architecture) {
  if (directive.architecture.empty() || directive.architecture == architecture) return true;
  const Architecture* wanted = find_architecture(directive.architecture);
  return wanted != nullptr && wanted == find_architecture(architecture);
}

}  // namespace

Schedule schedule_for(const tir::Function& function,
                      const std::map<std::string, std::string>& overrides,
                      std::string_view architecture, DiagnosticSink& sink) {
  Schedule schedule;
  schedule.architecture = architecture;
  // The most specific block wins: general directives first.
  for (const bool specific : {false, true}) {
    for (const Directive& directive : function.directives) {
      if (directive.architecture.empty() == specific || !holds_for(directive, architecture))
        continue;
      apply(directive, schedule);
    }
  }
  Overrides given(function, sink);
  for (const auto& [key, value] : overrides) given.apply(key, value, schedule);
  return schedule;
}

namespace {

void refuse(const Schedule& schedule, const std::string& key, const std::string& choice, const std::string& why, Remarks& remarks,
            DiagnosticSink& sink) {
  const auto directed = schedule.directed.find(key);
  if (directed == schedule.directed.end()) {
    sink.report(Code::DirectiveArgument, {}, fmt::format("--set {}={}: {}", key, choice, why));
    return;
  }
  remarks.push_back({"schedule", key, false, "not followed", fmt::format("{} is impossible: {}", choice, why), {}, {}, directed->second, {}});
}

}  // namespace

void report_impossible(PassContext& context, std::set<std::string>& answered, DiagnosticSink& sink) {
  answered.insert(context.settled.begin(), context.settled.end());
  for (const auto& [key, refused] : context.impossible)
    if (answered.insert(key).second) refuse(context.schedule, key, refused.first, refused.second, context.remarks, sink);
}

void report_unanswered(const Schedule& schedule, const std::set<std::string>& answered, Remarks& remarks, DiagnosticSink& sink) {
  const std::string why = schedule.decide ? "no decision has this key here; `cuoptc explain` prints those that there are"
                                          : "all statements go the general path, which has no such decision";
  for (const auto& [key, choice] : schedule.overrides)
    if (!answered.contains(key)) refuse(schedule, key, choice, why, remarks, sink);
}

}  // namespace cdsl
