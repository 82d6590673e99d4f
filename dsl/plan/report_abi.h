// The memory in which kernels leave run-time reports (an index outside its tensor, an empty
// arg-reduction).
//
// A kernel whose body holds a Report statement takes one parameter more than its Launch lists, the
// last: a pointer to `Program::sites.size()` records in device memory, or null for no reports. Site
// k writes record k. The host zeroes the records before a launch; afterwards a record with count >
// 0 says that its site reported `count` times, and `value` is that of the first report. Kernel,
// line and meaning of a site stand in Program::sites.
#pragma once

#include <cstdint>

namespace cdsl::plan {

struct ReportRecord {
  uint64_t count = 0;
  int64_t value = 0;
};
static_assert(sizeof(ReportRecord) == 16);

}  // namespace cdsl::plan
