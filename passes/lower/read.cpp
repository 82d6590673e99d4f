// Reads: subscripts fold by their axes' modes, become an element index by the layout, and where no
// proof covers an axis a test stands before the load.
#include <algorithm>

#include "dsl/expr/integer.h"
#include "dsl/expr/print.h"
#include "dsl/support/check.h"
#include "passes/lower/boundary.h"
#include "passes/lower/expression.h"

namespace cdsl::lowering {
namespace {

// Report texts name an access as the source does; a long subscript is cut.
constexpr int kSiteDepth = 6;

ExprNames names_of(const tir::Function& function) {
  ExprNames names;
  names.tensor = [&function](TensorId id) { return function.tensor(id).name; };
  names.leaf = [&function](TensorId id, uint32_t leaf) { return function.leaf(id, leaf).path; };
  names.depth_limit = kSiteDepth;
  names.bounds = false;
  return names;
}

}  // namespace

ExprId Lowerer::extent(Storage& storage, uint32_t leaf, std::size_t axis) {
  const std::size_t rank = storage.extents.size();
  if (axis < rank) return value(storage.extents[axis]);
  const LayoutPart* holder = nullptr;
  for (const LayoutPart& part : storage.parts) {
    if (part.leaf_of[leaf] != LayoutPart::kAbsent) holder = &part;
  }
  CDSL_CHECK(holder != nullptr, "a leaf that no part of the layout holds");
  const auto& extents = holder->element.leaves[holder->leaf_of[leaf]].extents;
  const std::size_t skipped = holder->group != 1 ? 1 : 0;
  return arena().integer(extents[axis - rank + skipped]);
}

std::string Lowerer::site_text(const std::string& access, std::size_t axis, TensorId tensor,
                               uint32_t leaf) const {
  const std::string& path = kernel_.function().leaf(tensor, leaf).path;
  const std::string name =
      kernel_.function().tensor(tensor).name + (path.empty() ? "" : "." + path);
  return access + ", axis " + std::to_string(axis) + " of " + name;
}

// Leaves e / S in `subscript`; the result tells whether S divides e. Only where it does the quotient
// counts, and there it is the same whichever way it is rounded. A launch with S < 1 is refused;
// `max` tells those who divide.
ExprId Lowerer::fold_holes(ExprId& subscript, ExprId holes, std::string_view hint) {
  const ExprId one = arena().integer(1);
  ExprId stride = arena().cast(lookup(holes), ScalarType::I64);
  if (!ranges_.positive(stride)) stride = index_max(arena(), stride, one);
  if (stride == one) return arena().boolean(true);
  subscript = named(subscript, hint);
  const ExprId rest = arena().apply(Op::Rem, {subscript, stride});
  subscript = named(arena().apply(Op::Div, {subscript, stride}), hint);
  return arena().apply(Op::Eq, {rest, arena().integer(0)});
}

// A register that holds a converted narrow integer is within that type's range.
void Lowerer::note_type_range(ExprId held, ExprId value) {
  if (held == value || !arena().is_apply(value, Op::Cast)) return;
  const ScalarType from = arena().type(arena().args(value)[0]);
  if (!is_integer(from) || size_of(from) > 4) return;
  const int bits = 8 * size_of(from);
  const int64_t half = int64_t{1} << (bits - 1);
  const bool is_signed = is_signed_integer(from);
  ranges_.push(held, arena().integer(is_signed ? -half : 0),
               arena().integer(is_signed ? half : 2 * half));
}

// Leaves the folded index in `subscript`.
AccessTest Lowerer::fold_axis(ExprId& subscript, const AxisRule& rule, ExprId length,
                              std::string_view hint) {
  AccessTest test;
  if (rule.boundary == Boundary::None) {
    if (rule.bounds != Bounds::PerElement) return test;
    const ExprId whole = subscript;
    subscript = named(subscript, hint);
    note_type_range(subscript, whole);
    test.inside = inside_test(arena(), ranges_, subscript, length);
    test.reports = test.inside.valid();
    test.subscript = subscript;
    return test;
  }
  // Where it is used twice. A register of its own has no range: half a test is proved before.
  const bool halves = rule.boundary == Boundary::Zero || rule.boundary == Boundary::Fill;
  const bool twice = halves ? !ranges_.nonnegative(subscript) && !ranges_.less(subscript, length)
                            : rule.boundary == Boundary::Symmetric && !ranges_.inside(subscript, length);
  if (twice) subscript = named(subscript, hint);
  const Folded folded = fold(arena(), ranges_, rule.boundary, subscript, length);
  subscript = folded.index;
  test.inside = folded.inside;
  if (rule.boundary == Boundary::Fill) test.fill = rule.fill;
  return test;
}

// The most axes whose subscripts are, in order, the indices of a box that is counted as one: the
// count is their part of the element index.
const Lowerer::Flat* Lowerer::flat_at(std::span<const ExprId> subscripts,
                                      std::span<const ExprId> extents) const {
  const Flat* found = nullptr;
  for (const Flat& flat : flats_) {
    const std::size_t count = flat.indices.size();
    if (count > subscripts.size() || (found != nullptr && count <= found->indices.size())) continue;
    if (std::equal(flat.indices.begin(), flat.indices.end(), subscripts.begin()) &&
        std::equal(flat.extents.begin() + 1, flat.extents.end(), extents.begin() + 1))
      found = &flat;
  }
  return found;
}

ExprId Lowerer::element_index(Storage& storage, const std::vector<ExprId>& subscripts) {
  const std::size_t rank = storage.extents.size();
  ExprId index = arena().integer(0);
  if (!storage.strides.empty()) {
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const ExprId stride = kernel_.computed(storage.stride_symbols[axis], storage.strides[axis]);
      index = index_add(arena(), index, index_mul(arena(), subscripts[axis], stride));
    }
    return index;
  }
  std::vector<ExprId> inner(subscripts.begin(), subscripts.begin() + static_cast<int64_t>(rank));
  std::vector<ExprId> extents;
  for (ExprId extent : storage.extents) extents.push_back(value(extent));
  if (storage.order == tir::Order::ColMajor) {
    std::reverse(inner.begin(), inner.end());
    std::reverse(extents.begin(), extents.end());
  }
  for (std::size_t axis = 0; axis < rank;) {
    const Flat* flat = flat_at(std::span(inner).subspan(axis), std::span(extents).subspan(axis));
    const std::size_t end = axis + (flat != nullptr ? flat->indices.size() : 1);
    const ExprId subscript = flat != nullptr ? flat->point : inner[axis];
    for (; axis < end; ++axis) index = index_mul(arena(), index, extents[axis]);
    index = index_add(arena(), index, subscript);
  }
  return index;
}

// The address of an element by its layout. Subscripts beyond the tensor's axes are the leaf's own.
Place Lowerer::address(Storage& storage, uint32_t leaf, std::vector<ExprId> subscripts,
                       bool written) {
  uint32_t part = 0;
  while (storage.parts[part].leaf_of[leaf] == LayoutPart::kAbsent) ++part;
  const LayoutPart& layout = storage.parts[part];
  const std::size_t rank = storage.extents.size();
  Place place;
  place.leaf = layout.leaf_of[leaf];
  place.buffer = kernel_.buffer(storage, part, written);
  place.index = element_index(storage, subscripts);

  const auto& extents = layout.element.leaves[place.leaf].extents;
  const std::size_t skipped = layout.group != 1 ? 1 : 0;
  ExprId within;
  if (layout.group != 1) {
    const ExprId width = arena().integer(layout.group);
    place.index = named(place.index, "at");
    within = arena().apply(Op::Rem, {place.index, width});
    place.index = arena().apply(Op::Div, {place.index, width});
  }
  for (std::size_t axis = skipped; axis < extents.size(); ++axis) {
    const ExprId subscript = subscripts[rank + axis - skipped];
    within = within.valid()
                 ? index_add(arena(), index_mul(arena(), within, arena().integer(extents[axis])),
                             subscript)
                 : subscript;
  }
  place.within = within;
  return place;
}

Place Lowerer::place_of_read(ExprId id, Storage& storage) {
  const Read read = *arena().get_if<Read>(id);
  const auto rules_view = arena().rules(id);
  const std::vector<AxisRule> rules(rules_view.begin(), rules_view.end());
  const auto args = arena().args(id);
  std::vector<ExprId> subscripts(args.begin(), args.end());
  std::string text;
  std::vector<AccessTest> tests;
  for (std::size_t axis = 0; axis < subscripts.size(); ++axis) {
    const std::string hint = hint_for(subscripts[axis]);
    subscripts[axis] = arena().cast(lookup(subscripts[axis]), ScalarType::I64);
    AxisRule rule = rules[axis];
    if (rule.holes.valid()) {
      // A hole is 0 whatever the second mode gives outside.
      if (rule.boundary == Boundary::None) rule.boundary = Boundary::Zero;
      AccessTest divides;
      divides.inside = fold_holes(subscripts[axis], rule.holes, hint);
      tests.push_back(divides);
    }
    AccessTest test = fold_axis(subscripts[axis], rule, extent(storage, read.leaf, axis), hint);
    if (!test.inside.valid()) continue;
    if (test.reports) {
      if (text.empty()) text = to_string(arena(), id, names_of(kernel_.function()));
      test.site =
          kernel_.add_site(loop::ReportSite::Kind::ReadOutside,
                           site_text(text, axis, read.tensor, read.leaf), arena().where(id));
    }
    tests.push_back(test);
  }
  Place place = address(storage, read.leaf, std::move(subscripts), false);
  place.tests = std::move(tests);
  return place;
}

Place Lowerer::place_of_target(const tir::Target& target, Storage& storage) {
  std::vector<ExprId> subscripts;
  std::vector<AccessTest> tests;
  for (std::size_t axis = 0; axis < target.subscripts.size(); ++axis) {
    ExprId subscript = arena().cast(value(target.subscripts[axis]), ScalarType::I64);
    AxisRule rule;
    rule.bounds = target.bounds;
    AccessTest test = fold_axis(subscript, rule, extent(storage, target.leaf, axis),
                                hint_for(target.subscripts[axis]));
    subscripts.push_back(subscript);
    if (test.inside.valid()) {
      test.site = static_cast<uint32_t>(axis);
      tests.push_back(test);
    }
  }
  Place place = address(storage, target.leaf, std::move(subscripts), true);
  place.tests = std::move(tests);
  return place;
}

bool Lowerer::lies_in_rows_beside(ExprId id, SymbolId along, int64_t ends) {
  const Read read = *arena().get_if<Read>(id);
  Storage& storage = kernel_.memory().of(read.tensor);
  const std::vector<ExprId> args(arena().args(id).begin(), arena().args(id).end());
  const std::size_t rank = storage.extents.size();
  const bool is_dense = storage.strides.empty() && storage.order == tir::Order::RowMajor && storage.parts.size() == 1 && storage.parts[0].group == 1;
  const bool redirected = reads_ != nullptr && reads_->contains(read.tensor);
  if (redirected || !is_dense || rank < 2 || args.size() != rank || !try_index(along).valid()) return false;
  const auto beyond = difference(arena(), at_bound(args[rank - 1]), try_index(along));
  if (!beyond || !beyond->terms.empty() || beyond->constant < -ends || beyond->constant > ends) return false;
  for (std::size_t axis = 0; axis + 1 < rank; ++axis) {
    const ExprId margin = arena().integer(axis + 2 == rank ? 1 : 0), subscript = at_bound(args[axis]);
    if (!ranges_.at_most(margin, subscript) || !ranges_.less(index_add(arena(), subscript, margin), extent(storage, read.leaf, axis))) return false;
  }
  return true;
}

// load where all tests hold, else what the first that fails says; tests with the same answer are
// joined.
ExprId Lowerer::selected(const std::vector<AccessTest>& tests, ExprId load) {
  ExprId result = load;
  for (std::size_t k = tests.size(); k > 0; --k) {
    ExprId inside = tests[k - 1].inside;
    const ExprId fill = tests[k - 1].fill;
    while (k > 1 && tests[k - 2].fill == fill) {
      inside = logical_and(arena(), tests[k - 2].inside, inside);
      --k;
    }
    const ExprId outside = fill.valid() ? arm(fill) : zero(arena(), arena().type(load));
    result = arena().apply(Op::Select, {inside, result, outside});
  }
  return result;
}

ExprId Lowerer::lower_read(ExprId id) {
  const Read read = *arena().get_if<Read>(id);
  const ScalarType type = arena().type(id);
  const ScalarType wide = evaluation_type(type);
  if (hooks_.staged) {
    if (const auto value = hooks_.staged(id)) return *value;
  }
  const bool redirected = reads_ != nullptr && reads_->contains(read.tensor);
  Storage& storage = redirected ? *reads_->at(read.tensor) : kernel_.memory().of(read.tensor);
  Place place = place_of_read(id, storage);
  const ScalarType held =
      kernel_.memory().program().buffer(place.buffer).element.leaves[place.leaf].type;
  const bool only_chosen = std::all_of(place.tests.begin(), place.tests.end(), [&](const AccessTest& test) {
    return !test.reports && (!test.fill.valid() || fits_in_arm(arena(), test.fill, known()));
  });
  if (hooks_.readable && !place.tests.empty() && only_chosen && arm_depth_ == 0 && hooks_.readable(id)) {
    const ExprId raw = builder().let(kernel_.fresh(hint_for(id)), arena().load(place.buffer, place.leaf, held, place.index, place.within, arena().where(id)));
    return arena().cast(selected(place.tests, raw), wide);
  }
  if (hooks_.predicate) {
    const ExprId may = hooks_.predicate(place.index);
    if (may.valid()) {
      AccessTest test;
      test.inside = may;
      place.tests.insert(place.tests.begin(), test);
    }
    const bool plain = std::all_of(place.tests.begin(), place.tests.end(), [](const AccessTest& test) {
      return !test.reports && !test.fill.valid();
    });
    // A register of its own: loads are gathered, and made as vectors where they can be.
    if (plain && arm_depth_ == 0) {
      const ExprId raw = arena().load(place.buffer, place.leaf, held, place.index, place.within, arena().where(id));
      if (const ExprId outside = may.valid() && place.tests.size() == 1 && held == type ? hooks_.outside(id) : ExprId{}; outside.valid()) {
        const ExprId element = arena().apply(Op::Select, {may, raw, outside});
        return arena().cast(builder().let(kernel_.fresh(hint_for(id)), element), wide);
      }
      return arena().cast(builder().let(kernel_.fresh(hint_for(id)), selected(place.tests, raw)), wide);
    }
  }
  const ExprId raw = arena().load(place.buffer, place.leaf, held, place.index, place.within, arena().where(id));
  // f8e5m2 stays as it is held for as long as it can: its infinities do not come back from f32 (docs/decisions/0013).
  const bool fills = std::any_of(place.tests.begin(), place.tests.end(), [](const AccessTest& test) { return test.fill.valid(); });
  const bool keeps = held == ScalarType::F8E5M2 && type == held && !fills;
  // A shadow may hold the leaf in a wider type.
  const ExprId load = keeps ? raw : arena().cast(raw, wide);

  const bool statements =
      std::any_of(place.tests.begin(), place.tests.end(), [&](const AccessTest& test) {
        return test.reports || (test.fill.valid() && !fits_in_arm(arena(), test.fill, known()));
      });
  if (!statements) return arena().cast(selected(place.tests, load), wide);
  const auto result = register_for(id, hint_for(id), zero(arena(), arena().type(load)));
  std::function<void(std::size_t)> emit = [&](std::size_t k) {
    if (k == place.tests.size()) return builder().assign(result, load);
    const AccessTest& test = place.tests[k];
    if (test.reports) {
      builder().if_(
          test.inside, [&] { emit(k + 1); }, [&] { builder().report(test.site, test.subscript); });
    } else if (test.fill.valid()) {
      builder().if_(
          test.inside, [&] { emit(k + 1); }, [&] { assign_arm(result, test.fill); });
    } else {
      builder().if_(test.inside, [&] { emit(k + 1); });
    }
  };
  emit(0);
  return arena().cast(result.ref, wide);
}

}  // namespace cdsl::lowering
