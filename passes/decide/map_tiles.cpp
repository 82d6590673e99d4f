// Points whose store is contiguous along one index and whose reads are along another: a transpose, a permutation, with whatever is
// computed on the way. What is read across goes through a tile in shared memory, and both sides of the tile are whole runs of memory.
//
//   turned   a thread takes blocks of vectors, one way from the tile, the other way to memory: it turns them in its registers
//   plain    single elements, a column of the tile a warp: where no vectors are possible
#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include <fmt/format.h>

#include "dsl/machine/memory.h"
#include "passes/decide/mappings.h"

namespace cdsl::deciding {
namespace {

using loop::Factor;
using loop::Level;

constexpr int64_t kLongTile = 64;         // points along what is read, of the larger plain tile

struct Across {
  SymbolId lanes;                         // stored along
  SymbolId along;                         // read along
  SymbolId beside;                        // whose steps are the rows of what is read; invalid: none
  std::vector<Staging> staged;
  int64_t read_bytes = 0, store_bytes = 0;   // of an element
};

// What a block takes, in elements and as digits: of the side that is stored `lanes` lanes of a warp, of the side that is read the other
// lanes; warps along the latter, and along the axis beside where rows are short.
struct Shape {
  int64_t reads = 1, stores = 1;          // elements of one access
  int64_t lanes = kWarpLanes;
  int64_t warps = 8, rows = 1;            // along what is read; beside
  int64_t across = 1, down = 1;           // blocks of reads by stores of a thread: along what is read, and along the store
  bool skewed = false;                    // rows of the tile begin where sectors of the stored rows do
  int64_t read() const { return across * warps * (kWarpLanes / lanes) * reads; }
  int64_t stored() const { return down * lanes * stores; }
  int64_t held() const { return across * down * reads * stores; }   // elements of a thread
};

GroupAxis& axis_of(Group& group, SymbolId index) {
  return *std::find_if(group.axes.begin(), group.axes.end(), [&](const GroupAxis& a) { return a.index == index; });
}

// The axis of the last subscript but one, where it moves nothing else.
SymbolId beside(const Site& site, const Access& access, SymbolId lanes) {
  const auto& rows = access.subscripts[access.subscripts.size() - 2];
  if (site.function.tensor(access.tensor).order == tir::Order::ColMajor || rows.size() != 1 || rows.begin()->first == lanes) return {};
  return site.is_of_statement(rows.begin()->first) ? rows.begin()->first : SymbolId{};
}

// Nothing where there is nothing to turn, or nothing that may be.
std::optional<Across> across(const Site& site, Space& space) {
  const Access& store = site.accesses.front();
  if (!site.axes.reduced.empty() || !store.unit.valid()) return std::nullopt;
  const auto refuse = [&](std::string why) {
    space.refuse("map", "tile", std::move(why));
    return std::nullopt;
  };
  Across found{store.unit, {}, {}, {}, 0, store.bytes};
  for (const Access& a : site.accesses) {
    if (a.is_store() || !a.unit.valid() || a.unit == found.lanes || !a.uses(found.lanes) || !a.uses(a.unit)) continue;
    if (found.along.valid() && found.along != a.unit) return refuse("reads are contiguous along several other indices");
    if (!a.affine || !site.is_bare(a) || !a.is_packed() || a.subscripts.size() < 2) return refuse("what is read across is no plain element");
    // On a diagonal the elements of one tile span a box of a side for each subscript.
    const auto subscripts_of = [&](SymbolId index) {
      return std::count_if(a.subscripts.begin(), a.subscripts.end(), [&](const auto& subscript) { return subscript.contains(index); });
    };
    if (subscripts_of(found.lanes) > 1 || subscripts_of(a.unit) > 1) return refuse("what is read across is a diagonal");
    found.along = a.unit;
    found.beside = beside(site, a, found.lanes);
    found.read_bytes = std::max(found.read_bytes, a.bytes);
    const Read read = *site.arena.get_if<Read>(a.read);
    const bool there = std::any_of(found.staged.begin(), found.staged.end(), [&](const Staging& s) { return s.tensor == read.tensor && s.leaf == read.leaf; });
    if (!there) found.staged.push_back({read.tensor, read.leaf, 0, false});
  }
  if (!found.along.valid()) return std::nullopt;
  // A tensor has one box.
  for (const Access& a : site.accesses) {
    for (const Access& b : site.accesses) {
      if (a.is_store() || b.is_store() || a.tensor != b.tensor || a.subscripts == b.subscripts) continue;
      const bool held = std::any_of(found.staged.begin(), found.staged.end(), [&](const Staging& s) { return s.tensor == a.tensor; });
      if (held) return refuse("what is read across is read at other places too");
    }
  }
  if (site.extent(found.lanes) < 8 || site.extent(found.along) < 8) return refuse("fewer than 8 points on a side");
  return found;
}

// Rows of the first store begin within sectors; at a size that is open perhaps, where an override says so.
bool may_skew(const Site& site, const Space& space) {
  const Access& store = site.accesses.front();
  const auto first = site.sizes.known(site.axis(store.unit).lo);
  if (!store.affine || !site.is_bare(store) || !store.is_packed() || store.bytes >= kSectorBytes || first != 0) return false;
  const auto& shape = site.function.tensor(store.tensor).shape;
  const bool is_open = std::any_of(shape.begin(), shape.end(), [&](ExprId extent) { return !site.sizes.known(extent); });
  const auto may_begin_within = [&](const Axis& axis) {
    if (axis.index == store.unit || !store.uses(axis.index)) return false;
    return site.stride(store, axis.index) % kSectorBytes != 0 || (is_open && !space.asked("skew").empty());
  };
  return std::any_of(site.axes.axes.begin(), site.axes.axes.end(), may_begin_within);
}

// The tile as digits of the axes. Lanes of one request to the tile hit different banks where what they read is an odd number of accesses
// apart: a pad of one access after as many rows as a lane takes.
void add(const Site& site, Space& space, const Across& across, const Shape& shape, const Widths& in, const Widths& out) {
  const int64_t word = std::max<int64_t>(1, 4 / across.read_bytes);
  const std::string lanes = site.name_of(across.lanes), along = site.name_of(across.along);
  for (const int64_t pad : space.numbers("pad", {std::max(shape.reads, word), 0})) {
    if (pad % shape.reads != 0) continue;    // rows would begin off the vectors
    Group group = site.bare();
    group.warps = static_cast<int>(shape.warps * shape.rows);
    group.staged = across.staged;
    for (Staging& s : group.staged) s = {s.tensor, s.leaf, pad, false, shape.stores * shape.rows, shape.reads};
    const auto factors = [&](SymbolId index, std::initializer_list<Factor> all) {
      for (const Factor& f : all)
        if (f.extent > 1) axis_of(group, index).factors.push_back(f);
    };
    factors(across.lanes, {{Level::Register, shape.down, 1}, {Level::Lane, shape.lanes, 1}, {Level::Vector, shape.stores, 1}});
    factors(across.along, {{Level::Register, shape.across, 1}, {Level::Warp, shape.warps, 1}, {Level::Lane, kWarpLanes / shape.lanes, shape.lanes}, {Level::Vector, shape.reads, 1}});
    if (shape.skewed) axis_of(group, across.lanes).skew = kSectorBytes / across.store_bytes;
    if (shape.rows > 1) factors(across.beside, {{Level::Warp, shape.rows, shape.warps}});
    ask_for(site, group, across.along, in.widest, shape.reads);
    ask_for(site, group, across.lanes, out.widest, shape.stores);
    std::string tile = fmt::format("{}x{}", shape.stored(), shape.read());
    if (shape.rows > 1) tile += fmt::format("x{}", shape.rows);
    std::string reason = "read along " + along + " and stored along " + lanes + ", both contiguous through a tile";
    if (shape.reads > 1 || shape.stores > 1) reason += fmt::format(", blocks of {} by {} elements turned in registers", shape.reads, shape.stores);
    Choices choices{{"map", fmt::format("tile.{}.{}", along, lanes)}, {"tile", tile}, {"vector", std::to_string(std::max(shape.reads, shape.stores))},
                    {"pad", std::to_string(pad)}, {"threads", std::to_string(shape.warps * shape.rows * kWarpLanes)}};
    if (may_skew(site, space)) choices["skew"] = shape.skewed ? "on" : "off";
    space.add(std::move(choices), std::move(group), std::move(reason));
  }
}

// Of a short row as much as it has, and several rows.
void add_whole_rows(const Site& site, const Across& across, int64_t reads, int64_t stores, std::vector<Shape>& all) {
  constexpr int64_t kLongest = 256, kMostWarps = 20;
  const auto extent = site.known_extent(across.along);
  if (!extent || *extent > kLongest || *extent % reads != 0) return;
  for (const int64_t lanes : {32, 16, 8}) {
    const int64_t steps = *extent / reads / (kWarpLanes / lanes);
    if (steps * (kWarpLanes / lanes) * reads != *extent) continue;
    for (int64_t warps = 1; warps <= std::min(steps, kMostWarps); ++warps)
      for (const int64_t rows : {1, 2, 4, 8}) {
        const bool fits = steps % warps == 0 && warps * rows >= 4 && warps * rows <= kMostWarps;
        if (fits && (rows == 1 || (across.beside.valid() && site.extent(across.beside) >= rows))) all.push_back({reads, stores, lanes, warps, rows, steps / warps, 1});
      }
  }
}

// Measured on an H200: runs of 256 bytes both ways, 128 bytes of a thread under way, of several short rows half of that, 256 threads. The model sees no difference between
// shapes that move whole sectors, so that what comes first stands.
std::vector<Shape> shapes(const Site& site, const Across& across, int64_t reads, int64_t stores) {
  constexpr int64_t kRun = 256, kLeastRun = 64, kOfThread = 128, kOfBlock = 32 << 10, kWarps = 8, kMostHeld = 256;
  std::vector<Shape> all;
  for (const int64_t lanes : {32, 16, 8})
    for (const int64_t warps : {8, 4, 16})
      for (const int64_t blocks : {1, 2, 4})
        for (const int64_t down : {1, 2, 4})
          if (down == 1 || stores == 1) all.push_back({reads, stores, lanes, warps, 1, blocks, down});
  add_whole_rows(site, across, reads, stores, all);
  const auto held = [&](const Shape& s) { return s.held() * across.read_bytes; };
  std::erase_if(all, [&](const Shape& s) {
    return held(s) > kMostHeld || s.rows * s.read() * across.read_bytes < kLeastRun || s.stored() * across.store_bytes < kLeastRun;
  });
  const auto distance = [](int64_t value, int64_t from) { return std::abs(std::log2(static_cast<double>(value) / static_cast<double>(from))); };
  const auto rank = [&](const Shape& s) {
    const auto filled = [](int64_t extent, int64_t tile) { return static_cast<double>(extent) / static_cast<double>((extent + tile - 1) / tile * tile); };
    const double empty = 1 - filled(site.extent(across.lanes), s.stored()) * filled(site.extent(across.along), s.read());
    const bool is_short = s.rows * s.read() * across.read_bytes < kRun || s.stored() * across.store_bytes < kRun;
    const int64_t block = s.stored() * s.read() * s.rows * across.read_bytes;
    return std::tuple(std::floor(4 * empty), is_short, distance(held(s), s.rows > 1 ? kOfThread / 2 : kOfThread), distance(block, kOfBlock), distance(s.warps * s.rows, kWarps));
  };
  std::ranges::stable_sort(all, std::less<>{}, rank);
  return all;
}

}  // namespace

void add_permuting_tiles(const Site& site, Space& space) {
  const std::optional<Across> found = across(site, space);
  if (!found) return;
  // Vectors of a skewed row would begin off their places.
  const auto skews = [&](int64_t stores) { return stores == 1 && may_skew(site, space) ? std::vector<bool>{false, true} : std::vector<bool>{false}; };
  // Boxes are filled along the last subscript.
  const bool is_row_major = std::all_of(found->staged.begin(), found->staged.end(), [&](const Staging& s) { return site.function.tensor(s.tensor).order == tir::Order::RowMajor; });
  const Widths in = widths(site, space, found->along), out = widths(site, space, found->lanes);
  for (int64_t most = is_row_major ? std::max(in.widest.elements, out.widest.elements) : 1; most > 1; most /= 2)
    for (Shape shape : shapes(site, *found, std::min(most, in.widest.elements), std::min(most, out.widest.elements)))
      for (const bool skewed : skews(shape.stores)) {
        shape.skewed = skewed;
        add(site, space, *found, shape, in, out);
      }
  const int64_t wide = std::max<int64_t>(1, 4 / found->read_bytes);   // a row of the tile is whole lines
  const int64_t down = std::clamp<int64_t>(16 / found->store_bytes, 1, 4);
  for (const bool skewed : skews(1)) {
    for (const int64_t warps : skewed ? std::array{16, 8, 4} : std::array{8, 4, 16}) {   // measured: 135 us at 16 where 8 take 159
      add(site, space, *found, {1, 1, kWarpLanes, warps, 1, kWarpLanes * wide / warps, wide, skewed}, in, out);
      add(site, space, *found, {1, 1, kWarpLanes, warps, 1, kLongTile / warps, down, skewed}, in, out);
    }
  }
}

}  // namespace cdsl::deciding
