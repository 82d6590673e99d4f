#include "tests/random/text_device.h"

#include "runtime/error.h"
#include "batch.h"   // of tests/emulated

namespace cdsl::random {
namespace {

class TextSource final : public DeviceSource {
 public:
  TextSource() : batch_({.jobs = 1}) {}

  std::size_t add(const Source& source, const Compiled& compiled, const CompileOptions& options) override {
    return batch_.add(source, compiled, options);
  }
  void build() override { batch_.build(); }
  std::unique_ptr<runtime::Device> device(std::size_t unit, bool small, uint64_t seed) override {
    if (!batch_.problem(unit).empty()) throw runtime::Error("g++", "no kernels", batch_.problem(unit));
    return batch_.device(unit, small, seed);
  }

 private:
  emulation::Batch batch_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_text_source() { return std::make_unique<TextSource>(); }

}  // namespace cdsl::random
