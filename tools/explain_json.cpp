#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

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

Object object_of(const Source& source, const Access& a) {
  const bool shared = predicting::is_shared(a.kind);
  Object object{{"tensor", text(a.tensor)},
                {"field", text(a.field)},
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
                {"data_dependent", a.data_dependent}};
  if (shared) object["wavefronts_per_request"] = a.requests == 0 ? 0.0 : a.wavefronts / a.requests;
  return object;
}

Object object_of(const Source& source, const KernelPrediction& kernel) {
  const Prediction& p = kernel.prediction;
  Array accesses, traffic;
  for (const Access& access : kernel.accesses) accesses.push_back(object_of(source, access));
  for (const predicting::Traffic& t : kernel.traffic) {
    traffic.push_back(Object{{"tensor", text(t.tensor)},
                             {"read_bytes", t.read_bytes},
                             {"l2_read_bytes", t.l2_read_bytes},
                             {"unique_read_bytes", t.unique_read_bytes},
                             {"written_bytes", t.written_bytes},
                             {"unique_written_bytes", t.unique_written_bytes}});
  }
  Object roofs;
  for (std::size_t k = 0; k < kBounds; ++k) roofs[text(cdsl::name_of(static_cast<Bound>(k)))] = p.roofs[k];
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
                {"waves", p.waves.waves},
                {"tail_efficiency", p.waves.tail_efficiency},
                {"bytes", kernel.dram_bytes},
                {"l2_bytes", kernel.l2_bytes},
                {"flops", kernel.flops},
                {"barriers", kernel.barriers},
                {"atomics", kernel.atomics},
                {"roofline_us", p.us},
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
  Array kernels, decisions, assumed;
  for (const KernelPrediction& kernel : prediction.kernels) kernels.push_back(object_of(source, kernel));
  for (const Remark& remark : unit.remarks) decisions.push_back(object_of(source, remark));
  for (const std::string& guard : prediction.assumed) assumed.push_back(text(guard));
  Object sizes;
  for (const auto& [name, value] : explanation.sizes) sizes[name] = value;
  Object whole{{"function", text(unit.function.name)},
               {"architecture", text(session.settings.compile.architecture)},
               {"sizes", std::move(sizes)},
               {"variant", text(prediction.variant)},
               {"assumed", std::move(assumed)},
               {"measured", explanation.measured},
               {"bytes", prediction.bytes()},
               {"flops", prediction.flops()},
               {"roofline_us", prediction.us},
               {"kernels", std::move(kernels)},
               {"decisions", std::move(decisions)}};
  std::string out;
  llvm::raw_string_ostream(out) << llvm::formatv("{0:2}", llvm::json::Value(std::move(whole)));
  return out;
}

}  // namespace cdsl::tools
