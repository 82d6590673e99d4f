#include <climits>
#include <cmath>

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include "dsl/machine/memory.h"
#include "dsl/machine/occupancy.h"
#include "tools/explain.h"

namespace cdsl::tools {
namespace {

using llvm::json::Array;
using llvm::json::Object;
using predicting::Access;
using predicting::KernelPrediction;

std::string text(std::string_view s) {
  return llvm::json::fixUTF8(llvm::StringRef(s.data(), s.size()));
}

/// Infinite times of what does not fit are no JSON.
llvm::json::Value finite(double value) {
  return std::isfinite(value) ? llvm::json::Value(value) : llvm::json::Value(nullptr);
}

/// Lanes of one request, for pictures: bytes from the start of the buffer, null for a lane that is not active.
llvm::json::Value value_of(const Access& a) {
  const predicting::RequestSample& sample = a.sample;
  if (sample.mask == 0) return nullptr;
  Array lanes;
  for (std::size_t lane = 0; lane < kWarpLanes; ++lane)
    lanes.push_back((sample.mask >> lane & 1) != 0 ? llvm::json::Value(sample.address[lane]) : llvm::json::Value(nullptr));
  Object object{{"lanes", std::move(lanes)}, {"shifted", sample.shifted}};
  if (predicting::is_shared(a.kind)) {
    object["wavefronts"] = sample.wavefronts;
    object["degree"] = sample.degree;
  } else {
    object["sectors"] = sample.sectors;
    object["ideal_sectors"] = sample.ideal_sectors;
  }
  return object;
}

/// [line, column] of both ends, columns from 0 and in bytes.
llvm::json::Value value_of(const Source& source, SourceRange range) {
  if (!range.valid()) return nullptr;
  const auto begin = source.files.line_column(range.file, range.begin), end = source.files.line_column(range.file, range.end);
  return Object{{"file", range.file},
                {"begin", Array{begin.line, range.begin - source.files.line_range(range.file, begin.line).begin}},
                {"end", Array{end.line, range.end - source.files.line_range(range.file, end.line).begin}}};
}

Object object_of(const Source& source, const loop::Program& program, const Access& a) {
  const bool shared = predicting::is_shared(a.kind);
  Object object{{"tensor", text(a.tensor)},
                {"field", text(a.field)},
                {"buffer", text(program.buffer(a.buffer).name)},
                {"text", text(access_text(source, a))},
                {"range", value_of(source, access_range(source, a))},
                {"line", source.locate(a.where).second},
                {"kind", text(predicting::name_of(a.kind))},
                {"width_bytes", a.width_bytes},
                {"sectors_per_request", a.sectors_per_request()},
                {"ideal_sectors", a.ideal_per_request()},
                {"bank_degree", shared ? a.bank_degree : 1},
                {"active_lanes", a.active_lanes()},
                {"requests", a.requests},
                {"requested_bytes", a.requested_bytes()},
                {"transferred_bytes", a.transferred_bytes()},
                {"exact", a.exact},
                {"data_dependent", a.data_dependent},
                {"request", value_of(a)}};
  if (shared) object["wavefronts_per_request"] = a.requests == 0 ? 0.0 : a.wavefronts / a.requests;
  return object;
}

/// Blocks of a multiprocessor that each resource alone would admit.
Object limits_of(const Occupancy& o) {
  const auto count = [](int blocks) { return blocks == INT_MAX ? llvm::json::Value(nullptr) : llvm::json::Value(blocks); };
  return Object{{"warps", count(o.warps_limit)},
                {"blocks", count(o.blocks_limit)},
                {"registers", count(o.registers_limit)},
                {"shared memory", count(o.shared_limit)},
                {"barriers", count(o.barriers_limit)}};
}

/// What the roofs and limits are of. Rates are those that good kernels reach, as the machine model takes them.
Object object_of(const Architecture& arch) {
  const double clocks = arch.clock_ghz * arch.sms;
  Object peaks;
  const auto peak = [&](const char* name, double flops) {
    if (flops > 0) peaks[name] = flops * clocks;
  };
  peak("f32", 2 * arch.rate(Unit::Fp32) * arch.fp32_sustained);
  peak("f64", 2 * arch.rate(Unit::Fp64));
  peak("half2", 4 * arch.rate(Unit::Half2));
  peak("f16 matrix", arch.matrix_rate(Matrix::F16) * arch.matrix_sustained);
  peak("tf32 matrix", arch.matrix_rate(Matrix::Tf32) * arch.matrix_sustained);
  peak("f8 matrix", arch.matrix_rate(Matrix::F8) * arch.matrix_sustained);
  peak("f64 matrix", arch.matrix_rate(Matrix::F64) * arch.matrix_sustained);
  return Object{{"part", text(arch.part)},
                {"sms", arch.sms},
                {"clock_ghz", arch.clock_ghz},
                {"max_warps", arch.max_warps},
                {"max_blocks", arch.max_blocks},
                {"registers", arch.registers},
                {"shared_bytes", arch.shared_bytes},
                {"dram_read_gbs", arch.dram_read_gbs},
                {"dram_write_gbs", arch.dram_write_gbs},
                {"l2_gbs", arch.l2_bytes_per_clock * arch.clock_ghz},
                {"peak_gflops", std::move(peaks)}};
}

Object object_of(const Source& source, const loop::Program& program, const Architecture& arch, const KernelPrediction& kernel) {
  const Prediction& p = kernel.prediction;
  Array accesses, traffic;
  for (const Access& access : kernel.accesses) accesses.push_back(object_of(source, program, access));
  for (const predicting::Traffic& t : kernel.traffic) {
    traffic.push_back(Object{{"tensor", text(t.tensor)},
                             {"read_bytes", t.read_bytes},
                             {"l2_read_bytes", t.l2_read_bytes},
                             {"unique_read_bytes", t.unique_read_bytes},
                             {"written_bytes", t.written_bytes},
                             {"unique_written_bytes", t.unique_written_bytes}});
  }
  const int threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
  Object roofs;
  for (std::size_t k = 0; k < kBounds; ++k) roofs[text(cdsl::name_of(static_cast<Bound>(k)))] = finite(p.roofs[k]);
  return Object{{"name", text(kernel.name)},
                {"line", source.locate(kernel.where).second},
                {"registers", kernel.resources.registers},
                {"registers_measured", kernel.resources.measured},
                {"spill_bytes", kernel.resources.spill_bytes},
                {"stack_bytes", kernel.resources.stack_bytes},
                {"shared_bytes", kernel.shared_bytes},
                {"block", Array{kernel.block[0], kernel.block[1], kernel.block[2]}},
                {"grid", kernel.grid},
                {"grid_rule", text(kernel.grid_rule)},
                {"launches", kernel.launches},
                {"occupancy", p.occupancy.fraction},
                {"limiter", text(p.occupancy.limiter)},
                {"resident_blocks", p.occupancy.blocks},
                {"resident_warps", p.occupancy.warps},
                {"idle_lanes", idle_lanes(threads)},
                {"limits", limits_of(p.occupancy)},
                {"registers_allocated", p.occupancy.registers_block},
                {"shared_allocated", p.occupancy.shared_block},
                {"registers_for_next_block", registers_for(arch, threads, p.occupancy.blocks + 1)},
                {"waves", p.waves.waves},
                {"wave_blocks", p.waves.slots},
                {"tail_efficiency", p.waves.tail_efficiency},
                {"bytes", kernel.dram_bytes},
                {"read_bytes", kernel.work.dram_read_bytes},
                {"written_bytes", kernel.work.dram_write_bytes},
                {"l2_bytes", kernel.l2_bytes},
                {"flops", kernel.flops},
                {"barriers", kernel.barriers},
                {"atomics", kernel.atomics},
                {"roofline_us", finite(p.us)},
                {"bound", text(cdsl::name_of(p.bound))},
                {"roofs_us", std::move(roofs)},
                {"traffic", std::move(traffic)},
                {"accesses", std::move(accesses)}};
}

Array numbers_of(const std::vector<Remark::Number>& numbers) {
  Array array;
  for (const Remark::Number& n : numbers)
    array.push_back(Object{{"name", text(n.name)}, {"value", n.value}, {"unit", text(n.unit)}});
  return array;
}

/// The predicted time among the numbers of an alternative, where it has one.
llvm::json::Value predicted_us(const std::vector<Remark::Number>& numbers) {
  for (const Remark::Number& n : numbers) {
    if (n.unit == "us") return n.value;
  }
  return nullptr;
}

Object object_of(const Source& source, const Remark& remark) {
  Array alternatives;
  for (const Remark::Alternative& other : remark.alternatives) {
    alternatives.push_back(Object{{"choice", text(other.choice)},
                                  {"why_not", text(other.why_not)},
                                  {"predicted_us", predicted_us(other.numbers)},
                                  {"numbers", numbers_of(other.numbers)}});
  }
  Object object{{"pass", text(remark.pass)},     {"site", text(remark.site)},
                {"line", source.locate(remark.where).second},
                {"fired", remark.fired},         {"choice", text(remark.choice)},
                {"reason", text(remark.reason)}, {"predicted_us", predicted_us(remark.numbers)},
                {"numbers", numbers_of(remark.numbers)},
                {"alternatives", std::move(alternatives)}};
  if (!remark.key.empty()) object["key"] = text(remark.key);
  return object;
}

}  // namespace

std::string explanation_json(const Session& session, const Source& source, const Compiled& unit,
                             const Explanation& explanation) {
  const predicting::FunctionPrediction& prediction = explanation.prediction;
  const Architecture& arch = *find_architecture(session.settings.compile.architecture);
  Array kernels, decisions, assumed;
  for (const KernelPrediction& kernel : prediction.kernels)
    kernels.push_back(object_of(source, unit.program, arch, kernel));
  for (const Remark& remark : unit.remarks) decisions.push_back(object_of(source, remark));
  for (const std::string& guard : prediction.assumed) assumed.push_back(text(guard));
  Object sizes;
  for (const auto& [name, value] : explanation.sizes) sizes[name] = value;
  Object whole{{"function", text(unit.function.name)},
               {"architecture", text(session.settings.compile.architecture)},
               {"sizes", std::move(sizes)},
               {"machine", object_of(arch)},
               {"variant", text(prediction.variant)},
               {"variants", unit.program.plan.variants.size()},
               {"assumed", std::move(assumed)},
               {"measured", explanation.measured},
               {"not_measured", text(explanation.not_measured)},
               {"filled_bytes", prediction.fill_bytes},
               {"copied_bytes", prediction.copy_bytes},
               {"bytes", prediction.bytes()},
               {"flops", prediction.flops()},
               {"roofline_us", finite(prediction.us)},
               {"kernels", std::move(kernels)},
               {"decisions", std::move(decisions)}};
  std::string out;
  llvm::raw_string_ostream(out) << llvm::formatv("{0:2}", llvm::json::Value(std::move(whole)));
  return out;
}

}  // namespace cdsl::tools
