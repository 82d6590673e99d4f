// Executes a Plan on a device: memory for parameters and workspace, then the steps of the first
// variant whose guards hold, in order.
//
// Guarantees: arguments are checked before anything runs (tir::bind); with errors nothing was
// written. Outputs start poisoned, so that an element that no kernel writes is seen. All memory is
// released when `execute` returns or throws.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "dsl/loop/program.h"
#include "dsl/plan/plan.h"
#include "dsl/tensor/array.h"
#include "dsl/tensor/bind.h"
#include "runtime/device.h"

namespace cdsl::runtime {

struct ExecuteOptions {
  /// Every byte of outputs and workspace before the call. 0xFF makes NaN of floats and -1 of
  /// integers.
  std::byte poison{0xFF};
  /// Elements left free along each axis of `strided` arguments, so that strides are not those of a
  /// dense tensor.
  int64_t stride_gap = 0;
  /// Arguments start one alignment of their elements after a multiple of 256: where no wider access may begin.
  bool off_alignment = false;
  /// Variants before this one are passed over.
  std::size_t first_variant = 0;
  /// Besides those of the variants: nothing runs where one does not hold.
  std::span<const plan::Guard> guards = {};
};

/// A report of a kernel, in words for the caller.
struct Report {
  std::string kernel;
  std::string message;  // "x[target[n]], axis 1 of x: index 7 lies outside, read as 0"
  SourceRange where;
  int64_t value = 0;  // of the first
  uint64_t count = 0;
};

struct Execution {
  std::map<std::string, Array> outputs;  // outputs and inouts, by name
  std::vector<tir::LaunchError> errors;  // launch errors: nothing ran
  std::vector<Report> reports;
  std::vector<Fault> faults;
  std::size_t variant = 0;  // which one ran; the count of variants: none, for `ExecuteOptions::guards`
};

/// One call of `function`, lowered to `plan`, whose kernels `device` holds. Throws runtime::Error.
Execution execute(const tir::Function& function, const plan::Plan& plan,
                  const std::vector<loop::ReportSite>& sites, const Arguments& arguments,
                  Device& device, const ExecuteOptions& options = {});

/// "race in kernel f_y: ..."; without a kernel where the device cannot tell it.
std::string describe(const Fault& fault);

/// What a report says: the site and the first value.
std::string describe(const loop::ReportSite& site, int64_t value);

}  // namespace cdsl::runtime
