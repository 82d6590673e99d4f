// Hiding latency: how many warps, how many independent operations in each, how many bytes on their
// way.
#pragma once

#include <cstdint>

#include "dsl/machine/architectures.h"

namespace cdsl {

/// Warps that keep a pipeline busy: each issues once every `issue_interval` clocks and then waits
/// `latency`. Both in clocks, of one sub-partition.
int warps_needed(double latency, double issue_interval);

/// How a latency is shared between warps and the instruction-level parallelism of each.
struct Hiding {
  int needed = 0;    // warps of a sub-partition without any parallelism inside a warp
  int resident = 0;  // warps of a sub-partition
  int ilp = 0;       // independent operations a warp must then have under way
  double busy = 0;  // share of the pipeline that `resident` warps keep busy with one operation each
};

/// `unit` is the pipeline whose results are waited for, `resident_warps` of a multiprocessor.
Hiding hide_arithmetic(const Architecture& arch, Unit unit, int resident_warps);
/// Clocks between two issues of a warp instruction to `unit` in one sub-partition: 32 / (rate /
/// partitions).
double issue_interval(const Architecture& arch, Unit unit);
/// Clocks from issue to use of a result of `unit`.
double latency_of(const Architecture& arch, Unit unit);

/// Loads of `width` bytes that each of `resident_threads` of a multiprocessor issues before it uses
/// the first, to have Architecture::bytes_in_flight under way; at least 1. H200, 16 bytes: 2 at
/// 2,048 threads, 6 at 512.
int loads_in_flight(const Architecture& arch, int64_t resident_threads, int width);
/// Share of the memory's bandwidth that `bytes` under way in each of `sms` multiprocessors reach.
double bandwidth_share(const Architecture& arch, double bytes, double sms);

}  // namespace cdsl
