#include "api/bench.h"

#include <fmt/format.h>

#include "api/test_data.h"
#include "runtime/prepared_call.h"

namespace cdsl {

double Benchmark::gigabytes_per_second(double microseconds) const {
  return microseconds > 0 ? static_cast<double>(read_bytes + written_bytes) / microseconds / 1e3 : 0;
}

double Benchmark::gigaflop_per_second(double microseconds) const { return microseconds > 0 ? work.flop / microseconds / 1e3 : 0; }

Result<Benchmark> bench(const tir::Function& reference, const Compiled& compiled, runtime::Device& device,
                        const BenchOptions& options) {
  const auto made = make_arguments(reference, options.given, options.sizes,
                                   {DataOptions::Kind::Random, options.seed, false, false});
  if (!made) return Failure{made.message()};
  if (!made->illegal.empty()) return Failure{fmt::format("no legal launch: {}", made->illegal)};

  const plan::Plan& plan = compiled.program.plan;
  runtime::PreparedCall call(compiled.function, plan, made->arguments, device);
  if (!call.errors().empty()) return Failure{fmt::format("no legal launch: {}", call.errors()[0].message)};

  Benchmark result;
  result.device = device.name();
  result.variant = plan.variants[call.variant()].name;
  for (const tir::Size& size : compiled.function.sizes) {
    if (const auto found = call.bindings().find(size.symbol); found != call.bindings().end())
      result.sizes[compiled.function.arena.symbol(size.symbol).name] = found->second.i;
  }
  result.read_bytes = call.given_bytes();
  result.written_bytes = call.result_bytes();
  result.work = count_work(reference, tir::bind(reference, made->arguments).bindings);
  result.timed = options.timed;
  for (int k = 0; k < options.rehearsals; ++k) call.run();
  if (options.rehearsals > 0) device.take_reports();   // waits
  if (options.rehearsed) options.rehearsed();
  if (options.timed) result.timing = runtime::time_call(call, device, options.timing);
  return result;
}

}  // namespace cdsl
