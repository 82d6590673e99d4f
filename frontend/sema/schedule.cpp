#include "frontend/sema/schedule.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "dsl/expr/walk.h"
#include "dsl/support/suggest.h"

namespace cdsl::sema {
namespace {

constexpr std::array<std::string_view, 9> kArchitectures = {
    "sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100a", "sm_120a"};

class Scheduler {
 public:
  Scheduler(Analysis& a, const SourceManager& sources) : a_(a), sources_(sources) {
    for (const TensorSymbol& symbol : a.tensors) {
      tensors_.push_back(symbol.name);
      if (symbol.kind != TensorKind::Constant) laid_out_.push_back(symbol.name);
      if (symbol.kind != TensorKind::Input && symbol.kind != TensorKind::Constant)
        targets_.push_back(symbol.name);
    }
  }

  void add(const ast::ScheduleDecl& decl, SourceRange at) {
    const std::string architecture = checked_architecture(decl.arch);
    if (decl.lines.empty()) a_.report(Code::EmptySchedule, at, "the schedule says nothing");
    for (const ast::ScheduleLine& line : decl.lines) {
      if (const auto* sizes = std::get_if<ast::SizesLine>(&line.node)) {
        add_sizes(*sizes, architecture, line.range);
        continue;
      }
      const auto& directives = std::get<ast::DirectiveLine>(line.node);
      std::string target;
      if (directives.target) {
        target = directives.target->text;
        // Inputs are made elsewhere, but how they lie may be open.
        const bool lays_out =
            std::all_of(directives.directives.begin(), directives.directives.end(),
                        [](const ast::Directive& directive) { return directive.layout.has_value(); });
        if (!is_known(*directives.target, lays_out ? laid_out_ : targets_, Code::ScheduleTarget,
                      lays_out ? "no tensor of the function" : "no tensor that the function defines"))
          continue;
      }
      for (const ast::Directive& directive : directives.directives)
        add_directive(directive, target, architecture);
    }
  }

  void add(const ast::ExpectDecl& decl) {
    checked_architecture(decl.arch);
    for (const ast::Expectation& line : decl.lines) add_expectation(line);
  }

 private:
  std::string text(SourceRange range) const { return std::string(sources_.text(range)); }

  bool is_known(const ast::Name& name, const std::vector<std::string_view>& names, Code code,
                const std::string& what) {
    if (std::find(names.begin(), names.end(), name.text) != names.end()) return true;
    auto& error = a_.report(
        code, name.range, what + " is named '" + name.text + "'" + did_you_mean(name.text, names));
    if (const auto near = nearest(name.text, names)) error.fix(name.range, *near);
    return false;
  }

  std::string checked_architecture(const std::optional<ast::Name>& name) {
    if (!name) return {};
    is_known(*name, {kArchitectures.begin(), kArchitectures.end()}, Code::UnknownArchitecture,
             "no architecture");
    return name->text;
  }

  void add_directive(const ast::Directive& directive, const std::string& target,
                     const std::string& architecture) {
    std::vector<std::string_view> names;
    const DirectiveInfo* info = nullptr;
    for (const DirectiveInfo& known : known_directives()) {
      names.push_back(known.name);
      if (known.name == directive.name.text) info = &known;
    }
    if (!is_known(directive.name, names, Code::UnknownDirective, "no directive")) return;
    if (info->needs_target == target.empty()) {
      a_.report(Code::DirectiveArgument, directive.range,
                "'" + directive.name.text +
                    (target.empty() ? "' needs a tensor before the colon"
                                    : "' is of the whole function, not of one tensor"));
      return;
    }
    Directive result{target, directive.name.text, {}, architecture, directive.range};
    if (directive.layout) {
      std::string inside = text(directive.layout->range);   // without the parentheses of the directive
      inside = inside.substr(1, inside.size() - 2);
      result.arguments.push_back({{}, std::move(inside), directive.layout->range});
    }
    for (const ast::Argument& argument : directive.arguments) {
      if (!check_argument(directive, argument) || !check_key(directive, target, argument) ||
          !is_possible(directive, argument, architecture))
        return;
      const SourceRange at = a_.range(argument.value);
      result.arguments.push_back({argument.key ? argument.key->text : std::string(), text(at), at});
    }
    a_.fn.directives.push_back(std::move(result));
  }

  // Numbers are positive; tensors that are named exist.
  bool check_argument(const ast::Directive& directive, const ast::Argument& argument) {
    const SourceRange at = a_.range(argument.value);
    const auto* unary = a_.ast_if<ast::Unary>(argument.value);
    const auto* literal = a_.ast_if<ast::IntLiteral>(argument.value);
    if (unary != nullptr || a_.ast_if<ast::FloatLiteral>(argument.value) != nullptr ||
        (literal != nullptr && (literal->hi != 0 || literal->lo == 0 || literal->lo > INT32_MAX) &&
         directive.name.text != "swizzle" && directive.name.text != "pad" && directive.name.text != "prefetch")) {
      a_.report(Code::DirectiveArgument, at,
                "'" + directive.name.text + "' takes positive integers");
      return false;
    }
    const bool names_tensors = directive.name.text == "fuse" || directive.name.text == "separate";
    const auto* name = a_.ast_if<ast::NameRef>(argument.value);
    if (names_tensors && name != nullptr) {
      return is_known({name->name, at}, targets_, Code::ScheduleTarget,
                      "no tensor that the function defines");
    }
    return true;
  }

  // What no device, or not the one that the schedule is for, can do.
  bool is_possible(const ast::Directive& directive, const ast::Argument& argument,
                   const std::string& architecture) {
    constexpr std::uint64_t kMaxThreads = 1024;
    const std::string& name = directive.name.text;
    const auto refuse = [&](const std::string& message) {
      a_.report(Code::IllegalSchedule, a_.range(argument.value), message);
      return false;
    };
    const auto* literal = a_.ast_if<ast::IntLiteral>(argument.value);
    if (name == "threads" && literal != nullptr && literal->lo > kMaxThreads)
      return refuse("a block has at most 1024 threads");
    const auto* value = a_.ast_if<ast::NameRef>(argument.value);
    const std::string way = name == "transport" && value != nullptr ? value->name : "";
    const bool is_bulk = way == "bulk" || way == "tensor_map" || way == "multicast";
    const int needed = name == "cluster" || is_bulk ? 90 : way == "cp_async" ? 80 : 0;
    if (needed == 0 || !architecture.starts_with("sm_")) return true;
    if (std::atoi(architecture.c_str() + 3) >= needed) return true;
    return refuse("'" + (way.empty() ? name : way) + "' needs sm_" + std::to_string(needed) +
                  " or newer, the schedule is for " + architecture);
  }

  // Keys of directives of one tensor are indices of its definition, and of those that may be fused
  // into it: all that the function has.
  bool check_key(const ast::Directive& directive, const std::string& target,
                 const ast::Argument& argument) {
    constexpr std::array<std::string_view, 8> kByIndex = {
        "tile", "warp_tile", "thread_tile", "order", "bind", "unroll", "cluster", "vector"};
    const auto known = std::find(kByIndex.begin(), kByIndex.end(), directive.name.text);
    if (known == kByIndex.end() || target.empty()) return true;
    if (indices_.empty()) collect_indices();
    const std::vector<std::string_view> names(indices_.begin(), indices_.end());
    const std::string what = "no index of the function";
    if (argument.key) return is_known(*argument.key, names, Code::DirectiveArgument, what);
    const auto* name = a_.ast_if<ast::NameRef>(argument.value);
    if (directive.name.text != "order" || name == nullptr) return true;
    return is_known({name->name, a_.range(argument.value)}, names, Code::DirectiveArgument, what);
  }

  // Those of a branch that a constant decides against, too: it is written all the same.
  void collect_indices() {
    for (std::size_t k = 0; k < a_.fn.arena.symbol_count(); ++k) {
      const SymbolInfo& symbol = a_.fn.arena.symbol(SymbolId(static_cast<uint32_t>(k)));
      if (symbol.kind == SymbolKind::Index) indices_.insert(symbol.name);
    }
  }

  void add_sizes(const ast::SizesLine& line, const std::string& architecture, SourceRange at) {
    std::vector<std::string_view> names;
    for (const tir::Size& size : a_.fn.sizes) names.push_back(a_.fn.arena.symbol(size.symbol).name);
    if (!is_known(line.size, names, Code::ScheduleTarget, "no size")) return;
    Directive result{{}, "sizes", {}, architecture, at};
    for (const ast::ExprId value : line.values) {
      if (a_.ast_if<ast::IntLiteral>(value) == nullptr) {
        a_.report(Code::DirectiveArgument, a_.range(value), "typical sizes are integer literals");
        return;
      }
      result.arguments.push_back({line.size.text, text(a_.range(value)), a_.range(value)});
    }
    a_.fn.directives.push_back(std::move(result));
  }

  void add_expectation(const ast::Expectation& line) {
    std::vector<std::string_view> names;
    const DirectiveInfo* info = nullptr;
    for (const DirectiveInfo& known : known_metrics()) {
      names.push_back(known.name);
      if (known.name == line.metric.text) info = &known;
    }
    if (!is_known(line.metric, names, Code::UnknownMetric, "no metric")) return;
    std::string metric = line.metric.text;
    for (const ast::Name& tensor : line.arguments) {
      if (!is_known(tensor, tensors_, Code::ScheduleTarget, "no tensor of the function")) return;
      metric += "(" + tensor.text + ")";
    }
    if (info->needs_target && line.arguments.size() != 1) {
      a_.report(Code::MetricValue, line.metric.range,
                "'" + line.metric.text + "' is of one tensor: " + line.metric.text + "(x)");
      return;
    }
    const auto value = constant(line.value);
    if (!value) {
      a_.report(Code::MetricValue, a_.range(line.value), "a metric is compared with a number");
      return;
    }
    a_.fn.expectations.push_back({metric, ast::spelling(line.op), *value, line.range});
  }

  std::optional<double> constant(ast::ExprId id) {
    if (const auto* integer = a_.ast_if<ast::IntLiteral>(id))
      return static_cast<double>(integer->lo);
    if (const auto* real = a_.ast_if<ast::FloatLiteral>(id)) {
      return a_.untyped.constant_value(a_.untyped.real(real->text));
    }
    return std::nullopt;
  }

  Analysis& a_;
  const SourceManager& sources_;
  std::vector<std::string_view> tensors_, targets_, laid_out_;
  std::set<std::string, std::less<>> indices_;
};

template <class Decl>
void check_name(const Decl& decl, const Module& module, DiagnosticSink& sink) {
  if (module.fn(decl.fn.text)) return;
  const auto names = module.callables();
  auto& error = sink.report(
      Code::NoSuchFn, decl.fn.range,
      "the program has no fn '" + decl.fn.text + "'" + did_you_mean(decl.fn.text, names));
  if (const auto near = nearest(decl.fn.text, names)) error.fix(decl.fn.range, *near);
}

}  // namespace

void attach_schedule(Analysis& a, const SourceManager& sources) {
  Scheduler scheduler(a, sources);
  std::map<std::string, SourceRange> seen;
  for (const ast::Item* item : a.module.schedules(a.fn.name)) {
    if (const auto* schedule = std::get_if<ast::ScheduleDecl>(&item->node)) {
      const std::string architecture = schedule->arch ? schedule->arch->text : "";
      const auto [first, is_new] = seen.emplace(architecture, schedule->fn.range);
      if (!is_new) {
        a.report(Code::DuplicateSchedule, schedule->fn.range,
                 "'" + a.fn.name + "' has a schedule already")
            .note(first->second, "the first one");
      }
      scheduler.add(*schedule, item->range);
    } else {
      scheduler.add(std::get<ast::ExpectDecl>(item->node));
    }
  }
}

void check_schedule_names(const ast::Program& program, const Module& module, DiagnosticSink& sink) {
  for (const ast::Item& item : program.items) {
    if (const auto* schedule = std::get_if<ast::ScheduleDecl>(&item.node))
      check_name(*schedule, module, sink);
    if (const auto* expect = std::get_if<ast::ExpectDecl>(&item.node))
      check_name(*expect, module, sink);
  }
}

}  // namespace cdsl::sema
