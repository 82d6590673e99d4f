#include "passes/decide/layout.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "dsl/expr/walk.h"
#include "dsl/machine/memory.h"
#include "passes/recognize/sizes.h"

namespace cdsl {
namespace {

// Fields of each tensor that the function reads or writes.
class Fields {
 public:
  explicit Fields(const tir::Function& function) : function_(function) { block(function.body); }
  std::set<uint32_t> of(TensorId tensor) const {
    std::set<uint32_t> leaves;
    for (const auto& [id, leaf] : used_)
      if (id == tensor) leaves.insert(leaf);
    return leaves;
  }

 private:
  void target(const tir::Target& target) {
    used_.insert({target.tensor, target.leaf});
    std::vector<ExprId> roots = target.subscripts;
    roots.push_back(target.value);
    for (ExprId id : postorder(function_.arena, roots))
      if (const auto* read = function_.arena.get_if<Read>(id)) used_.insert({read->tensor, read->leaf});
  }
  void block(const tir::Block& statements) {
    for (const tir::Statement& statement : statements.statements) {
      if (const auto* stage = std::get_if<tir::Stage>(&statement))
        for (const tir::Target& t : stage->targets) target(t);
      if (const auto* scatter = std::get_if<tir::Scatter>(&statement)) target(scatter->target);
      if (const auto* loop = std::get_if<tir::Loop>(&statement)) block(*loop->body);
    }
  }

  const tir::Function& function_;
  std::set<std::pair<TensorId, uint32_t>> used_;
};

// With neighbouring records along the lanes.
double sectors(const RecordType& record, const std::set<uint32_t>& leaves, bool as_records) {
  double sum = 0;
  for (uint32_t leaf : leaves) {
    const int64_t bytes = size_of(record.leaves[leaf].type);
    sum += global_request(LaneStride{as_records ? record.size : bytes, static_cast<int>(std::min<int64_t>(bytes, 16)), 0, kWarpLanes}).sectors;
  }
  return leaves.empty() ? 0 : sum / static_cast<double>(leaves.size());
}

class Layouts {
 public:
  Layouts(tir::Function& function, PassContext& context)
      : function_(function), context_(context), fields_(function), sizes_(function),
        arch_(*find_architecture(find_architecture(context.schedule.architecture) != nullptr ? std::string_view(context.schedule.architecture) : kDefaultArchitecture)) {}

  void run() {
    for (std::size_t k = 0; k < function_.tensors.size(); ++k) {
      tir::Tensor& tensor = function_.tensors[k];
      const RecordType& record = function_.element(TensorId(static_cast<uint32_t>(k)));
      const bool open = tensor.layout.kind == Layout::Kind::Auto;
      if (record.leaves.size() < 2) {
        if (open) tensor.layout = {Layout::Kind::Soa, 0, {}};
        continue;
      }
      if (open || tensor.layout.kind == Layout::Kind::Aos) decide(TensorId(static_cast<uint32_t>(k)), tensor, record, open);
    }
  }

 private:
  void decide(TensorId id, tir::Tensor& tensor, const RecordType& record, bool open) {
    const std::set<uint32_t> leaves = fields_.of(id);
    const double records = sectors(record, leaves, true), arrays = sectors(record, leaves, false);
    const std::string key = tensor.name + ".layout";
    const std::string asked = asked_for(key);
    bool as_arrays = open && arrays <= records;
    if (!asked.empty()) {
      const bool possible = open ? asked == "soa" || asked == "aos" : asked == "direct";
      if (possible) {
        as_arrays = asked == "soa";
        context_.settled.insert(key);
      } else {
        context_.impossible[key] = {asked, open ? "possible: soa, aos" : "the caller owns this memory; declare layout(" + asked + ") or layout(auto) to change it; possible: direct"};
      }
    }
    if (open) tensor.layout = {as_arrays ? Layout::Kind::Soa : Layout::Kind::Aos, 0, {}};
    remark(tensor, record, leaves, records, arrays, open, as_arrays, key);
  }

  std::string asked_for(const std::string& key) const {
    const auto found = context_.schedule.overrides.find(key);
    return found == context_.schedule.overrides.end() ? "" : found->second;
  }

  void remark(const tir::Tensor& tensor, const RecordType& record, const std::set<uint32_t>& leaves, double records, double arrays,
              bool open, bool as_arrays, const std::string& key) {
    const char* chosen = !open ? "direct" : as_arrays ? "soa" : "aos";
    Remark made{"layout", tensor.name, open, chosen, {}, {}, {}, tensor.where, key};
    made.reason = std::to_string(leaves.size()) + " of " + std::to_string(record.leaves.size()) + " fields are used";
    if (!open) made.reason = "the caller laid the records out; " + made.reason;
    made.numbers.push_back({"sectors/request", as_arrays ? arrays : records, ""});
    if (!open) {
      Remark::Alternative other{"soa", "memory of the caller: declare it so, or convert", {{"sectors/request", arrays, ""}}};
      add_break_even(tensor, record, leaves, other);
      if (!leaves.empty() && arrays < records) made.alternatives.push_back(std::move(other));
    } else {
      made.alternatives.push_back({as_arrays ? "aos" : "soa", "more sectors, or as many", {{"sectors/request", as_arrays ? records : arrays, ""}}});
    }
    context_.remarks.push_back(std::move(made));
  }

  // Converting reads and writes all fields once; a use then reads the used ones alone.
  void add_break_even(const tir::Tensor& tensor, const RecordType& record, const std::set<uint32_t>& leaves, Remark::Alternative& other) const {
    double elements = 1, used = 0;
    for (ExprId extent : tensor.shape) elements *= static_cast<double>(std::max<int64_t>(1, sizes_.likely(extent)));
    for (uint32_t leaf : leaves) used += static_cast<double>(size_of(record.leaves[leaf].type));
    const double all = static_cast<double>(record.size);
    const double conversion = elements * all * (1 / arch_.dram_read_gbs + 1 / arch_.dram_write_gbs) * 1e-3;
    const double saved = elements * (all - used) / arch_.dram_read_gbs * 1e-3;
    other.numbers.push_back({"conversion", std::round(conversion * 100) / 100, "us"});
    if (saved > 0) other.numbers.push_back({"break-even uses", std::ceil(conversion / saved), ""});
  }

  tir::Function& function_;
  PassContext& context_;
  Fields fields_;
  deciding::SizeValues sizes_;
  const Architecture& arch_;
};

}  // namespace

tir::Function choose_layouts(tir::Function function, PassContext& context) {
  Layouts(function, context).run();
  return function;
}

}  // namespace cdsl
