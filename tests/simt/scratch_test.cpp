#include "simt/scratch.hpp"

#include <cstring>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "support/devices.hpp"

namespace nz::test {
namespace {

using simt::ScratchSize;
using simt::StreamScratch;

CUstream_st* handle(const Stream& s) { return s.view().handle; }

unsigned* counters_on(StreamScratch& scratch, CUstream_st* stream) {
  return StreamScratch::Lease(scratch, stream).scratch().counters;
}

TEST(StreamScratch, AStreamKeepsItsPieceAndSharesItWithNobody) {
  NZ_NEEDS_EMULATOR();
  StreamScratch scratch(emulator_device, {10, 160});
  const std::size_t one = scratch.bytes(), live = simt::live_allocations();
  EXPECT_GE(one, 10 * sizeof(unsigned) + 160);
  const Stream a(emulator_device), b(emulator_device);
  unsigned* const of_a = counters_on(scratch, handle(a));
  EXPECT_EQ(simt::live_allocations(), live) << "the first stream's was there";
  unsigned* const of_b = counters_on(scratch, handle(b));
  EXPECT_NE(of_a, of_b);
  EXPECT_EQ(scratch.bytes(), 2 * one);
  EXPECT_EQ(counters_on(scratch, handle(a)), of_a);
  EXPECT_EQ(counters_on(scratch, handle(b)), of_b);
  EXPECT_NE(counters_on(scratch, nullptr), of_a);
  EXPECT_EQ(scratch.bytes(), 3 * one);
  EXPECT_EQ(simt::live_allocations(), live + 2);
}

TEST(StreamScratch, CountersBeginAtZeroAndTheRestIsUndefined) {
  NZ_NEEDS_EMULATOR();
  StreamScratch scratch(emulator_device, simt::scratch_for<double>(3, 5));
  const Stream a(emulator_device), b(emulator_device);
  for (const Stream* s : {&a, &b}) {
    const StreamScratch::Lease lease(scratch, handle(*s));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(lease.scratch().counters[i], 0u);
    for (int i = 0; i < 5; ++i)
      EXPECT_NE(lease.scratch().values<double>()[i], lease.scratch().values<double>()[i]) << "NaN";
  }
}

TEST(StreamScratch, PartsLieBehindEachOther) {
  const ScratchSize first = simt::scratch_for<double>(3, 5),
                    second = simt::scratch_for<float>(1, 1);
  EXPECT_EQ(first.bytes, 48u);
  EXPECT_EQ((first + second).counters, 4u);
  EXPECT_EQ((first + second).bytes, 64u);
  unsigned counters[4];
  alignas(16) std::byte rest[64];
  const simt::Scratch behind = simt::Scratch{counters, rest}.behind(first);
  EXPECT_EQ(behind.counters, counters + 3);
  EXPECT_EQ(behind.rest, rest + 48);
}

// A product that fails leaves its counters anywhere; the next one on the stream finds zeros.
TEST(StreamScratch, IsClearedAfterAFailure) {
  NZ_NEEDS_EMULATOR();
  StreamScratch scratch(emulator_device, {4, 0});
  const Stream stream(emulator_device);
  try {
    const StreamScratch::Lease lease(scratch, handle(stream));
    lease.scratch().counters[2] = 7;
    throw std::runtime_error("a launch failed");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(counters_on(scratch, handle(stream))[2], 0u);
}

// Programs that make a stream for every call must not fill the device.
TEST(StreamScratch, ManyStreamsShareAFewPieces) {
  NZ_NEEDS_EMULATOR();
  StreamScratch scratch(emulator_device, {4, 0});
  const std::size_t one = scratch.bytes();
  std::vector<Stream> streams;
  for (int i = 0; i < 100; ++i) {
    streams.emplace_back(emulator_device);
    counters_on(scratch, handle(streams.back()));
    EXPECT_LE(scratch.bytes(), 16 * one);
  }
  EXPECT_EQ(scratch.bytes(), 16 * one);
}

TEST(StreamScratch, MemoryThatRunsOutLeavesTheOthersAlone) {
  NZ_NEEDS_EMULATOR();
  StreamScratch scratch(emulator_device, {4, 0});
  const std::size_t one = scratch.bytes();
  const Stream a(emulator_device), b(emulator_device);
  unsigned* const of_a = counters_on(scratch, handle(a));
  simt::fail_allocation_after(0);
  EXPECT_THROW(counters_on(scratch, handle(b)), NoResource);
  simt::fail_allocation_after(-1);
  EXPECT_EQ(scratch.bytes(), one);
  EXPECT_EQ(counters_on(scratch, handle(a)), of_a);
  EXPECT_NE(counters_on(scratch, handle(b)), of_a);
}

TEST(StreamScratch, NoneTakesNoMemory) {
  NZ_NEEDS_EMULATOR();
  const std::size_t live = simt::live_allocations();
  const StreamScratch scratch(emulator_device, {});
  EXPECT_TRUE(scratch.empty());
  EXPECT_EQ(scratch.bytes(), 0u);
  EXPECT_EQ(simt::live_allocations(), live);
}

}  // namespace
}  // namespace nz::test
