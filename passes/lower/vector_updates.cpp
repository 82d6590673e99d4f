#include "passes/lower/vector_updates.h"

#include <algorithm>
#include <utility>

#include "dsl/expr/integer.h"

namespace cdsl::lowering {
namespace {

constexpr int kWordBytes = 4;

class VectorUpdates {
 public:
  VectorUpdates(Lowerer& lowerer, const Job& job, const PrivateBins& how, const Bins& bins)
      : lowerer_(lowerer), builder_(lowerer.builder()), arena_(lowerer.arena()), job_(job), how_(how), bins_(bins),
        slots_(std::max(1, how.prefetch)) {}

  void run() {
    begin_points(lowerer_, job_);
    for (ExprId id : how_.vectors) declare(id);
    ExprId points = arena_.integer(1);
    for (const Axis& axis : job_.domain.axes) points = index_mul(arena_, points, lowerer_.value(axis.hi));
    points_ = how_.few.valid() ? builder_.let_within(lowerer_.kernel().fresh("points"), points, arena_.integer(0), arena_.integer(kMostPoints + 1))
                               : lowerer_.pinned(points, "points");
    vectors_ = lowerer_.pinned(arena_.apply(Op::Div, {points_, arena_.integer(how_.vector)}), "vectors");
    place_blocks();
    if (how_.prefetch > 0) {
      in_slots([&](ExprId slot) {
        const ExprId at = builder_.let(lowerer_.kernel().fresh("at"), index_add(arena_, first_, in_threads(slot)));
        builder_.if_(builder_.less(at, vectors_), [&] { load(&Stream::ahead, slot, at); });
      });
    }
    loop::For& loop = builder_.for_(lowerer_.kernel().fresh(slots_ == 1 ? "at" : "round"), first_, vectors_, step_, [&](ExprId round) {
      Lowerer::Scope scope(lowerer_);
      if (slots_ == 1) return vector(arena_.integer(0), round);
      in_slots([&](ExprId slot) {
        const ExprId at = builder_.let(lowerer_.kernel().fresh("at"), index_add(arena_, round, in_threads(slot)));
        builder_.if_(builder_.less(at, vectors_), [&] { vector(slot, at); });
      });
    });
    loop.note = "grid-stride, vectors of " + std::to_string(how_.vector) + (how_.prefetch > 0 ? ", each loaded a round before" : "");
    tail();
  }

 private:
  /// Registers of one read.
  struct Stream {
    ExprId read;
    ScalarType type;
    BufferId memory, part, ahead;        // ahead: `words` for each slot
    bool packed = false;
    int64_t access = 1, words = 1;       // elements of one access; registers of a vector
  };

  void declare(ExprId id) {
    KernelScope& kernel = lowerer_.kernel();
    const Read read = *arena_.get_if<Read>(id);
    Storage& storage = kernel.memory().of(read.tensor);
    uint32_t part = 0;
    while (storage.parts[part].leaf_of[read.leaf] == LayoutPart::kAbsent) ++part;
    Stream stream{id, kernel.function().leaf(read.tensor, read.leaf).type, kernel.buffer(storage, part, false), {}, {}};
    stream.packed = stays_packed(stream.type);
    stream.access = std::min(how_.vector, kVectorBytes / size_of(stream.type));
    stream.words = stream.packed ? how_.vector * size_of(stream.type) / kWordBytes : how_.vector;
    const RecordType word = scalar_record(stream.packed ? ScalarType::U32 : stream.type);
    const std::string name = kernel.function().tensor(read.tensor).name;
    stream.part = builder_.registers(kernel.fresh(name + "_part"), word, stream.words);
    if (how_.prefetch > 0) stream.ahead = builder_.registers(kernel.fresh(name + "_ahead"), word, stream.words * slots_);
    auto& facts = builder_.kernel().alignments;
    const bool is_known = std::any_of(facts.begin(), facts.end(), [&](const loop::Alignment& fact) { return fact.buffer == stream.memory; });
    if (!is_known) facts.push_back({stream.memory, kVectorBytes});
    streams_.push_back(stream);
  }

  void place_blocks() {
    const ExprId tiles = index_floordiv(arena_, index_add(arena_, points_, arena_.integer(how_.points - 1)), arena_.integer(how_.points));
    const ExprId threads = arena_.integer(int64_t{how_.threads} * slots_);
    const ExprId one = arena_.integer(1), thread = builder_.special64(loop::Special::ThreadX), block = builder_.special64(loop::Special::BlockX);
    block_ = builder_.let_within(lowerer_.kernel().fresh("block"), block, arena_.integer(0), tiles);
    first_ = builder_.let(lowerer_.kernel().fresh("first"), index_add(arena_, index_mul(arena_, block_, threads), thread));
    step_ = builder_.let_within(lowerer_.kernel().fresh("step"), index_mul(arena_, builder_.special64(loop::Special::GridDimX), threads), one,
                                index_add(arena_, index_mul(arena_, tiles, threads), one));
  }

  ExprId in_threads(ExprId slot) { return index_mul(arena_, slot, arena_.integer(how_.threads)); }

  template <class Body>
  void in_slots(Body&& body) {
    if (slots_ == 1) return body(arena_.integer(0));
    builder_.for_(lowerer_.kernel().fresh("slot"), arena_.integer(0), arena_.integer(slots_), [&](ExprId slot) {
      Lowerer::Scope scope(lowerer_);
      body(slot);
    }).unroll = slots_;
  }

  void load(BufferId Stream::*registers, ExprId slot, ExprId at) {
    for (const Stream& stream : streams_) {
      const int64_t words = stream.words * stream.access / how_.vector;
      for (int64_t first = 0; first < how_.vector; first += stream.access) {
        const ExprId element = index_add(arena_, index_mul(arena_, at, arena_.integer(how_.vector)), arena_.integer(first));
        const ExprId word = index_add(arena_, index_mul(arena_, slot, arena_.integer(stream.words)), arena_.integer(first / stream.access * words));
        builder_.vector_move(builder_.access(stream.*registers, word), builder_.access(stream.memory, element), arena_.integer(stream.access));
      }
    }
  }

  // The points of vector `at`, which waits in the slot.
  void vector(ExprId slot, ExprId at) {
    Lowerer::Scope scope(lowerer_);
    if (how_.prefetch > 0) {
      take(slot);
      const ExprId next = builder_.let(lowerer_.kernel().fresh("next"), builder_.add(at, step_));
      builder_.if_(builder_.less(next, vectors_), [&] { load(&Stream::ahead, slot, next); });
    } else {
      load(&Stream::part, arena_.integer(0), at);
    }
    builder_.for_(lowerer_.kernel().fresh("k"), arena_.integer(0), arena_.integer(how_.vector), [&](ExprId k) {
      Lowerer::Hooks hooks;
      hooks.staged = [this, k](ExprId id) { return element(id, k); };
      lowerer_.set_hooks(std::move(hooks));
      point(index_add(arena_, index_mul(arena_, at, arena_.integer(how_.vector)), k));
      lowerer_.set_hooks({});
    }).unroll = static_cast<int>(how_.vector);
  }

  void take(ExprId slot) {
    for (const Stream& stream : streams_) {
      const ExprId words = arena_.integer(stream.words), first = index_mul(arena_, slot, words);
      builder_.for_(lowerer_.kernel().fresh("word"), arena_.integer(0), words, [&](ExprId word) {
        builder_.store(stream.part, word, builder_.load(stream.ahead, index_add(arena_, first, word)));
      }).unroll = static_cast<int>(stream.words);
    }
  }

  // Element k of the vector that a read stands for.
  std::optional<ExprId> element(ExprId id, ExprId k) {
    const auto stream = std::find_if(streams_.begin(), streams_.end(), [&](const Stream& s) { return s.read == id; });
    if (stream == streams_.end()) return std::nullopt;
    ExprId value;
    if (stream->packed) {
      const ExprId of_word = arena_.integer(kWordBytes / size_of(stream->type));
      const ExprId bits = index_mul(arena_, arena_.apply(Op::Rem, {k, of_word}), arena_.integer(8 * size_of(stream->type)));
      const ExprId word = builder_.load(stream->part, arena_.apply(Op::Div, {k, of_word}));
      value = arena_.cast(arena_.apply(Op::Shr, {word, arena_.cast(bits, ScalarType::U32)}), stream->type);
    } else {
      value = builder_.load(stream->part, k);
    }
    return arena_.cast(value, evaluation_type(stream->type));
  }

  void point(ExprId number) {
    Lowerer::Scope scope(lowerer_);
    bind_point(lowerer_, job_.domain, lowerer_.pinned(number, "point"));
    emit_update(lowerer_, job_, bins_, sites_);
  }

  // The points behind the last whole vector are fewer than a block has threads.
  void tail() {
    const ExprId thread = index_add(arena_, index_mul(arena_, block_, arena_.integer(how_.threads)), builder_.special64(loop::Special::ThreadX));
    const ExprId whole = index_mul(arena_, vectors_, arena_.integer(how_.vector));
    builder_.if_(builder_.less(thread, index_sub(arena_, points_, whole)), [&] { point(index_add(arena_, whole, thread)); });
  }

  Lowerer& lowerer_;
  loop::Builder& builder_;
  ExprArena& arena_;
  const Job& job_;
  const PrivateBins& how_;
  const Bins& bins_;
  int slots_;                            // vectors that a thread takes in one round
  std::vector<Stream> streams_;
  ExprId points_, vectors_;              // of the launch
  ExprId block_, first_, step_;          // this one; the first vector of this thread; vectors of all threads in a round
  Sites sites_;
};

}  // namespace

void emit_vector_updates(Lowerer& lowerer, const Job& job, const PrivateBins& how, const Bins& bins) {
  VectorUpdates(lowerer, job, how, bins).run();
}

}  // namespace cdsl::lowering
