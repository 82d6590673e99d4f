// Statements: masks of lanes that are there for certain and that may be, rounds of loops, and what a warp waits for.
#include <algorithm>
#include <bit>

#include "dsl/expr/walk.h"
#include "dsl/loop/walk.h"
#include "dsl/support/check.h"
#include "passes/predict/tracer.h"

namespace cdsl::predicting {
namespace {

constexpr int64_t kWholeLoop = 24;       // rounds that are always walked one by one
constexpr int64_t kFirst = 4, kLast = 2, kBetween = 6;   // rounds of a longer loop that stand for all
constexpr int64_t kMostWaitRounds = 1 << 16;
constexpr double kUnrolled = 4;          // rounds of a short loop that ptxas overlaps
constexpr double kMostTogether = 64;     // rounds of unrolled loops whose loads registers take at once

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

int64_t rounds_between(int64_t lo, int64_t hi, int64_t step) {
  if (step == 0) return 0;
  if (step > 0) return hi <= lo ? 0 : (hi - lo - 1) / step + 1;
  return hi >= lo ? 0 : (lo - hi - 1) / -step + 1;
}

}  // namespace

template <class Body>
void Tracer::under(Decision lanes, Body&& body) {
  const uint32_t certain = certain_, possible = possible_;
  certain_ = lanes.certain;
  possible_ = lanes.possible;
  body();
  certain_ = certain;
  possible_ = possible;
}

void Tracer::block(const loop::Block& block) {
  wait_for_loads(block);
  for (const loop::Statement& s : block.statements) statement(s);
}

/// Loads that stand in one block of statements are under way together; then the warp waits.
void Tracer::wait_for_loads(const loop::Block& block) {
  const auto [found, is_new] = loads_.try_emplace(&block, false);
  if (is_new) {
    for (const loop::Statement& s : block.statements) {
      std::vector<ExprId> roots;
      loop::for_each_expression(s, [&](ExprId id) { roots.push_back(id); });
      for (const ExprId id : postorder(arena_, roots)) {
        const auto* load = arena_.get_if<Load>(id);
        found->second |= load != nullptr && program_.buffer(load->buffer).space == loop::Space::Global;
      }
      const auto* vector = std::get_if<loop::VectorLoad>(&s.node);
      found->second |= vector != nullptr && program_.buffer(vector->access.buffer).space == loop::Space::Global;
      const auto* move = std::get_if<loop::VectorMove>(&s.node);
      found->second |= move != nullptr && program_.buffer(move->from.buffer).space == loop::Space::Global;
    }
  }
  if (found->second) waits_ += weight_ * options_.l2_latency / overlap_;
}

void Tracer::statement(const loop::Statement& s) {
  where_ = s.where;
  const auto set = [&](SymbolId symbol, Lanes next) { symbols_[symbol.index()] = std::move(next); };
  std::visit(
      Overload{
          [&](const loop::Let& n) { set(n.local, value(n.value)); },
          [&](const loop::Var& n) {
            set(n.local, value(n.value));
            scopes_[n.local.value] = possible_;
          },
          [&](const loop::Assign& n) {
            const Lanes next = value(n.value);
            assign(symbols_[n.local.index()], next, certain_ | ~scopes_[n.local.value], possible_);
          },
          [&](const loop::Store& n) {
            const Place place = place_of(n.access, 1);
            value(place.index);
            if (place.within.valid()) value(place.within);
            if (place.rank.valid()) value(place.rank);
            const Lanes stored = value(n.value);
            store(place, kind_of(n.access.buffer, true, false), &stored);
          },
          [&](const loop::VectorLoad& n) {
            const Place place = place_of(n.access, static_cast<int>(n.locals.size()));
            const Lanes loaded = load(place, kind_of(n.access.buffer, false, false));
            for (const SymbolId local : n.locals) set(local, loaded);
          },
          [&](const loop::VectorStore& n) {
            const Place place = place_of(n.access, static_cast<int>(n.values.size()));
            value(place.index);
            if (place.within.valid()) value(place.within);
            if (place.rank.valid()) value(place.rank);
            for (const ExprId id : n.values) value(id);
            store(place, kind_of(n.access.buffer, true, false));
          },
          [&](const loop::VectorMove& n) {
            const auto width = static_cast<int>(arena_.constant_value(n.width)->i);
            load(place_of(n.from, width), kind_of(n.from.buffer, false, false));
            store(place_of(n.to, width), kind_of(n.to.buffer, true, false));
          },
          [&](const loop::Atomic& n) { run(n, s.where); },
          [&](const loop::For& n) { run(n); },
          [&](const loop::While& n) { run(n); },
          [&](const loop::If& n) { run(n); },
          [&](const loop::Barrier& n) { barriers_ += n.scope == loop::BarrierScope::Warp ? 0 : weight_; },
          [&](const loop::NamedBarrier& n) { barriers_ += n.sync ? weight_ : 0; },
          [&](const loop::Shuffle& n) { run(n); },
          [&](const loop::Vote& n) { run(n); },
          [&](const loop::Report& n) { value(n.value); },
          [&](const loop::CopyAsync& n) { run(n, s.where); },
          [&](const loop::CopyBulk& n) { run(n, s.where); },
          [&](const loop::CopyTensor& n) { run(n, s.where); },
          [&](const loop::MatrixLoad& n) { matrix_tiles(n.from, n.count, false, s.where); },
          [&](const loop::MatrixStore& n) { matrix_tiles(n.to, n.count, true, s.where); },
          [&](const loop::MatrixMultiply& n) { multiply(n.shape, n.a.buffer, n.tf32, 1); },
          [&](const loop::MatrixAsync& n) {
            multiply(n.shape, n.a_fragment.buffer.valid() ? n.a_fragment.buffer : n.a.start.buffer, n.tf32, 4);
          },
          [&](const loop::Elect& n) {
            Lanes one = Lanes::of(Value::of_bool(false));
            one.uniform = false;
            one.value.fill(Value::of_bool(false));
            if (possible_ != 0) one.value[static_cast<std::size_t>(std::countr_zero(possible_))] = Value::of_bool(true);
            set(n.local, one);
          },
          [&](const auto&) {
            loop::for_each_expression(s, [&](ExprId id) { value(id); });
          }},
      s.node);
  forget(0);
}

void Tracer::run(const loop::For& n) {
  const Lanes lo = value(n.lo), hi = value(n.hi), step = value(n.step);
  forget(0);
  const double overlap = overlap_;
  bool nested = false, stops = false;
  for (const loop::Statement& s : n.body->statements) {
    nested = nested || std::holds_alternative<loop::For>(s.node) || std::holds_alternative<loop::While>(s.node);
    stops = stops || std::holds_alternative<loop::Barrier>(s.node);
  }
  const bool is_known = lo.is_known(possible_) && hi.is_known(possible_) && step.is_known(possible_);
  const bool is_whole = n.unroll > 1 && !stops && is_known && lo.uniform && hi.uniform && step.uniform &&
                        rounds_between(lo.value[0].i, hi.value[0].i, step.value[0].i) <= n.unroll;
  const double unrolled = unrolled_;
  unrolled_ = is_whole ? std::min(kMostTogether, unrolled_ * n.unroll) : 1;
  overlap_ = n.unroll > 1 ? std::max<double>(n.unroll, unrolled_) : nested || stops || n.unroll == 1 ? 1 : kUnrolled;
  if (is_known)
    rounds_of(n, lo, hi, step);
  else
    unknown_rounds(n, lo);
  overlap_ = overlap;
  unrolled_ = unrolled;
}

void Tracer::rounds_of(const loop::For& n, const Lanes& lo, const Lanes& hi, const Lanes& step) {
  int64_t most = 0;
  const bool is_whole = unrolled_ > 1;
  std::array<int64_t, kWarpLanes> rounds{};
  const bool uniform = lo.uniform && hi.uniform && step.uniform;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    if ((possible_ >> lane & 1) == 0) continue;
    rounds[static_cast<std::size_t>(lane)] = rounds_between(lo.at(lane).i, hi.at(lane).i, step.at(lane).i);
    most = std::max(most, rounds[static_cast<std::size_t>(lane)]);
  }
  std::vector<std::pair<int64_t, double>> walked;      // round and how many it stands for
  const bool sample = options_.budget > 0 && !is_whole && most > (spent_ > options_.budget ? 3 : kWholeLoop);
  if (!sample) {
    for (int64_t k = 0; k < most; ++k) walked.emplace_back(k, 1);
  } else {
    const bool tired = spent_ > options_.budget;
    const int64_t first = tired ? 1 : kFirst, last = 1 + (tired ? 0 : kLast - 1), between = tired ? 1 : kBetween;
    const int64_t inner = most - first - last;
    for (int64_t k = 0; k < first; ++k) walked.emplace_back(k, 1);
    for (int64_t k = 0; k < between; ++k) {
      const int64_t from = first + inner * k / between, to = first + inner * (k + 1) / between;
      if (to > from) walked.emplace_back(from + (k * 7919 + 1) % (to - from), static_cast<double>(to - from));
    }
    for (int64_t k = most - last; k < most; ++k) walked.emplace_back(k, 1);
    sampled_ = true;
  }
  // Registers that a round changes by a constant are advanced over the rounds left out.
  const std::vector<SymbolId> carried = sample ? assigned_in(*n.body) : std::vector<SymbolId>{};
  std::vector<Lanes> before;
  int64_t previous = -1;
  const double weight = weight_;
  for (const auto& [round, stands_for] : walked) {
    const int64_t skipped = round - previous - 1;
    for (std::size_t k = 0; skipped > 0 && k < before.size(); ++k) {
      Lanes& now = symbols_[carried[k].index()];
      const ScalarType type = arena_.symbol(carried[k]).type;
      if (!is_integer(type) || now.kind != before[k].kind || now.uniform != before[k].uniform) continue;
      for (int lane = 0; lane < (now.uniform ? 1 : kWarpLanes); ++lane) {
        Value& v = now.value[static_cast<std::size_t>(lane)];
        v.i += (v.i - before[k].at(lane).i) * skipped;
      }
    }
    previous = round;
    before.clear();
    for (const SymbolId symbol : carried) before.push_back(symbols_[symbol.index()]);
    Lanes index = Lanes::of(Value::of_int(lo.value[0].i + round * step.value[0].i));
    uint32_t alive = uniform ? ~uint32_t{0} : 0;
    if (!uniform) {
      index.uniform = false;
      for (int lane = 0; lane < kWarpLanes; ++lane) {
        if ((possible_ >> lane & 1) == 0) continue;
        index.value[static_cast<std::size_t>(lane)] = Value::of_int(lo.at(lane).i + round * step.at(lane).i);
        alive |= rounds[static_cast<std::size_t>(lane)] > round ? uint32_t{1} << lane : 0;
      }
    }
    symbols_[n.index.index()] = index;
    weight_ = weight * stands_for;
    const auto round_of = [&] { under({certain_ & alive, possible_ & alive}, [&] { block(*n.body); }); };
    is_whole ? round_of() : apart(round_of);
  }
  weight_ = weight;
}

void Tracer::unknown_rounds(const loop::For& n, const Lanes& lo) {
  const double weight = weight_;
  weight_ *= kAssumedRounds;
  const bool together = lo.kind == Lanes::Kind::Shifted || lo.is_known(possible_);
  symbols_[n.index.index()] = lo;
  if (together && lo.is_same()) symbols_[n.index.index()] = Lanes::unknown_but_same();
  // Lanes that start a known distance apart keep it while they step together.
  if (together && !lo.is_same()) {
    symbols_[n.index.index()].kind = Lanes::Kind::Shifted;
    symbols_[n.index.index()].known = ~uint32_t{0};
  }
  apart([&] { under({0, possible_}, [&] { block(*n.body); }); });
  weight_ = weight;
}

void Tracer::run(const loop::While& n) {
  const double overlap = overlap_;
  overlap_ = 1;
  Decision lanes{certain_, possible_};
  for (int64_t round = 0; round < kMostWaitRounds; ++round) {
    Decision next{0, 0};
    under(lanes, [&] { next = decide(value(n.condition), certain_, possible_); });
    forget(0);
    if (next.possible == 0) break;
    const bool open = next.certain != next.possible || (options_.budget > 0 && spent_ > 4 * options_.budget);
    if (!open) {
      lanes = next;
      apart([&] { under(lanes, [&] { block(*n.body); }); });
      continue;
    }
    // From here on it is data: one round stands for all.
    apart([&] { under({0, next.possible}, [&] { block(*n.body); }); });
    break;
  }
  overlap_ = overlap;
}

void Tracer::run(const loop::If& n) {
  const Lanes condition = value(n.condition);
  forget(0);
  const Decision yes = decide(condition, certain_, possible_);
  const Decision no = {certain_ & ~yes.possible, possible_ & ~yes.certain};
  const double weight = weight_;
  // What hangs on the last of all blocks to arrive happens in one of them.
  const bool last_block = condition.ticket && yes.certain == 0;
  if (last_block) weight_ = weight / static_cast<double>(std::max<int64_t>(input_.grid, 1));
  if (yes.possible != 0) apart([&] { under(yes, [&] { block(*n.then_body); }); });
  weight_ = weight;
  if (n.else_body != nullptr && no.possible != 0) apart([&] { under(no, [&] { block(*n.else_body); }); });
}

void Tracer::run(const loop::Shuffle& n) {
  const Lanes from = value(n.value), at = value(n.lane);
  result_.lane_ops[static_cast<std::size_t>(Unit::Shuffle)] += weight_ * kWarpLanes;
  Lanes result = Lanes::unknown();
  if (from.is_same()) {
    result = from;
  } else if (n.kind == loop::ShuffleKind::Index && at.is_same()) {
    result = Lanes::unknown_but_same();
  }
  if (from.kind == Lanes::Kind::Known && at.is_known(possible_) && !from.uniform) {
    result = Lanes::unknown();
    for (int lane = 0; lane < kWarpLanes; ++lane) {
      int64_t source = at.at(lane).i;
      switch (n.kind) {
        case loop::ShuffleKind::Index: source &= kWarpLanes - 1; break;
        case loop::ShuffleKind::Up: source = lane - source; break;
        case loop::ShuffleKind::Down: source = lane + source; break;
        case loop::ShuffleKind::Xor: source ^= lane; break;
      }
      if (source < 0 || source >= kWarpLanes) source = lane;
      if ((from.known >> source & 1) == 0) continue;
      result.value[static_cast<std::size_t>(lane)] = from.at(static_cast<int>(source));
      result.known |= uint32_t{1} << lane;
    }
    if (result.known == 0 && n.kind == loop::ShuffleKind::Index && at.is_same()) result = Lanes::unknown_but_same();
  }
  result.ticket = from.ticket;
  symbols_[n.result.index()] = result;
}

void Tracer::run(const loop::Vote& n) {
  const Lanes predicate = value(n.predicate);
  result_.lane_ops[static_cast<std::size_t>(Unit::Shuffle)] += weight_ * kWarpLanes;
  Lanes result = Lanes::unknown_but_same();
  if (predicate.is_known(possible_) && certain_ == possible_) {
    const uint32_t ballot = decide(predicate, certain_, possible_).certain;
    if (n.kind == loop::VoteKind::Ballot) result = Lanes::of(Value::of_int(ballot));
    if (n.kind == loop::VoteKind::Any) result = Lanes::of(Value::of_bool(ballot != 0));
    if (n.kind == loop::VoteKind::All) result = Lanes::of(Value::of_bool(ballot == possible_));
  }
  result.ticket = predicate.ticket;
  symbols_[n.result.index()] = result;
}

void Tracer::matrix_tiles(const loop::Access& access, int count, bool is_store, SourceRange where) {
  where_ = where;
  constexpr int kRowBytes = 16;
  const Leaf& leaf = program_.buffer(access.buffer).element.leaves[access.leaf];
  const Place place = place_of(access, kRowBytes / size_of(leaf.type));
  const uint32_t rows = count == 4 ? ~uint32_t{0} : (uint32_t{1} << count * 8) - 1;
  under({certain_ & rows, possible_ & rows}, [&] {
    const AccessKind kind = kind_of(access.buffer, is_store, false);
    if (is_store)
      store(place, kind);
    else
      load(place, kind);
  });
}

void Tracer::multiply(const loop::MatrixShape& shape, BufferId operand, bool tf32, int warps) {
  const ScalarType type = program_.buffer(operand).element.leaves[0].type;
  Matrix matrix = Matrix::F16;
  switch (type) {
    case ScalarType::BF16: matrix = Matrix::Bf16; break;
    case ScalarType::F32: matrix = Matrix::Tf32; break;
    case ScalarType::F64: matrix = Matrix::F64; break;
    case ScalarType::F8E4M3: case ScalarType::F8E5M2: matrix = Matrix::F8; break;
    case ScalarType::I8: case ScalarType::U8: matrix = Matrix::I8; break;
    default: break;
  }
  if (tf32) matrix = Matrix::Tf32;
  const double flops = 2.0 * shape.m * shape.n * shape.k / warps * weight_;
  result_.matrix_flops[static_cast<std::size_t>(matrix)] += flops;
  result_.flops += flops;
}

std::vector<SymbolId> Tracer::assigned_in(const loop::Block& block) {
  const auto [found, is_new] = assigned_.try_emplace(&block);
  if (is_new) {
    std::vector<SymbolId> inside, all;
    loop::for_each_statement(block, [&](const loop::Statement& s) {
      for (const SymbolId symbol : loop::definitions(s)) inside.push_back(symbol);
      if (const auto* n = std::get_if<loop::Assign>(&s.node)) all.push_back(n->local);
    });
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::erase_if(all, [&](SymbolId s) { return std::find(inside.begin(), inside.end(), s) != inside.end(); });
    found->second = std::move(all);
  }
  return found->second;
}

}  // namespace cdsl::predicting
