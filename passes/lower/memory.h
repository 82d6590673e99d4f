// Where tensors lie: which buffers of the plan hold them, and how subscripts become an element
// index.
//
// Guarantees: every tensor has a Storage; parameters own their buffers of the plan in the order of
// the source; workspace buffers come into being when first asked for, so that none is allocated in
// vain.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/tensor/tensor_ir.h"

namespace cdsl::lowering {

inline constexpr uint32_t kNoBuffer = 0xffffffffu;

/// One tensor in memory. The element index of subscripts s is row-major (or column-major) in
/// `extents` where `strides` is empty, else the sum of s[k] * strides[k].
struct Storage {
  TensorId constant;               // valid: its contents are known
  std::vector<std::string> names;  // by part
  std::vector<LayoutPart> parts;
  std::vector<uint32_t>
      buffers;  // by part: index into Plan::buffers, kNoBuffer until it is asked for
  std::vector<ExprId> extents;  // i64 over sizes, as declared
  ExprId count;                 // elements held: the product of the actual extents
  tir::Order order = tir::Order::RowMajor;
  std::vector<ExprId> strides;           // plan expressions
  std::vector<SymbolId> stride_symbols;  // the kernel parameters that carry them
};

class Memory {
 public:
  Memory(const tir::Function& function, loop::Program& program);
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  Storage& of(TensorId tensor) { return tensors_[tensor.index()]; }
  /// Workspace of the tensor's shape, one dense array a leaf: for old or for new values while a
  /// statement runs. `widened` holds each leaf in the type that updates of it are accumulated in.
  Storage& shadow(TensorId tensor, bool widened);
  /// The plan buffer that holds `part`, made now if need be.
  uint32_t buffer(Storage& storage, uint32_t part);
  /// A one-byte flag of the plan.
  uint32_t add_flag(const std::string& name);
  /// `count` elements of workspace that belong to no tensor.
  uint32_t add_workspace(const std::string& name, const RecordType& element, ExprId count);

  /// Is this the name of a buffer or of a possible parameter of kernels?
  bool is_name(const std::string& name) const { return names_.contains(name); }
  /// A register of some kernel has this name: no later buffer gets it.
  void avoid(const std::string& name) { registers_.insert(name); }

  const tir::Function& function() const { return function_; }
  loop::Program& program() { return program_; }
  ExprArena& arena() { return program_.arena; }

 private:
  Storage store(TensorId id);
  std::string unique(const std::string& wish);
  void name_parts(const std::string& name, const RecordType& element, Storage& storage);
  SymbolId add_symbol(const std::string& name);
  void set_strides(TensorId id, Storage& storage);
  ExprId actual_extent(TensorId id, uint32_t axis);
  void add_parameter_buffers(TensorId id);
  std::vector<std::byte> constant_bytes(TensorId id) const;

  const tir::Function& function_;
  loop::Program& program_;
  std::deque<Storage> tensors_;
  std::map<std::pair<TensorId, bool>, Storage> shadows_;
  std::map<std::pair<TensorId, uint32_t>, ExprId> extents_;
  std::unordered_set<std::string> names_, registers_;
};

/// `text` with everything that cannot stand in an identifier replaced by `_`.
std::string identifier(std::string_view text);

/// i8, i16, u8, u16 and bool accumulate in 32 bits, f16, bf16 and f8 in f32, all others in
/// themselves.
ScalarType accumulation_type(ScalarType type);

}  // namespace cdsl::lowering
