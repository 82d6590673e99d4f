#include "passes/lower/emit.h"

#include <algorithm>
#include <set>

#include "dsl/expr/integer.h"
#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"
#include "dsl/support/check.h"
#include "passes/lower/eager.h"

namespace cdsl::lowering {
namespace {

constexpr int kTextDepth = 12;
constexpr std::size_t kTextNodes = 60;
constexpr int kBatch = 4;  // points of a thread under way, where updates go to shared memory

std::string_view spelling_of(tir::ScatterOp op) {
  switch (op) {
    case tir::ScatterOp::Add: return " += ";
    case tir::ScatterOp::Mul: return " *= ";
    case tir::ScatterOp::Min: return " min= ";
    case tir::ScatterOp::Max: return " max= ";
    case tir::ScatterOp::And: return " &= ";
    case tir::ScatterOp::Or: return " |= ";
    case tir::ScatterOp::Xor: return " ^= ";
  }
  CDSL_UNREACHABLE("scatter operator");
}

ExprNames names_of(const tir::Function& function, int depth) {
  ExprNames names;
  names.tensor = [&function](TensorId id) { return function.tensor(id).name; };
  names.leaf = [&function](TensorId id, uint32_t leaf) { return function.leaf(id, leaf).path; };
  names.depth_limit = depth;
  names.bounds = false;
  return names;
}

std::string text_of_target(const tir::Function& function, const ExprArena& arena,
                           const tir::Target& target) {
  const ExprNames names = names_of(function, kTextDepth);
  std::string text = function.tensor(target.tensor).name;
  std::string subscripts;
  for (ExprId subscript : target.subscripts)
    subscripts += (subscripts.empty() ? "" : ", ") + to_string(arena, subscript, names);
  if (!subscripts.empty()) text += "[" + subscripts + "]";
  const std::string& path = function.leaf(target.tensor, target.leaf).path;
  return path.empty() ? text : text + "." + path;
}

std::vector<ExprId> roots_of(const Job& job) {
  std::vector<ExprId> roots;
  for (const Axis& axis : job.domain.axes) roots.insert(roots.end(), {axis.lo, axis.hi});
  if (job.domain.guard.valid()) roots.push_back(job.domain.guard);
  for (const tir::Target& target : job.targets) {
    roots.insert(roots.end(), target.subscripts.begin(), target.subscripts.end());
    roots.push_back(target.value);
  }
  return roots;
}

// Divisions of sizes by sizes: the same at every point, and dear enough to be done once.
std::vector<ExprId> divisions_of_sizes(const ExprArena& arena, std::span<const ExprId> roots) {
  std::vector<ExprId> found;
  for (ExprId id : postorder(arena, roots)) {
    const auto* apply = arena.get_if<Apply>(id);
    const bool divides = apply != nullptr && arena.type(id) == ScalarType::I64 &&
                         (apply->op == Op::Div || apply->op == Op::Rem ||
                          apply->op == Op::FloorDiv || apply->op == Op::FloorMod);
    if (!divides || touches_memory(arena, id)) continue;
    const auto symbols = free_symbols(arena, id);
    const bool fixed = std::all_of(symbols.begin(), symbols.end(), [&](SymbolId symbol) {
      return arena.symbol(symbol).kind == SymbolKind::Size;
    });
    if (fixed && !symbols.empty()) found.push_back(id);
  }
  return found;
}

// May a point be evaluated twice: no read reports, no reduction runs?
bool is_quiet(const ExprArena& arena, const Job& job) {
  const std::vector<ExprId> roots = roots_of(job);
  const auto order = postorder(arena, roots);
  return std::none_of(order.begin(), order.end(), [&](ExprId id) {
    if (arena.get_if<Reduce>(id) != nullptr) return true;
    return arena.get_if<Read>(id) != nullptr && reports(arena, id);
  });
}

class PointEmitter {
 public:
  PointEmitter(Lowerer& lowerer, const Job& job, Bins bins = {}, Sites* sites = nullptr)
      : lowerer_(lowerer), builder_(lowerer.builder()), arena_(lowerer.arena()), job_(job), bins_(bins), sites_(sites) {}

  void run() { gather()(); }

  /// Values and places; what is given emits the stores and updates. `fixed`: nothing is left to load then.
  std::function<void()> gather(bool fixed = false) {
    std::vector<ExprId> roots;
    for (const tir::Target& target : job_.targets) {
      roots.insert(roots.end(), target.subscripts.begin(), target.subscripts.end());
      roots.push_back(target.value);
    }
    lowerer_.prepare(roots);
    std::vector<Place> places;
    std::vector<ExprId> values;
    std::set<TensorId> stored;
    for (const tir::Target& target : job_.targets) {
      builder_.at(target.where);
      places.push_back(lowerer_.place_of_target(target, storage_of(target.tensor)));
      values.push_back(lowerer_.value(target.value));
      if (fixed || reads(target, stored)) {
        values.back() = lowerer_.fixed(target.value, "value");
        places.back().index = lowerer_.pinned(places.back().index, "at");
      }
      if (!job_.writes.contains(target.tensor)) stored.insert(target.tensor);
    }
    return [self = *this, places = std::move(places), values = std::move(values)]() mutable {
      for (std::size_t k = 0; k < places.size(); ++k) {
        self.builder_.at(self.job_.targets[k].where);
        self.tested(self.job_.targets[k], places[k], values[k], 0);
      }
    };
  }

 private:
  Storage& storage_of(TensorId tensor) {
    const auto redirected = job_.writes.find(tensor);
    return redirected == job_.writes.end() ? lowerer_.kernel().memory().of(tensor)
                                           : *redirected->second;
  }

  // Would the target's value or place change once the tensors are stored to?
  bool reads(const tir::Target& target, const std::set<TensorId>& tensors) const {
    if (tensors.empty()) return false;
    std::vector<ExprId> roots = target.subscripts;
    roots.push_back(target.value);
    for (ExprId id : postorder(arena_, roots)) {
      const auto* read = arena_.get_if<Read>(id);
      if (read != nullptr && tensors.contains(read->tensor) && !job_.reads.contains(read->tensor))
        return true;
    }
    return false;
  }

  void tested(const tir::Target& target, const Place& place, ExprId value, std::size_t test) {
    if (test == place.tests.size()) return write(target, place, value);
    const ExprId inside = place.tests[test].inside;
    const auto rest = [&] { tested(target, place, value, test + 1); };
    if (job_.silent) return builder_.if_(inside, rest);
    builder_.if_(inside, rest, [&] {
      const bool scatter = job_.update.has_value();
      const std::string axis = std::to_string(place.tests[test].site);
      const std::string text = text_of_target(lowerer_.kernel().function(), arena_, target) +
                               ", axis " + axis + " of " +
                               lowerer_.kernel().function().tensor(target.tensor).name;
      const auto kind =
          scatter ? loop::ReportSite::Kind::ScatterOutside : loop::ReportSite::Kind::WriteOutside;
      builder_.report(site_of(kind, text, target.where), place.tests[test].subscript);
    });
  }

  // Points of one batch report from one site.
  uint32_t site_of(loop::ReportSite::Kind kind, const std::string& text, SourceRange where) {
    if (sites_ == nullptr) return lowerer_.kernel().add_site(kind, text, where);
    const auto [site, is_new] = sites_->try_emplace(text);
    if (is_new) site->second = lowerer_.kernel().add_site(kind, text, where);
    return site->second;
  }

  void write(const tir::Target& target, const Place& place, ExprId value) {
    const loop::Access access =
        builder_.access(place.buffer, place.index, place.leaf, place.within);
    const ScalarType held =
        lowerer_.kernel().memory().program().buffer(place.buffer).element.leaves[place.leaf].type;
    if (!job_.update) return builder_.store(access, lowerer_.stored(target.value, value, held));
    if (bins_.buffer.valid())
      return builder_.atomic(atomic_of(*job_.update), builder_.access(bins_.buffer, bin_of(place.index)),
                             arena_.cast(value, held), loop::Scope::Block);
    if (!job_.serial && has_atomic(*job_.update, held))
      return builder_.atomic(atomic_of(*job_.update), access, arena_.cast(value, held));
    const ScalarType wide = evaluation_type(held);
    const ExprId old =
        arena_.cast(builder_.load(place.buffer, place.index, place.leaf, place.within), wide);
    const ExprId next = arena_.apply(operator_of(*job_.update), {old, arena_.cast(value, wide)});
    builder_.store(access, arena_.cast(next, held));
  }

  ExprId bin_of(ExprId element) {
    if (bins_.copies == 1) return element;
    const bool is_constant = arena_.constant_value(element) != nullptr;
    const ExprId bin = is_constant ? element : builder_.let_within(lowerer_.kernel().fresh("bin"), element, arena_.integer(0), arena_.integer(bins_.count));
    return index_add(arena_, index_mul(arena_, bin, arena_.integer(bins_.copies)), bins_.copy);
  }

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  const Job& job_;
  Bins bins_;      // of the block; none: the target itself is updated
  Sites* sites_;   // that other points of the batch have made
};

}  // namespace

void begin_points(Lowerer& lowerer, const Job& job) {
  const std::vector<ExprId> roots = roots_of(job);
  lowerer.begin(roots, &job.reads);
  lowerer.builder().at(job.where);
  lowerer.prepare(divisions_of_sizes(lowerer.arena(), roots));
}

loop::AtomicOp atomic_of(tir::ScatterOp op) {
  switch (op) {
    case tir::ScatterOp::Add: return loop::AtomicOp::Add;
    case tir::ScatterOp::Mul: return loop::AtomicOp::Mul;
    case tir::ScatterOp::Min: return loop::AtomicOp::Min;
    case tir::ScatterOp::Max: return loop::AtomicOp::Max;
    case tir::ScatterOp::And: return loop::AtomicOp::And;
    case tir::ScatterOp::Or: return loop::AtomicOp::Or;
    case tir::ScatterOp::Xor: return loop::AtomicOp::Xor;
  }
  CDSL_UNREACHABLE("scatter operator");
}

void emit_job(Lowerer& lowerer, const Job& job, Spread spread) {
  begin_points(lowerer, job);
  for_points(lowerer, job.domain, job.serial ? Spread::Serial : spread,
             [&] { PointEmitter(lowerer, job).run(); });
}

void emit_update(Lowerer& lowerer, const Job& job, const Bins& bins, Sites& sites) {
  const tir::Domain here{{}, job.domain.guard};
  for_points(lowerer, here, Spread::Serial, [&] { PointEmitter(lowerer, job, bins, &sites).run(); });
}

void emit_updates(Lowerer& lowerer, const Job& job, const Bins& bins) {
  begin_points(lowerer, job);
  if (can_batch(lowerer.arena(), job.domain) && is_quiet(lowerer.arena(), job)) {
    Sites sites;
    for_batches(lowerer, job.domain, kBatch, [&] { return PointEmitter(lowerer, job, bins, &sites).gather(true); });
  } else {
    for_points(lowerer, job.domain, Spread::Grid, [&] { PointEmitter(lowerer, job, bins).run(); });
  }
}

void emit_point(Lowerer& lowerer, const Job& job) {
  lowerer.begin(roots_of(job), &job.reads);
  lowerer.builder().at(job.where);
  const tir::Domain here{{}, job.domain.guard};
  for_points(lowerer, here, Spread::Serial, [&] { PointEmitter(lowerer, job).run(); });
}

std::string text_of(const tir::Function& function, const ExprArena& arena, const Job& job) {
  if (!job.note.empty()) return job.note;
  const tir::Target& target = job.targets.front();
  std::string text = text_of_target(function, arena, target);
  text += job.update ? spelling_of(*job.update) : " = ";
  if (postorder(arena, std::span(&target.value, 1)).size() > kTextNodes) return text + "...";
  return text + to_string(arena, target.value, names_of(function, kTextDepth));
}

}  // namespace cdsl::lowering
