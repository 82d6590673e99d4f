#include "runtime/timeline.h"

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace cdsl::runtime {

void Timeline::add(Track track, std::string name, double start, double microseconds) {
  if (is_recording()) spans_.push_back({track, std::move(name), start, microseconds});
}

std::string Timeline::json() const {
  using llvm::json::Object;
  llvm::json::Array events;
  for (const auto& [track, name] : {std::pair{Track::Host, "host"}, std::pair{Track::Device, "device"}}) {
    events.push_back(Object{{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", static_cast<int>(track)},
                            {"args", Object{{"name", name}}}});
  }
  for (const Span& span : spans_) {
    events.push_back(Object{{"name", llvm::json::fixUTF8(span.name)}, {"ph", "X"}, {"pid", 1}, {"tid", static_cast<int>(span.track)},
                            {"ts", span.start}, {"dur", span.microseconds}});
  }
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(Object{{"displayTimeUnit", "ns"}, {"traceEvents", std::move(events)}}) << '\n';
  return text;
}

}  // namespace cdsl::runtime
