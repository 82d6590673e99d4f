// The machine that these tests run on: the fake NVRTC before any real one, and no cache.

#include <cstdlib>

#include <gtest/gtest.h>

namespace {

class Machine : public testing::Environment {
 public:
  void SetUp() override {
    setenv("CUDA_HOME", FAKE_FOLDER, 1);
    setenv("CDSL_CACHE_DIR", "", 1);
  }
};

const testing::Environment* const machine = testing::AddGlobalTestEnvironment(new Machine);

}  // namespace
