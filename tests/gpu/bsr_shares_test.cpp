// How gpu/bsr/balanced cuts the blocks of a matrix. On the emulator, whose memory is the host's.
#ifdef NZ_HAVE_EMULATOR
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/gpu/bsr/line_tasks.hpp"
#include "kernels/gpu/bsr/shares.hpp"

namespace nz::test {
namespace {

using emulated::LineTask;
using emulated::Share;
using Offsets = std::vector<std::int32_t>;
using Numbers = std::vector<int>;

// Where lines of the lengths given begin and end.
Offsets starts_of(const Numbers& lengths) {
  Offsets starts(lengths.size() + 1);
  std::partial_sum(lengths.begin(), lengths.end(), starts.begin() + 1);
  return starts;
}

std::vector<Numbers> many_lengths() {
  return {{1},
          {64},
          {0, 7, 0, 0, 1, 2, 0},
          Numbers(100, 1),
          Numbers(12, 8),
          {1, 0, 500, 3, 0, 2, 1},
          {31, 33, 32, 1, 63, 65, 0, 128, 5},
          {0, 200, 200, 0}};
}

// Every block once, and for every line as many parts as shares have some of it.
void check_shares(const Numbers& lengths, int grain, int count) {
  SCOPED_TRACE(
      fmt::format("lines of {}, grain {}, {} shares", fmt::join(lengths, ", "), grain, count));
  const Offsets starts = starts_of(lengths);
  const emulated::Shares<float> made(std::span<const std::int32_t>(starts), grain, count, 3);
  const auto view = made.view(simt::Scratch{});
  const std::span<const Share> shares(view.list, static_cast<std::size_t>(view.count));
  ASSERT_EQ(made.count(), view.count);
  ASSERT_GE(view.count, 1);
  ASSERT_LE(view.count, count);

  // Lines with blocks have numbers of their own.
  std::vector<index_t> with, without;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    (lengths[i] > 0 ? with : without).push_back(static_cast<index_t>(i));
  const std::span<const index_t> scaled = made.without_blocks().span();
  EXPECT_EQ(std::vector<index_t>(scaled.begin(), scaled.end()), without);
  ASSERT_EQ(view.lines == nullptr, without.empty());
  if (view.lines) {
    EXPECT_EQ(std::vector<index_t>(view.lines, view.lines + with.size()), with);
  }

  // The bits of ends.
  Numbers line_of;  // each block, of those with blocks
  for (std::size_t l = 0; l < with.size(); ++l)
    line_of.insert(line_of.end(),
                   static_cast<std::size_t>(lengths[static_cast<std::size_t>(with[l])]),
                   static_cast<int>(l));
  for (std::size_t b = 0; b < line_of.size(); ++b)
    ASSERT_EQ((view.ends[b / 32] >> (b % 32)) & 1,
              b + 1 == line_of.size() || line_of[b + 1] != line_of[b])
        << b;

  std::vector<Numbers> shares_of(with.size());
  std::int64_t next = 0;
  for (std::size_t s = 0; s < shares.size(); ++s) {
    ASSERT_EQ(shares[s].first, next);
    ASSERT_EQ(shares[s].first % grain, 0);
    ASSERT_GT(shares[s].blocks, 0);
    next += shares[s].blocks;
    ASSERT_LE(next, std::ssize(line_of));
    for (std::int64_t b = shares[s].first; b < next; ++b) {
      Numbers& its = shares_of[static_cast<std::size_t>(line_of[static_cast<std::size_t>(b)])];
      if (its.empty() || its.back() != static_cast<int>(s)) its.push_back(static_cast<int>(s));
    }
  }
  ASSERT_EQ(next, std::ssize(line_of));

  for (std::size_t s = 0; s < shares.size(); ++s) {
    SCOPED_TRACE(fmt::format("share {}", s));
    const Share& share = shares[s];
    const int head = line_of[static_cast<std::size_t>(share.first)];
    const int tail = line_of[static_cast<std::size_t>(share.first + share.blocks - 1)];
    EXPECT_EQ(share.line, head);
    const Numbers& of_head = shares_of[static_cast<std::size_t>(head)];
    const Numbers& of_tail = shares_of[static_cast<std::size_t>(tail)];
    const bool began_earlier = of_head.front() != static_cast<int>(s);
    EXPECT_EQ(share.head_parts, began_earlier ? std::ssize(of_head) : 0);
    if (began_earlier) {
      EXPECT_EQ(share.head_first, of_head.front());
    }
    const bool goes_on = of_tail.front() == static_cast<int>(s) && of_tail.size() > 1;
    EXPECT_EQ(share.tail_parts, goes_on ? std::ssize(of_tail) : 0);
  }
}

TEST(BsrShares, HaveEveryBlockOnceAndKnowTheirNeighbours) {
  for (const Numbers& lengths : many_lengths())
    for (const int grain : {1, 2, 4})
      for (const int count : {1, 2, 3, 7, 16, 64, 1000}) {
        check_shares(lengths, grain, count);
        if (::testing::Test::HasFailure()) return;
      }
}

TEST(BsrShares, AreEqualButForTheGrain) {
  const Offsets starts = starts_of({3, 0, 1000, 1, 1, 1, 530});
  for (const int grain : {1, 4}) {
    const emulated::Shares<double> made(std::span<const std::int32_t>(starts), grain, 23, 5);
    ASSERT_EQ(made.count(), 23);
    for (int s = 0; s < 23; ++s)
      EXPECT_NEAR(made.view(simt::Scratch{}).list[s].blocks, 1536 / 23., grain) << s;
  }
}

TEST(BsrShares, AreNoneWithoutBlocks) {
  for (const Offsets& starts : {Offsets{0}, Offsets{0, 0, 0}}) {
    const emulated::Shares<double> made(std::span<const std::int32_t>(starts), 2, 0, 5);
    EXPECT_EQ(made.count(), 0);
    EXPECT_EQ(made.without_blocks().size(), starts.size() - 1);
  }
}

// Every block once for each window of outputs, in pieces that know their first and their number.
TEST(BsrLineTasks, HaveEveryBlockOnceAWindow) {
  constexpr int outputs = 19, window = 8, windows = 3;
  for (const Numbers& lengths : many_lengths())
    for (const int most : {1, 5, 64}) {
      SCOPED_TRACE(fmt::format("lines of {}, pieces of {}", fmt::join(lengths, ", "), most));
      const Offsets starts = starts_of(lengths);
      const emulated::LineTasks<float> made(std::span<const std::int32_t>(starts), outputs, window,
                                            most);
      int at = 0;
      for (std::size_t line = 0; line < lengths.size(); ++line)
        for (int w = 0; w < windows; ++w) {
          const int first = at, pieces = std::max(1, (lengths[line] + most - 1) / most);
          std::int64_t next = starts[line];
          for (; at < first + pieces; ++at) {
            ASSERT_LT(at, made.count());
            const LineTask& t = made.view(simt::Scratch{}).list[at];
            EXPECT_EQ(t.first, next);
            EXPECT_LE(t.blocks, most);
            EXPECT_EQ(t.line, static_cast<index_t>(line));
            EXPECT_EQ(t.output, w * window);
            EXPECT_EQ(t.piece, first);
            EXPECT_EQ(t.pieces, pieces);
            next += t.blocks;
          }
          EXPECT_EQ(next, starts[line + 1]);
          if (::testing::Test::HasFailure()) return;
        }
      EXPECT_EQ(at, made.count());
    }
}

}  // namespace
}  // namespace nz::test
#endif
