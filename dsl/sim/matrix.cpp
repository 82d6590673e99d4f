// Matrix instructions of a warp: tiles between shared memory and registers, and the product.
#include "dsl/sim/matrix.h"

#include <cstring>

#include "dsl/sim/access.h"
#include "dsl/sim/fragment.h"
#include "dsl/types/arithmetic.h"

namespace cdsl::sim {
namespace {

constexpr int kTileRows = 8, kWord = 4, kWordsOfRow = 4, kRowBytes = 16;

/// Where byte `within` of the word that `lane` holds lies: the row of the tile, and the byte in it.
std::pair<int, int> place_of(int lane, int within, bool transposed) {
  const int row = lane / kWordsOfRow, along = lane % kWordsOfRow;
  if (!transposed) return {row, along * kWord + within};
  return {2 * along + within / 2,
          2 * row + within % 2};  // elements of 2 bytes, rows and columns exchanged
}

void move(Warp& warp, const MatrixTilesUse& use, const FragmentView& registers,
          const Region& region, const Located& where) {
  const int packed = kWord / size_of(use.registers.type);
  for (int tile = 0; tile < use.count; ++tile) {
    for (int lane = 0; lane < kLanes; ++lane) {
      std::byte* const word = registers.at(lane, static_cast<std::size_t>(tile * packed));
      for (int k = 0; k < kWord; ++k) {
        const auto [row, byte] = place_of(lane, k, use.transposed);
        std::byte* const memory = region.bytes + where.offset[tile * kTileRows + row] + byte;
        if (use.is_store)
          *memory = word[k];
        else
          word[k] = *memory;
      }
    }
  }
  if (use.is_store && warp.code->spins) ++warp.launch->memory_version;
}

}  // namespace

const Instruction* matrix_tiles(Warp& warp, const Instruction& i) {
  const MatrixTilesUse& use = warp.code->matrix_tiles[i.info];
  const Place& place = warp.code->places[use.place];
  if (!is_converged(warp, &use, use.where, "a matrix instruction")) return &i + 1;
  const FragmentView registers(warp, use.registers, use.where);
  const Region region = region_of(warp, warp.code->buffers[place.buffer]);
  const uint32_t rows = use.count == 4 ? kAllLanes : (1u << use.count * kTileRows) - 1;
  warp.set_mask(rows);
  Located where;
  locate(warp, place, region, where);
  const bool good = where.lanes == rows && registers.good();
  const bool check = warp.launch->session.options.check;
  if (good && region.written != nullptr) {
    if (use.is_store)
      mark_written(place, region, where);
    else if (check)
      look_for_unwritten(warp, place, region, where);
  }
  if (good) {
    if (use.is_store) mark_unfenced(warp, place, where);
    look_for_races(warp, place, region, where,
                   use.is_store ? Shadow::Use::Write : Shadow::Use::Read);
    count_request(warp, place, region, where);
  }
  warp.set_mask(kAllLanes);
  if (!good) return &i + 1;
  if (use.is_store) registers.check_written(Fault::Kind::UnwrittenRead, "a store of", use.where);
  move(warp, use, registers, region, where);
  if (!use.is_store) registers.mark(1);
  return &i + 1;
}

const Instruction* matrix_multiply(Warp& warp, const Instruction& i) {
  const MatrixUse& use = warp.code->matrices[i.info];
  if (!is_converged(warp, &use, use.where, "mma")) return &i + 1;
  const FragmentView d(warp, use.d, use.where), a(warp, use.a, use.where),
      b(warp, use.b, use.where);
  if (!d.good() || !a.good() || !b.good()) return &i + 1;
  for (const FragmentView* operand : {&a, &b, &d})
    operand->check_written(Fault::Kind::UnwrittenRead, "mma of", use.where);
  const auto gather = [&](const FragmentView& view, const FragmentUse& registers,
                          loop::Operand operand, MatrixValues& out) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (std::size_t k = 0; k < view.count(); ++k) {
        const loop::MatrixPlace at =
            loop::fragment_place(operand, use.shape, registers.type, lane, static_cast<int>(k));
        out(at.row, at.column) =
            matrix_value(view.at(lane, k), registers.type, use.tf32 && operand != loop::Operand::D);
      }
    }
  };
  MatrixValues sums(use.shape.m, use.shape.n), left(use.shape.m, use.shape.k),
      right(use.shape.k, use.shape.n);
  gather(d, use.d, loop::Operand::D, sums);
  gather(a, use.a, loop::Operand::A, left);
  gather(b, use.b, loop::Operand::B, right);
  multiply_add(sums, left, right, use.d.type);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (std::size_t k = 0; k < d.count(); ++k) {
      const loop::MatrixPlace at =
          loop::fragment_place(loop::Operand::D, use.shape, use.d.type, lane, static_cast<int>(k));
      const double sum = sums(at.row, at.column);
      store_element(d.at(lane, k), use.d.type,
                    use.d.type == ScalarType::I32 ? Value::of_int(static_cast<int64_t>(sum))
                                                  : Value::of_float(sum));
    }
  }
  return &i + 1;
}

}  // namespace cdsl::sim
