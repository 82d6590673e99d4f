// What a prediction says of a whole kernel.
#include <gtest/gtest.h>

#include "api/pipeline.h"
#include "passes/predict/predict.h"

namespace cdsl {
namespace {

/// Of the only kernel that a file of the repository gives without decisions, N and K known.
predicting::KernelPrediction predicted(const std::string& file, int64_t extent, int multiprocessors) {
  SourceInput input;
  input.path = std::string(CDSL_SOURCE_DIR) + "/" + file;
  const auto source = load_and_parse(input);
  CompileOptions options;
  options.decide = false;
  std::vector<std::string> skipped;
  const auto unit = compile(*source, functions_to_compile(*source, "", options, skipped).at(0), options);
  tir::Bindings bindings;
  for (const tir::Size& size : unit->function.sizes) bindings[size.symbol] = Value::of_int(extent);
  for (const tir::ScalarParameter& scalar : unit->function.scalars) bindings[scalar.symbol] = Value::of_float(1);
  predicting::PredictOptions predict;
  predict.architecture = find_architecture(kDefaultArchitecture);
  predict.multiprocessors = multiprocessors;
  return predicting::predict(unit->function, unit->program, bindings, predict).kernels.at(0);
}

TEST(PredictKernel, AGridIsNoLargerThanWhatTheMultiprocessorsHold) {
  const auto one = predicted("examples/saxpy.cdsl", 100'000'000, 1), two = predicted("examples/saxpy.cdsl", 100'000'000, 2);
  EXPECT_GE(one.grid, 1);
  EXPECT_LE(one.grid, 32);
  EXPECT_EQ(two.grid, 2 * one.grid);
}

TEST(PredictKernel, IsExactWhereEveryAccessIs) {
  EXPECT_TRUE(predicted("examples/saxpy.cdsl", 1000, 1).exact);
  EXPECT_FALSE(predicted("tests/lit/tools/Inputs/gather.cdsl", 1000, 1).exact);
}

TEST(PredictKernel, ASampleIsOneOfTheRequestsThatWereCounted) {
  for (const predicting::Access& access : predicted("examples/saxpy.cdsl", 1024, 1).accesses) {
    EXPECT_EQ(access.sample.mask, kAllLanes);
    EXPECT_EQ(access.sample.address[31] - access.sample.address[0], 31 * 4);
    EXPECT_EQ(access.sample.sectors, access.sectors_per_request());
    EXPECT_EQ(access.sample.ideal_sectors, 4);
  }
}

TEST(PredictKernel, ThereIsNoSampleOfAddressesThatAreData) {
  bool some = false;
  for (const predicting::Access& access : predicted("tests/lit/tools/Inputs/gather.cdsl", 1000, 1).accesses) {
    if (!access.data_dependent) continue;
    some = true;
    EXPECT_EQ(access.sample.mask, 0u) << access.tensor;
  }
  EXPECT_TRUE(some);
}

TEST(PredictKernel, TheBetterSampleHasMoreLanesThenAHigherDegree) {
  const predicting::RequestSample none, two{.mask = 3}, more{.mask = 7}, conflict{.mask = 5, .degree = 2};
  EXPECT_TRUE(shows_more(two, none));
  EXPECT_TRUE(shows_more(more, conflict));
  EXPECT_TRUE(shows_more(conflict, two));
  EXPECT_FALSE(shows_more(two, two));
}

}  // namespace
}  // namespace cdsl
