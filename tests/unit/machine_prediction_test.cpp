// Predictions against kernels measured on an H200 (2026-11-29, kernel time), and how predictions
// must behave.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "dsl/machine/predict.h"

namespace cdsl {
namespace {

const Architecture& h200() {
  return *find_architecture("sm_90a");
}
constexpr double kMi = 1 << 20;

/// One vector of `width` bytes a stream a thread.
KernelWork stream(double read_mib, double written_mib, int block, double bytes_in_flight = 16) {
  KernelWork work;
  work.dram_read_bytes = read_mib * kMi;
  work.dram_write_bytes = written_mib * kMi;
  work.sectors = (work.dram_read_bytes + work.dram_write_bytes) / 32;
  work.l1_wavefronts = work.sectors / 4;
  work.block = block;
  work.bytes_in_flight = bytes_in_flight;
  const double each = std::max(read_mib, written_mib) * kMi / 16;
  work.grid = static_cast<int64_t>(std::ceil(each / block));
  return work;
}

void expect_within(const char* row, const KernelWork& work, double measured, double tolerance,
                   Bound bound) {
  const Prediction got = predict(h200(), work);
  EXPECT_NEAR(got.us, measured, measured * tolerance) << row;
  EXPECT_EQ(name_of(got.bound), name_of(bound)) << row;
}

TEST(MachinePrediction, MeasuredStreams) {
  const struct {
    const char* name;
    double read, written;  // MiB
    int block;
    double in_flight, us;
  } rows[] = {
      {"read 512 MiB", 512, 0, 256, 64, 115.0},
      {"read 1 GiB", 1024, 0, 256, 64, 229.2},
      {"copy 256 MiB", 128, 128, 512, 16, 60.7},
      {"copy 1 GiB", 512, 512, 512, 16, 245.2},
      {"saxpy 128Mi", 1024, 512, 1024, 32, 357},
      {"branchy 128Mi", 512, 512, 256, 16, 245.1},
      {"bias GELU residual bf16 8192^2", 256, 128, 512, 32, 87.8},
      {"softmax bf16 65536x1024", 128, 128, 256, 64, 61.2},
      {"rmsnorm bf16 16384x4096", 128, 128, 256, 32, 61.2},
      {"permute 0213 bf16", 128, 128, 256, 16, 61.2},
      {"softmax f32 16384x8192", 512, 512, 1024, 32, 246},
      {"row_sum 16384x8192", 512, 0, 512, 64, 115.3},
      {"row_argmax 16384x8192", 512, 0, 512, 64, 115.7},
      {"gemv 16384^2", 1024, 0, 512, 128, 229.3},
      {"sum_all 256Mi", 1024, 0, 512, 64, 231.7},
      {"jacobi 16384^2", 1024, 1024, 512, 32, 497},
      {"heat3d 512^3", 512, 512, 256, 32, 257.5},
      {"box5x5 8192^2", 256, 256, 128, 64, 131},
      {"transpose f32 8192^2", 256, 256, 256, 64, 126},
      {"transpose bf16 8192^2", 128, 128, 256, 64, 63.5},
      {"cumsum 128Mi", 512, 512, 288, 448, 257.5},
      {"layernorm bf16 16384x8192", 256, 256, 256, 64, 123.3},
      {"AoS x8, 16Mi", 512, 512, 256, 32, 246.7},
  };
  for (const auto& row : rows)
    expect_within(row.name, stream(row.read, row.written, row.block, row.in_flight), row.us, 0.10,
                  Bound::Dram);
}

TEST(MachinePrediction, MeasuredSmallKernels) {
  // 16 bytes a thread of two reads and a write, cold L2.
  const struct {
    int log2;
    double us;
  } saxpy[] = {{12, 1.4}, {14, 1.4}, {16, 1.55}, {18, 1.95}, {20, 4.2}};
  for (const auto& row : saxpy) {
    const double mib = std::ldexp(4.0, row.log2) / kMi;
    const double got = predict(h200(), stream(2 * mib, mib, 256, 32)).us;
    EXPECT_NEAR(got, row.us, row.us * 0.25) << "2^" << row.log2;
  }
}

TEST(MachinePrediction, FieldOfThreeFloats) {
  // x of 64Mi points: all sectors are read. Four scalar loads a thread reach the floor, one does
  // not.
  KernelWork work = stream(768, 256, 256, 4 * 12 * 32 / 32.0);
  expect_within("field x, 4 loads", work, 237.4, 0.05, Bound::Dram);
  work.bytes_in_flight = 12;
  expect_within("field x, 1 load", work, 285, 0.10, Bound::Dram);
}

TEST(MachinePrediction, MeasuredMatrixProducts) {
  const auto product = [](double m, double n, double k, int64_t grid) {
    KernelWork work;
    work.ilp = 8;
    work.grid = grid;
    work.flops(Matrix::Bf16) = 2 * m * n * k;
    work.dram_read_bytes = 2 * (m * k + k * n);
    work.dram_write_bytes = 2 * m * n;
    work.block = 384, work.registers = 168, work.shared_bytes = 227 * 1024;
    return work;
  };
  expect_within("bf16 8192^3", product(8192, 8192, 8192, 132), 1350, 0.10, Bound::Matrix);
  expect_within("bf16 4096^3", product(4096, 4096, 4096, 132), 174, 0.10, Bound::Matrix);
  expect_within("bf16 8192x28672x4096", product(8192, 28672, 4096, 132), 2700, 0.15, Bound::Matrix);

  KernelWork f32;
  f32.ops(Unit::Fp32) = 4096.0 * 4096 * 4096;
  f32.dram_read_bytes = 2 * 64 * kMi, f32.dram_write_bytes = 64 * kMi;
  f32.block = 256, f32.registers = 128, f32.shared_bytes = 48 * 1024, f32.ilp = 64;
  f32.grid = 32 * 32;
  expect_within("f32 4096^3", f32, 2682, 0.10, Bound::Fp32);
}

TEST(MachinePrediction, MeasuredAtomics) {
  KernelWork scatter = stream(512, 0, 256, 32);
  scatter.atomics = {spread_atomics(AtomicPlace::Global, AtomicType::Float32, 64 * kMi, kMi, 4, 1)};
  expect_within("scatter_add 64Mi into 1Mi", scatter, 701, 0.10, Bound::Atomics);

  // Byte histogram with a bin of its own for each lane: free of conflicts, 32 KiB a block.
  KernelWork histogram = stream(256, 0, 1024, 32);
  histogram.atomics = {{.place = AtomicPlace::Shared,
                        .type = AtomicType::Int32,
                        .lanes = 256 * kMi,
                        .requests = 8 * kMi,
                        .passes = 8 * kMi}};
  histogram.grid = 264;
  const double got = predict(h200(), histogram).us;
  EXPECT_NEAR(got, 63, 63 * 0.25);
}

TEST(MachinePrediction, MoreWorkNeverPredictsLess) {
  const KernelWork base = stream(64, 64, 256);
  const double us = predict(h200(), base).us;
  for (int what = 0; what < 6; ++what) {
    KernelWork more = base;
    if (what == 0) more.dram_read_bytes *= 2;
    if (what == 1) more.ops(Unit::Fp32) += 1e12;
    if (what == 2) more.shared_wavefronts += 1e9;
    if (what == 3) more.launches = 2;
    if (what == 4) more.registers = 255, more.bytes_in_flight = 4;
    if (what == 5) more.serial_clocks += 1e6;
    EXPECT_GT(predict(h200(), more).us, us) << what;
  }
}

TEST(MachinePrediction, SaysWhatBounds) {
  KernelWork work;
  EXPECT_EQ(predict(h200(), work).bound, Bound::Launch);
  work.grid = 132 * 8;
  work.shared_wavefronts = 1e9;
  EXPECT_EQ(predict(h200(), work).bound, Bound::Shared);
  work.l1_wavefronts = 2e9;
  EXPECT_EQ(predict(h200(), work).bound, Bound::L1);
  work.ops(Unit::Sfu) = 1e13;
  EXPECT_EQ(predict(h200(), work).bound, Bound::Sfu);
  work.shared_bytes = 1 << 20;
  const Prediction no = predict(h200(), work);
  EXPECT_FALSE(no.fits());
  EXPECT_TRUE(std::isinf(no.us));
  EXPECT_EQ(no.occupancy.limiter, "nothing fits");
}

TEST(MachinePrediction, EveryArchitecturePredicts) {
  for (const Architecture& arch : architectures()) {
    const Prediction got = predict(arch, stream(512, 512, 256, 64));
    EXPECT_EQ(got.bound, Bound::Dram) << arch.name;
    EXPECT_GT(got.us, 1024 * kMi / (arch.dram_gbs * 1e3)) << arch.name;
    EXPECT_LT(got.us, 1.3 * 1024 * kMi / (arch.dram_gbs * 1e3)) << arch.name;
  }
}

}  // namespace
}  // namespace cdsl
