#include "codegen/matrix_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "codegen/types.h"
#include "dsl/support/check.h"

namespace cdsl::cuda {
namespace {

/// The type as PTX's matrix instructions and reductions spell it.
std::string ptx_type(ScalarType type, bool tf32 = false) {
  switch (type) {
    case ScalarType::F16: return "f16";
    case ScalarType::BF16: return "bf16";
    case ScalarType::F32: return tf32 ? "tf32" : "f32";
    case ScalarType::F64: return "f64";
    case ScalarType::F8E4M3: return "e4m3";
    case ScalarType::F8E5M2: return "e5m2";
    case ScalarType::I8: return "s8";
    case ScalarType::U8: return "u8";
    case ScalarType::I32: return "s32";
    case ScalarType::U32: return "u32";
    case ScalarType::U64: return "u64";
    default: CDSL_UNREACHABLE("a type without matrix instructions");
  }
}

/// "%3, %4, %5": operands of an asm statement.
std::string numbers(int first, int count) {
  std::string out;
  for (int k = first; k < first + count; ++k)
    out += fmt::format("{}%{}", k == first ? "" : ", ", k);
  return out;
}

std::string joined(const std::vector<std::string>& items) {
  std::string out;
  for (const std::string& item : items) out += (out.empty() ? "" : ", ") + item;
  return out;
}

/// The asm constraints of an operand that is read: f64 registers as they are, everything else as
/// 32-bit words.
std::vector<std::string> inputs(const MatrixOperand& operand, const std::string& name) {
  std::vector<std::string> out;
  const auto packed = static_cast<std::size_t>(std::max(4 / size_of(operand.type), 1));
  for (std::size_t k = 0; k < operand.offsets.size(); k += packed) {
    out.push_back(operand.type == ScalarType::F64
                      ? fmt::format("\"d\"({}[{}])", name, operand.offsets[k])
                      : fmt::format("\"r\"(word_of({} + {}))", name, operand.offsets[k]));
  }
  return out;
}

/// Those of an accumulator, read and written in place.
std::vector<std::string> accumulators(const MatrixOperand& operand, const std::string& name) {
  const char* constraint = operand.type == ScalarType::F64   ? "+d"
                           : operand.type == ScalarType::F32 ? "+f"
                                                             : "+r";
  std::vector<std::string> out;
  for (const int offset : operand.offsets)
    out.push_back(fmt::format("\"{}\"({}[{}])", constraint, name, offset));
  return out;
}

/// The words of a fragment that matrix_load and matrix_store move.
std::vector<int> words_of(const MatrixOperand& registers) {
  std::vector<int> out;
  const auto packed = static_cast<std::size_t>(4 / size_of(registers.type));
  for (std::size_t k = 0; k < registers.offsets.size(); k += packed)
    out.push_back(registers.offsets[k]);
  return out;
}

std::string shape_text(loop::MatrixShape s) {
  return fmt::format("m{}n{}k{}", s.m, s.n, s.k);
}

/// Operands of a long list, eight a line.
std::string wrapped(const std::vector<std::string>& items, const std::string& indent) {
  std::string out;
  for (std::size_t k = 0; k < items.size(); ++k)
    out += (k == 0 ? "" : k % 8 == 0 ? ",\n" + indent : ", ") + items[k];
  return out;
}

}  // namespace

MatrixText matrix_load_text(int count, bool transposed, const MatrixOperand& registers) {
  const std::vector<int> words = words_of(registers);
  std::string sets;
  std::vector<std::string> outputs;
  for (std::size_t k = 0; k < words.size(); ++k) {
    outputs.push_back(fmt::format("\"=r\"(w[{}])", k));
    sets += fmt::format("  set_word(to + {}, w[{}]);\n", words[k], k);
  }
  const std::string type(cuda_type(registers.type));
  return {
      fmt::format("matrix_load_x{}{}_{}", count, transposed ? "_transposed" : "",
                  name_of(registers.type)),
      fmt::format(R"(// Loads {0} tile{1} of 8 rows of 16 bytes{2}, a row from each lane's address.
$D void $N({3}* to, const void* from) {{
  unsigned int w[{0}];
  asm volatile("ldmatrix.sync.aligned.m8n8.x{0}{4}.shared.b16 {{{5}}}, [%{0}];"
               : {6}
               : "r"(shared_address(from)) : "memory");
{7}}}
)",
                  count, count == 1 ? "" : "s", transposed ? ", transposed" : "", type,
                  transposed ? ".trans" : "", numbers(0, count), joined(outputs), sets)};
}

MatrixText matrix_store_text(int count, bool transposed, const MatrixOperand& registers) {
  std::vector<std::string> values;
  for (const int offset : words_of(registers))
    values.push_back(fmt::format("\"r\"(word_of(from + {}))", offset));
  return {
      fmt::format("matrix_store_x{}{}_{}", count, transposed ? "_transposed" : "",
                  name_of(registers.type)),
      fmt::format(R"(// Stores {0} tile{1} of 8 rows of 16 bytes{2}, a row to each lane's address.
$D void $N(void* to, const {3}* from) {{
  asm volatile("stmatrix.sync.aligned.m8n8.x{0}{4}.shared.b16 [%0], {{{5}}};" ::"r"(shared_address(to)),
               {6} : "memory");
}}
)",
                  count, count == 1 ? "" : "s", transposed ? ", transposed" : "",
                  cuda_type(registers.type), transposed ? ".trans" : "", numbers(1, count),
                  joined(values))};
}

MatrixText mma_text(loop::MatrixShape shape, const MatrixOperand& d, const MatrixOperand& a,
                    const MatrixOperand& b, bool tf32) {
  const std::vector<std::string> sums = accumulators(d, "d"), left = inputs(a, "a"),
                                 right = inputs(b, "b");
  const int ds = static_cast<int>(sums.size()), as = static_cast<int>(left.size()),
            bs = static_cast<int>(right.size());
  const std::string a_type = ptx_type(a.type, tf32), b_type = ptx_type(b.type, tf32),
                    d_type = ptx_type(d.type);
  const std::string types = a_type == b_type ? a_type : a_type + "_" + b_type;
  return {fmt::format("mma_{}_{}_{}", shape_text(shape), d_type, types),
          fmt::format(R"(// d += a * b by one warp.
$D void $N({0}* d, const {1}* a, const {2}* b) {{
  asm volatile("mma.sync.aligned.{3}.row.col.{4}.{5}.{6}.{4} {{{7}}}, {{{8}}}, {{{9}}}, {{{7}}};"
               : {10}
               : {11},
                 {12});
}}
)",
                      cuda_type(d.type), cuda_type(a.type), cuda_type(b.type), shape_text(shape),
                      d_type, a_type, b_type, numbers(0, ds), numbers(ds, as), numbers(ds + as, bs),
                      joined(sums), joined(left), joined(right))};
}

MatrixText wgmma_text(loop::MatrixShape shape, const WarpgroupOperands& o) {
  const std::vector<std::string> sums = accumulators(o.d, "d");
  const int ds = static_cast<int>(sums.size());
  const bool by_registers = !o.a.offsets.empty();
  const std::vector<std::string> left =
      by_registers ? inputs(o.a, "a") : std::vector<std::string>{"\"l\"(a)"};
  const int as = static_cast<int>(left.size());
  const std::string a_type = ptx_type(o.a_type, o.tf32), b_type = ptx_type(o.b_type, o.tf32);
  std::string majors;  // 16-bit operands may have the contracted index in the other place
  if (size_of(o.a_type) == 2) {
    if (!by_registers) majors += o.a_transposed ? ", 1" : ", 0";
    majors += o.b_transposed ? ", 1" : ", 0";
  }
  std::string names;
  for (int k = 0; k < ds; ++k)
    names += fmt::format("{}%{}", k == 0 ? "" : k % 16 == 0 ? ", \"\n      \"" : ", ", k);
  const std::string a_names = by_registers ? "{" + numbers(ds, as) + "}" : numbers(ds, 1);
  const std::string types = a_type == b_type ? a_type : a_type + "_" + b_type;
  const std::string stem =
      fmt::format("wgmma_{}_{}{}", shape_text(shape), types, by_registers ? "_registers" : "");
  const std::string a_parameter = by_registers ? fmt::format("const {}* a", cuda_type(o.a_type))
                                               : std::string("unsigned long long a");
  return {stem, fmt::format(R"(// d = a * b (+ d) by one warpgroup, in the background.
$D void $N(float* d, {0}, unsigned long long b, bool accumulate) {{
  asm volatile(
      "{{ .reg .pred add; setp.ne.b32 add, %{1}, 0;\n\t"
      "wgmma.mma_async.sync.aligned.{2}.f32.{3}.{4} {{"
      "{5}"
      "}}, {6}, %{7}, add, 1, 1{8}; }}"
      : {9}
      : {10}, "l"(b), "r"((int)accumulate));
}}
)",
                            a_parameter, ds + as + 1, shape_text(shape), a_type, b_type, names,
                            a_names, ds + as, majors, wrapped(sums, "        "), joined(left))};
}

MatrixText copy_box_text(int axes, bool multicast) {
  std::string parameters, coordinates, values;
  const int first = multicast ? 4 : 3;
  for (int k = 0; k < axes; ++k) {
    parameters += fmt::format(", int x{}", k);
    coordinates += fmt::format("{}%{}", k == 0 ? "" : ", ", first + k);
    values += fmt::format(", \"r\"(x{})", k);
  }
  return {fmt::format("copy_box_{}d{}", axes, multicast ? "_multicast" : ""),
          fmt::format(R"(// Copies a box to shared memory{0}; its bytes count at the barrier{1}.
$D void $N(void* to, const TensorMap* map, unsigned long long* barrier{2}{3}) {{
  asm volatile(
      "cp.async.bulk.tensor.{4}d.shared::cluster.global.mbarrier::complete_tx::bytes{5} "
      "[%0], [%1, {{{6}}}], [%2]{7};" ::"r"(shared_address(to)),
      "l"(map), "r"(shared_address(barrier)){8}{9} : "memory");
}}
)",
                      multicast ? " of the blocks `ranks`" : "", multicast ? " of each" : "",
                      multicast ? ", unsigned short ranks" : "", parameters, axes,
                      multicast ? ".multicast::cluster" : "", coordinates, multicast ? ", %3" : "",
                      multicast ? ", \"h\"(ranks)" : "", values)};
}

MatrixText store_box_text(int axes) {
  std::string parameters, coordinates, values;
  for (int k = 0; k < axes; ++k) {
    parameters += fmt::format(", int x{}", k);
    coordinates += fmt::format("{}%{}", k == 0 ? "" : ", ", 2 + k);
    values += fmt::format(", \"r\"(x{})", k);
  }
  return {fmt::format("store_box_{}d", axes), fmt::format(R"(// Copies a box from shared memory.
$D void $N(const TensorMap* map, const void* from{0}) {{
  asm volatile("cp.async.bulk.tensor.{1}d.global.shared::cta.bulk_group [%0, {{{2}}}], [%1];" ::"l"(map),
               "r"(shared_address(from)){3} : "memory");
}}
)",
                                                          parameters, axes, coordinates, values)};
}

MatrixText add_bulk_text(ScalarType type) {
  const bool narrow = type == ScalarType::F16 || type == ScalarType::BF16;
  return {fmt::format("add_bulk_{}", name_of(type)),
          fmt::format(R"(// Adds elements of shared memory to global memory.
$D void $N({0}* to, const {0}* from, int bytes) {{
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add{1}.{2} [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes) : "memory");
}}
)",
                      cuda_type(type), narrow ? ".noftz" : "", ptx_type(type))};
}

}  // namespace cdsl::cuda
