#include "passes/recognize/describe.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "dsl/expr/print.h"

namespace cdsl::deciding {
namespace {

constexpr std::size_t kMostOfAKind = 4, kMostNames = 6;

// "a, b, c and 4 more"
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size() && k < kMostNames; ++k) text += (k == 0 ? "" : ", ") + names[k];
  return names.size() <= kMostNames ? text : text + fmt::format(" and {} more", names.size() - kMostNames);
}

std::string spelling(std::optional<tir::ScatterOp> op) {
  if (!op) return "=";
  switch (*op) {
    case tir::ScatterOp::Add: return "+=";
    case tir::ScatterOp::Mul: return "*=";
    case tir::ScatterOp::Min: return "min=";
    case tir::ScatterOp::Max: return "max=";
    case tir::ScatterOp::And: return "&=";
    case tir::ScatterOp::Or: return "|=";
    case tir::ScatterOp::Xor: return "^=";
  }
  return "=";
}

class Facts {
 public:
  explicit Facts(const tir::Function& function) : function_(function) {}

  std::string operator()(const Contraction& c) const {
    std::vector<std::string> facts;
    const auto add = [&](const char* what, const std::vector<SymbolId>& indices) {
      if (!indices.empty()) facts.push_back(fmt::format("{} {}", what, names(indices)));
    };
    add("batch", c.batch), add("rows", c.rows), add("columns", c.columns), add("contracted", c.contracted);
    if (!c.semiring.empty()) facts.push_back(c.semiring);
    if (c.operands > 2) facts.push_back(fmt::format("{} operands", c.operands));
    if (c.masked) facts.emplace_back("masked");
    if (!c.windows.empty()) facts.push_back(windows(c.windows));
    if (!c.prologue.empty()) facts.push_back((c.general ? "operands meet in " : "prologue ") + listed(c.prologue));
    if (!c.epilogue.empty()) facts.push_back("epilogue " + listed(c.epilogue));
    if (!c.epilogue_reads.empty()) facts.push_back((c.epilogue.empty() ? "epilogue with " : "with ") + names(c.epilogue_reads));
    return fmt::format("{}", fmt::join(facts, ", "));
  }
  std::string operator()(const AllPairs& p) const {
    return p.reduced ? fmt::format("each {} of {} meets every {}, which is reduced", name(p.one), name(p.tensor), name(p.other))
                     : fmt::format("each {} of {} meets every {}", name(p.one), name(p.tensor), name(p.other));
  }
  std::string operator()(const Scan& s) const {
    std::vector<std::string> ways;
    for (const Scan::Along& a : s.along) {
      std::string kind = a.beyond == 1 ? "inclusive" : a.beyond == 0 ? "exclusive" : fmt::format("to {} elements past its index", a.beyond - 1);
      ways.push_back(fmt::format("{}{} along {}", kind, a.reverse ? ", reverse" : "", name(a.index)));
    }
    return fmt::format("{}{}, {}", cdsl::name_of(s.monoid), of(s.source), fmt::join(ways, ", "));
  }
  std::string operator()(const ReductionShape& r) const {
    return fmt::format("{}{} over {}{}", cdsl::name_of(r.monoid), of(r.source), names(r.over),
                       r.ragged ? ", whose range data gives" : r.triangular ? ", whose range hangs on an index" : "");
  }
  std::string operator()(const SlidingWindow& w) const { return fmt::format("{}{}, {}", cdsl::name_of(w.monoid), of(w.windows[0].tensor), windows(w.windows)); }
  std::string operator()(const Updates& u) const {
    if (u.bins) return fmt::format("{} bins of {}, the same amount each time", *u.bins, name(u.target));
    return fmt::format("{} {} at places that {} give", name(u.target), spelling(u.op), u.by_data ? "data" : "indices");
  }
  std::string operator()(const Recurrence& r) const {
    if (r.carried.empty()) return fmt::format("along {}, which carries no element: its iterations wait for none", name(r.along));
    std::vector<std::string> carried;
    for (const Recurrence::Carried& c : r.carried)
      carried.push_back(c.distance ? fmt::format("{} from {} before", name(c.tensor), *c.distance) : name(c.tensor) + " from any before");
    return fmt::format("along {}{}, carries {}{}", name(r.along), r.descending ? " descending" : "", listed(carried), r.linear ? ", linear in it" : "");
  }
  std::string operator()(const Iteration& i) const {
    return fmt::format("steps of {}{}{}", name(i.step), i.states.empty() ? "" : ", states " + names(i.states), i.until ? ", until a condition holds" : "");
  }
  std::string operator()(const Stencil& s) const {
    std::vector<std::string> ranges;
    for (const Stencil::Along& a : s.along) ranges.push_back(fmt::format("{} {}..={}", name(a.index), a.least, a.greatest));
    return fmt::format("{} points of {}, {}", s.points, name(s.tensor), listed(ranges));
  }
  std::string operator()(const Gather& g) const { return fmt::format("{} at places that {} gives", name(g.tensor), names(g.by)); }
  std::string operator()(const Permute& p) const {
    return fmt::format("{} from ({}) to ({}), {}", name(p.tensor), names(p.from), names(p.to),
                       p.turns ? "another index is contiguous" : "the same index is contiguous");
  }
  std::string operator()(const Reindex& r) const { return "reads " + source(r.read); }
  std::string operator()(const Broadcast& b) const { return fmt::format("{} along {}", name(b.tensor), names(b.along)); }
  std::string operator()(const Pointwise& p) const {
    if (p.over.empty()) return "one point";
    return fmt::format("over {}{}{}", names(p.over), p.functions.empty() ? "" : ", " + listed(p.functions),
                       p.after_reductions ? ", with what the reductions give" : "");
  }

 private:
  std::string source(ExprId id) const {
    ExprNames spelled;
    spelled.tensor = [&](TensorId tensor) { return name(tensor); };
    spelled.bounds = false;
    spelled.depth_limit = 4;
    return cdsl::to_string(function_.arena, id, spelled);
  }
  std::string factor(int64_t value, ExprId size) const { return size.valid() ? source(size) : std::to_string(value); }
  const std::string& name(TensorId id) const { return function_.tensor(id).name; }
  const std::string& name(SymbolId id) const { return function_.arena.symbol(id).name; }
  template <class Id>
  std::string names(const std::vector<Id>& ids) const {
    std::vector<std::string> texts;
    for (Id id : ids) texts.push_back(name(id));
    return listed(texts);
  }
  std::string of(TensorId source) const { return source.valid() ? " of " + name(source) : ""; }

  std::string windows(const std::vector<Window>& all) const {
    std::vector<std::string> texts;
    for (const Window& w : all) {
      std::string facts = w.length ? fmt::format("{}", *w.length) : "open";
      if (w.stride != 1 || w.stride_size.valid()) facts += ", stride " + factor(w.stride, w.stride_size);
      if (w.step != 1 || w.step_size.valid()) facts += ", step " + factor(w.step, w.step_size);
      texts.push_back(fmt::format("{} ({})", name(w.index), facts));
    }
    return "window along " + listed(texts);
  }

  const tir::Function& function_;
};

struct Name {
  std::string operator()(const Contraction& c) const { return c.windows.empty() ? "contraction" : "convolution"; }
  std::string operator()(const AllPairs&) const { return "all pairs"; }
  std::string operator()(const Scan&) const { return "scan"; }
  std::string operator()(const ReductionShape& r) const {
    switch (r.by) {
      case ReductionShape::By::Row: return "row reduction";
      case ReductionShape::By::Column: return "column reduction";
      case ReductionShape::By::Full: return "full reduction";
      case ReductionShape::By::Other: break;
    }
    return "reduction";
  }
  std::string operator()(const SlidingWindow&) const { return "sliding window"; }
  std::string operator()(const Updates& u) const { return u.bins ? "histogram" : "scatter"; }
  std::string operator()(const Recurrence&) const { return "recurrence"; }
  std::string operator()(const Iteration&) const { return "iteration"; }
  std::string operator()(const Stencil&) const { return "stencil"; }
  std::string operator()(const Gather&) const { return "gather"; }
  std::string operator()(const Permute&) const { return "permute"; }
  std::string operator()(const Reindex&) const { return "reindex"; }
  std::string operator()(const Broadcast&) const { return "broadcast"; }
  std::string operator()(const Pointwise&) const { return "pointwise"; }
};

}  // namespace

std::string name_of(const Pattern& pattern) { return std::visit(Name(), pattern); }

std::string to_string(const tir::Function& function, const Pattern& pattern) {
  return name_of(pattern) + ": " + std::visit(Facts(function), pattern);
}

std::string to_string(const tir::Function& function, const Patterns& patterns) {
  std::string text;
  std::map<std::string, std::size_t> of_kind;
  std::set<std::string> said;
  for (const Pattern& pattern : patterns) {
    std::size_t& count = of_kind[name_of(pattern)];
    if (count >= kMostOfAKind) {
      ++count;
      continue;
    }
    std::string sentence = to_string(function, pattern);
    if (!said.insert(sentence).second) continue;
    ++count;
    text += (text.empty() ? "" : "; ") + sentence;
  }
  for (const auto& [kind, count] : of_kind)
    if (count > kMostOfAKind) text += fmt::format("; {}: {} more", kind, count - kMostOfAKind);
  return text;
}

std::vector<Remark::Number> numbers_of(const Patterns& patterns) {
  int64_t radius = 0, window = 0;
  for (const Pattern& pattern : patterns) {
    if (const auto* stencil = std::get_if<Stencil>(&pattern)) radius = std::max(radius, stencil->radius());
    const std::vector<Window>* windows = nullptr;
    if (const auto* c = std::get_if<Contraction>(&pattern)) windows = &c->windows;
    if (const auto* w = std::get_if<SlidingWindow>(&pattern)) windows = &w->windows;
    if (windows == nullptr || windows->empty()) continue;
    int64_t length = 1;
    for (const Window& w : *windows) length = product(length, std::max<int64_t>(0, w.length.value_or(0)));
    window = std::max(window, length);
  }
  std::vector<Remark::Number> numbers;
  if (radius > 0) numbers.push_back({"radius", static_cast<double>(radius), ""});
  if (window > 0) numbers.push_back({"window", static_cast<double>(window), ""});
  return numbers;
}

}  // namespace cdsl::deciding
