#include "passes/predict/predict.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "dsl/expr/print.h"
#include "dsl/expr/walk.h"
#include "dsl/loop/shared_layout.h"
#include "dsl/machine/memory.h"
#include "passes/predict/call_walk.h"
#include "passes/predict/registers.h"

namespace cdsl::predicting {
namespace {

/// Adds `weight` launches of `from` to the sums in `to`.
void add(LaunchCount& to, const LaunchCount& from, double weight) {
  const auto same_site = [](const AccessCount& a, const AccessCount& b) {
    return a.buffer == b.buffer && a.leaf == b.leaf && a.kind == b.kind && a.where == b.where && a.width_bytes == b.width_bytes;
  };
  for (const AccessCount& count : from.accesses) {
    auto found = std::find_if(to.accesses.begin(), to.accesses.end(), [&](const AccessCount& a) { return same_site(a, count); });
    if (found == to.accesses.end()) {
      AccessCount empty = count;
      empty.requests = empty.lanes = empty.sectors = empty.ideal_sectors = empty.lines = 0;
      empty.wavefronts = empty.ideal_wavefronts = empty.passes = 0;
      found = to.accesses.insert(to.accesses.end(), empty);
    }
    found->requests += weight * count.requests;
    found->lanes += weight * count.lanes;
    found->sectors += weight * count.sectors;
    found->ideal_sectors += weight * count.ideal_sectors;
    found->lines += weight * count.lines;
    found->wavefronts += weight * count.wavefronts;
    found->ideal_wavefronts += weight * count.ideal_wavefronts;
    found->passes += weight * count.passes;
    found->bank_degree = std::max(found->bank_degree, count.bank_degree);
    found->exact = found->exact && count.exact;
    found->data_dependent = found->data_dependent || count.data_dependent;
    if (shows_more(count.sample, found->sample)) found->sample = count.sample;
  }
  if (to.buffers.empty()) {
    to.buffers = from.buffers;
    for (BufferCount& buffer : to.buffers)
      buffer.read_sectors = buffer.written_sectors = buffer.read_unique = buffer.written_unique = buffer.l1_share = 0;
  }
  for (std::size_t k = 0; k < from.buffers.size(); ++k) {
    const BufferCount& buffer = from.buffers[k];
    to.buffers[k].l1_share += weight * buffer.read_sectors * buffer.l1_share;      // made a share in the end
    to.buffers[k].read_sectors += weight * buffer.read_sectors;
    to.buffers[k].written_sectors += weight * buffer.written_sectors;
    to.buffers[k].read_unique += weight * buffer.read_unique;
    to.buffers[k].written_unique += weight * buffer.written_unique;
  }
  for (std::size_t k = 0; k < kUnits; ++k) to.lane_ops[k] += weight * from.lane_ops[k];
  for (std::size_t k = 0; k < kMatrixTypes; ++k) to.matrix_flops[k] += weight * from.matrix_flops[k];
  to.flops += weight * from.flops;
  to.barriers += weight * from.barriers;
  to.serial_clocks += weight * from.serial_clocks;
  to.atomic_lanes += weight * from.atomic_lanes;
  if (to.atomics.size() < from.atomics.size()) to.atomics.resize(from.atomics.size());
  for (std::size_t k = 0; k < from.atomics.size(); ++k) {
    AtomicWork& work = to.atomics[k];
    work.place = from.atomics[k].place;
    work.type = from.atomics[k].type;
    work.lanes += weight * from.atomics[k].lanes;
    work.requests += weight * from.atomics[k].requests;
    work.passes += weight * from.atomics[k].passes;
    work.hottest += weight * from.atomics[k].hottest;
  }
  to.exact = to.exact && from.exact;
}

/// Sums over launches become means.
void average(LaunchCount& count, double launches) {
  LaunchCount mean;
  mean.exact = count.exact;
  const LaunchCount sum = std::move(count);
  add(mean, sum, 1 / launches);
  for (std::size_t k = 0; k < mean.buffers.size(); ++k) {
    const BufferCount& from = sum.buffers[k];
    mean.buffers[k].l1_share = from.read_sectors == 0 ? 1 : from.l1_share / from.read_sectors;
  }
  count = std::move(mean);
}

class Predictor {
 public:
  Predictor(const tir::Function& function, const loop::Program& program, const PredictOptions& options)
      : function_(function), program_(program), options_(options), arch_(*options.architecture) {}

  FunctionPrediction run(const tir::Bindings& bindings) {
    FunctionPrediction result;
    CallWalk walk(function_, program_, bindings);
    if (!walk.missing().empty()) {
      result.missing = walk.missing();
      return result;
    }
    result.variant = walk.variant().name;
    result.assumed = walk.assumed();
    for (uint32_t k = 0; k < program_.kernels.size(); ++k) resources_.push_back(resources_of(k));
    const auto shape = [&](uint32_t kernel) { return shape_of(kernel); };
    walk.run(shape, options_.budget <= 0, [&](const plan::Launch& launch, LaunchInput input, double weight) {
      add_launch(launch, std::move(input), weight);
    });
    for (auto& [kernel, sum] : sums_) result.kernels.push_back(finished(kernel, sum));
    std::sort(result.kernels.begin(), result.kernels.end(), [&](const auto& a, const auto& b) {
      return sums_.at(a.kernel).order < sums_.at(b.kernel).order;
    });
    result.fill_bytes = walk.fill_bytes();
    result.copy_bytes = walk.copy_bytes();
    result.missing = walk.missing();
    for (const KernelPrediction& kernel : result.kernels) result.us += kernel.prediction.us;
    return result;
  }

 private:
  struct Sum {
    std::size_t order = 0;
    double launches = 0, grid = 0, rounds = 0;
    LaunchCount count;
    const plan::Launch* first = nullptr;
    std::map<std::size_t, const plan::Buffer*> buffers;      // by place among the kernel's global buffers
  };

  Resources resources_of(uint32_t kernel) const {
    if (kernel < options_.resources.size()) return options_.resources[kernel];
    const RegisterEstimate guess = estimate_registers(program_, program_.kernels[kernel]);
    return {guess.registers, guess.spill_bytes, 0, false};
  }

  CallWalk::Shape shape_of(uint32_t index) const {
    const loop::Kernel& kernel = program_.kernels[index];
    const int threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    const Occupancy resident =
        occupancy(arch_, threads, resources_[index].registers, loop::shared_layout(program_, kernel).bytes);
    const int sms = options_.multiprocessors > 0 ? options_.multiprocessors : arch_.sms;
    const int64_t cluster = int64_t{kernel.cluster[0]} * kernel.cluster[1] * kernel.cluster[2];
    const int64_t fit = int64_t{std::max(resident.blocks, 1)} * sms;
    return {threads, std::max<int64_t>(fit / cluster, 1) * cluster, cluster};
  }

  void add_launch(const plan::Launch& launch, LaunchInput input, double weight) {
    const auto [found, is_new] = sums_.try_emplace(launch.kernel);
    Sum& sum = found->second;
    if (is_new) {
      sum.order = sums_.size();
      sum.first = &launch;
      std::size_t place = 0;
      for (const plan::Argument& argument : launch.arguments) {
        if (const auto* ref = std::get_if<plan::BufferRef>(&argument.value))
          sum.buffers[place++] = &program_.plan.buffers[ref->buffer];
      }
    }
    sum.launches += weight;
    sum.grid += weight * static_cast<double>(input.grid);
    sum.rounds += weight * std::max(1.0, input.rounds);
    add(sum.count, counted(launch.kernel, input), weight);
  }

  /// Launches with the same arguments do the same.
  const LaunchCount& counted(uint32_t kernel, const LaunchInput& input) {
    std::vector<int64_t> key = {kernel, input.grid};
    for (const int64_t bytes : input.buffer_bytes) key.push_back(bytes);
    for (const auto& [value, known] : input.scalars) {
      key.push_back(known ? 1 : 0);
      key.push_back(value.i);
    }
    for (const LaunchInput::Map& map : input.maps) key.insert(key.end(), map.extents.begin(), map.extents.end());
    const auto found = counts_.find(key);
    if (found != counts_.end()) return found->second;
    constexpr double kBlocksOfOne = 4;   // about: of a multiprocessor
    TraceOptions options{arch_.latency.l2, arch_.sms * kBlocksOfOne, options_.budget, options_.as_written};
    return counts_.emplace(std::move(key), trace(input, options)).first->second;
  }

  std::string tensor_of(const Sum& sum, const loop::Kernel& kernel, BufferId id) const {
    const loop::Buffer& buffer = program_.buffer(id);
    if (buffer.space != loop::Space::Global) return buffer.name;
    std::size_t place = 0;
    for (const BufferId other : kernel.buffers) {
      if (other == id) break;
      if (program_.buffer(other).space == loop::Space::Global) ++place;
    }
    const auto found = sum.buffers.find(place);
    if (found == sum.buffers.end()) return buffer.name;
    const plan::Buffer& memory = *found->second;
    return memory.kind == plan::Buffer::Kind::Parameter ? function_.tensor(memory.tensor).name : memory.name;
  }

  std::string grid_rule(const plan::Grid& grid, int threads) const {
    ExprNames names;
    names.bounds = false;
    const auto text = [&](ExprId id) { return to_string(program_.plan.arena, id, names); };
    if (grid.blocks.valid()) return fmt::format("{} blocks{}", text(grid.blocks), grid.resident ? ", all resident" : "");
    if (grid.tiles.valid()) return fmt::format("min({}, resident), a tile at a time", text(grid.tiles));
    return fmt::format("min(ceil({} / {}), resident), grid-stride", text(grid.items), threads);
  }

  KernelPrediction finished(uint32_t index, Sum& sum) {
    const loop::Kernel& kernel = program_.kernels[index];
    average(sum.count, sum.launches);
    KernelPrediction made;
    made.kernel = index;
    made.name = kernel.name;
    std::copy(std::begin(kernel.block), std::end(kernel.block), std::begin(made.block));
    made.cluster = kernel.cluster[0] * kernel.cluster[1] * kernel.cluster[2];
    made.grid = sum.grid / sum.launches;
    made.launches = sum.launches;
    made.resources = resources_[index];
    made.shared_bytes = loop::shared_layout(program_, kernel).bytes;
    const int threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    made.grid_rule = grid_rule(sum.first->grid, threads);
    made.where = kernel.where;
    const LaunchCount& count = sum.count;
    for (const AccessCount& access : count.accesses) {
      Access named;
      static_cast<AccessCount&>(named) = access;
      named.tensor = tensor_of(sum, kernel, access.buffer);
      named.field = program_.buffer(access.buffer).element.leaves[access.leaf].path;
      made.accesses.push_back(std::move(named));
    }
    made.flops = count.flops;
    made.barriers = count.barriers;
    made.atomics = count.atomic_lanes;
    made.exact = count.exact;
    fill_work(made, sum, threads);
    made.prediction = cdsl::predict(arch_, made.work);
    return made;
  }

  void fill_work(KernelPrediction& made, const Sum& sum, int threads) {
    const LaunchCount& count = sum.count;
    KernelWork& work = made.work;
    work.block = threads;
    work.registers = made.resources.registers;
    work.shared_bytes = made.shared_bytes;
    work.cluster = made.cluster;
    work.grid = std::max<int64_t>(1, static_cast<int64_t>(made.grid + 0.5));
    work.launches = std::max<int64_t>(1, static_cast<int64_t>(made.launches + 0.5));
    work.lane_ops = count.lane_ops;
    work.matrix_flops = count.matrix_flops;
    work.atomics = count.atomics;
    work.barriers_passed = count.barriers;
    work.serial_clocks = count.serial_clocks;
    work.bytes_in_flight = bytes_in_flight(program_, program_.kernels[made.kernel]);
    for (const AccessCount& access : count.accesses) {
      work.l1_wavefronts += access.lines;
      work.shared_wavefronts += access.wavefronts;
    }
    // What resident blocks touch in one round competes for the L2.
    const double resident = static_cast<double>(shape_of(made.kernel).resident_blocks);
    const double wave = std::min(1.0, resident / std::max(1.0, made.grid)) / (sum.rounds / sum.launches);
    double working_set = 0;
    for (const BufferCount& buffer : count.buffers)
      working_set += std::min(buffer.read_unique, wave * buffer.read_sectors * buffer.l1_share * kSectorBytes);
    for (const BufferCount& buffer : count.buffers) {
      const double l2_reads = buffer.read_sectors * buffer.l1_share * kSectorBytes;
      const double written = buffer.written_sectors * kSectorBytes;
      work.sectors += l2_reads / kSectorBytes + buffer.written_sectors;
      work.dram_read_bytes += cdsl::dram_bytes(arch_, buffer.read_unique, std::max(l2_reads, buffer.read_unique), working_set);
      work.dram_write_bytes += cdsl::dram_bytes(arch_, buffer.written_unique, std::max(written, buffer.written_unique), working_set);
      Traffic traffic;
      traffic.tensor = tensor_of(sum, program_.kernels[made.kernel], buffer.buffer);
      traffic.read_bytes = buffer.read_sectors * kSectorBytes;
      traffic.written_bytes = written;
      traffic.l2_read_bytes = l2_reads;
      traffic.unique_read_bytes = buffer.read_unique;
      traffic.unique_written_bytes = buffer.written_unique;
      made.traffic.push_back(std::move(traffic));
    }
    made.dram_bytes = work.dram_read_bytes + work.dram_write_bytes;
    made.l2_bytes = work.sectors * kSectorBytes;
  }

  const tir::Function& function_;
  const loop::Program& program_;
  const PredictOptions& options_;
  const Architecture& arch_;
  std::vector<Resources> resources_;
  std::map<uint32_t, Sum> sums_;
  std::map<std::vector<int64_t>, LaunchCount> counts_;
};

}  // namespace

double Access::transferred_bytes() const {
  return is_shared(kind) ? wavefronts * kBanks * kBankBytes : sectors * kSectorBytes;
}

double FunctionPrediction::bytes() const {
  double sum = fill_bytes + 2 * copy_bytes;
  for (const KernelPrediction& kernel : kernels) sum += kernel.launches * kernel.dram_bytes;
  return sum;
}

double FunctionPrediction::flops() const {
  double sum = 0;
  for (const KernelPrediction& kernel : kernels) sum += kernel.launches * kernel.flops;
  return sum;
}

std::vector<std::string> missing_values(const tir::Function& function, const loop::Program& program,
                                        const tir::Bindings& bindings) {
  return CallWalk(function, program, bindings).missing();
}

FunctionPrediction predict(const tir::Function& function, const loop::Program& program,
                           const tir::Bindings& bindings, const PredictOptions& options) {
  return Predictor(function, program, options).run(bindings);
}

}  // namespace cdsl::predicting
