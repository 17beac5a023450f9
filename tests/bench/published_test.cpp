#include <cmath>

#include <gtest/gtest.h>
#include <nonzero/device.hpp>

#include "lab/papers/printed.hpp"
#include "lab/papers/published.hpp"

// What makers publish of the GPUs of the papers is what the papers print of them.
namespace nz::test {
namespace {

using namespace lab;

TEST(Published, AgreesWithThePapers) {
  const DeviceInfo a30{.description = "NVIDIA A30", .major = 8};
  const auto printed = [](const char* line) {
    return printed_figure("dinoia2025", "Table I", line, "value");
  };
  EXPECT_DOUBLE_EQ(published_peaks(a30).memory, 1e9 * printed("Peak memory bandwidth (GB/s)"));
  EXPECT_DOUBLE_EQ(published_peaks(a30).fp32, 1e12 * printed("Peak FP32 compute (TFLOP/s)"));

  const DeviceInfo a100{.description = "NVIDIA A100-SXM4-80GB", .major = 8};
  const auto in_table = [](const char* line) {
    return printed_figure("izawa2023", "Table 4.1", line, "A100");
  };
  const PublishedProcessor sm = published_processor(a100);
  EXPECT_EQ(sm.fp32, in_table("FP32 Cores / SM"));
  EXPECT_EQ(sm.fp64, in_table("FP64 Cores / SM"));
  EXPECT_EQ(sm.l1_kib, in_table("L1 size (KB)"));
  EXPECT_EQ(sm.l1_line, in_table("L1 line size (B)"));
  EXPECT_DOUBLE_EQ(published_peaks(a100).fp32, 1e12 * in_table("Peak FP32 (TFLOPS)"));
  EXPECT_DOUBLE_EQ(published_peaks(a100).fp64, 1e12 * in_table("Peak FP64 (TFLOPS)"));
}

// A multiply and an addition a core and clock: what a peak of FP32 counts, to two digits.
TEST(Published, PeaksAreThoseOfTheCores) {
  const DeviceInfo h200{
      .description = "NVIDIA H200", .processors = 132, .clock_mhz = 1980, .major = 9};
  const double cores = h200.processors * published_processor(h200).fp32;
  EXPECT_NEAR(published_peaks(h200).fp32, 2e6 * cores * h200.clock_mhz, 0.01e12 * 67);
  EXPECT_LT(published_peaks({.description = "NVIDIA H200 NVL"}).fp32, published_peaks(h200).fp32);
}

TEST(Published, WhatIsNotKnownIsNoFigure) {
  const DeviceInfo other{.description = "a GPU of tomorrow", .major = 99};
  EXPECT_TRUE(std::isnan(published_peaks(other).memory));
  EXPECT_EQ(published_processor(other).l1_kib, 0);
  EXPECT_STREQ(published_processor(other).architecture, "");
}

}  // namespace
}  // namespace nz::test
