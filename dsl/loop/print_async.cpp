#include "dsl/loop/print_async.h"

#include <fmt/format.h>

namespace cdsl::loop {
namespace {

/// Spells the parts that the statements share.
struct Text {
  const Program& program;
  const ExprNames& names;

  std::string expr(ExprId id) const { return cdsl::to_string(program.arena, id, names); }
  std::string place(const Access& access) const { return place_text(program, access, names); }

  /// ` arrive b[s]`, or nothing where nobody is told.
  std::string arrive(const Access& barrier) const {
    return barrier.buffer.valid() ? " arrive " + place(barrier) : "";
  }

  std::string list(const std::vector<ExprId>& ids) const {
    std::string out;
    for (const ExprId id : ids) out += (out.empty() ? "" : ", ") + expr(id);
    return out;
  }

  /// acc[0; 0..4, 8, 9]: base, then the offsets, where a..b stands for a run without b.
  std::string fragment(const Fragment& f) const {
    std::string out;
    for (std::size_t k = 0; k < f.offsets.size();) {
      std::size_t end = k + 1;
      while (end < f.offsets.size() && f.offsets[end] == f.offsets[end - 1] + 1) ++end;
      const std::string sep = out.empty() ? "" : ", ";
      if (end - k < 3) end = k + 1;
      out += end - k == 1 ? fmt::format("{}{}", sep, f.offsets[k])
                          : fmt::format("{}{}..{}", sep, f.offsets[k], f.offsets[end - 1] + 1);
      k = end;
    }
    return fmt::format("{}[{}; {}]", program.buffer(f.buffer).name, expr(f.base), out);
  }

  std::string matrix(const SharedMatrix& m) const {
    return fmt::format("{} swizzle {} leading {} stride {}{}", place(m.start), m.swizzle,
                       m.leading_bytes, m.stride_bytes, m.transposed ? " transposed" : "");
  }

  static std::string shape(const MatrixShape& s) { return fmt::format("m{}n{}k{}", s.m, s.n, s.k); }
};

}  // namespace

std::string place_text(const Program& program, const Access& access, const ExprNames& names) {
  const auto text = [&](ExprId id) { return cdsl::to_string(program.arena, id, names); };
  const Buffer& buffer = program.buffer(access.buffer);
  const std::string& leaf = buffer.element.leaves[access.leaf].path;
  std::string out = fmt::format("{}[{}]", buffer.name, text(access.index));
  if (!leaf.empty()) out += "." + leaf;
  if (access.within.valid()) out += "[" + text(access.within) + "]";
  return access.rank.valid() ? out + " at " + text(access.rank) : out;
}

std::string to_text(const BarrierInit& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("barrier_init {} count {};", t.place(n.barrier), t.expr(n.count));
}

std::string to_text(const BarrierArrive& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("arrive {}{};", t.place(n.barrier),
                     n.bytes.valid() ? " expect " + t.expr(n.bytes) : "");
}

std::string to_text(const BarrierWait& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("wait {} parity {};", t.place(n.barrier), t.expr(n.parity));
}

std::string to_text(const CopyAsync& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("copy_async {} = {} bytes {}{};", t.place(n.to), t.place(n.from), n.bytes,
                     n.condition.valid() ? " when " + t.expr(n.condition) : "");
}

std::string to_text(const CopyCommit& n, const Program&, const ExprNames&) {
  return fmt::format("copy_commit {};", name_of(n.batch));
}

std::string to_text(const CopyWait& n, const Program&, const ExprNames&) {
  return fmt::format("copy_wait {} {}{};", name_of(n.batch), n.pending, n.read ? " read" : "");
}

std::string to_text(const CopyBulk& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("copy_bulk {} = {} bytes {}{}{};", t.place(n.to), t.place(n.from),
                     t.expr(n.bytes), n.adds ? " add" : "", t.arrive(n.barrier));
}

std::string to_text(const CopyTensor& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  const std::string box = fmt::format("{} at ({})", program.maps[n.map].name, t.list(n.at));
  if (n.store) return fmt::format("copy_tensor {} = {};", box, t.place(n.shared));
  const std::string multicast = n.multicast.valid() ? " multicast " + t.expr(n.multicast) : "";
  return fmt::format("copy_tensor {} = {}{}{};", t.place(n.shared), box, multicast,
                     t.arrive(n.barrier));
}

std::string to_text(const FenceAsync& n, const Program&, const ExprNames&) {
  return fmt::format("fence {};", name_of(n.kind));
}

std::string to_text(const MatrixLoad& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("matrix_load x{}{} {} = {};", n.count, n.transposed ? " transposed" : "",
                     t.fragment(n.to), t.place(n.from));
}

std::string to_text(const MatrixStore& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("matrix_store x{}{} {} = {};", n.count, n.transposed ? " transposed" : "",
                     t.place(n.to), t.fragment(n.from));
}

std::string to_text(const MatrixMultiply& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("mma {} {} += {} * {}{};", t.shape(n.shape), t.fragment(n.d), t.fragment(n.a),
                     t.fragment(n.b), n.tf32 ? " tf32" : "");
}

std::string to_text(const MatrixAsync& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  const std::string a = n.a_fragment.buffer.valid() ? t.fragment(n.a_fragment) : t.matrix(n.a);
  const std::string accumulate = n.accumulate.valid() ? " accumulate " + t.expr(n.accumulate) : "";
  return fmt::format("mma_async {} {} += {} * {}{}{};", t.shape(n.shape), t.fragment(n.d), a,
                     t.matrix(n.b), n.tf32 ? " tf32" : "", accumulate);
}

std::string to_text(const MatrixBatch& n, const Program&, const ExprNames&) {
  if (n.kind == MatrixBatchKind::Wait) return fmt::format("mma_wait {};", n.pending);
  return n.kind == MatrixBatchKind::Fence ? "mma_fence;" : "mma_commit;";
}

std::string to_text(const NamedBarrier& n, const Program& program, const ExprNames& names) {
  const Text t{program, names};
  return fmt::format("{} {} threads {};", n.sync ? "barrier_sync" : "barrier_arrive", t.expr(n.id),
                     n.threads);
}

std::string to_text(const Elect& n, const Program& program, const ExprNames&) {
  return fmt::format("let {}: bool = elect warp;", program.arena.symbol(n.local).name);
}

std::string to_text(const RegisterBudget& n, const Program&, const ExprNames&) {
  return fmt::format("registers {} {};", n.raises ? "raise" : "lower", n.registers);
}

}  // namespace cdsl::loop
