// How far a text is read, piece by piece, and what is told of it meanwhile.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "io/mm_pieces.hpp"
#include "io/read_bytes.hpp"
#include "io/read_text.hpp"

namespace nz {
namespace {

// Remembers how far it was read. Each read takes the given time at least.
class WatchedSource final : public Source {
 public:
  explicit WatchedSource(std::string_view text, std::chrono::milliseconds a_read = {})
      : Source("a.mtx", text.size()),
        bytes_("a.mtx", {text.data(), text.size()}),
        a_read_(a_read) {}
  void read(std::uint64_t at, char* to, std::size_t n) const override {
    std::this_thread::sleep_for(a_read_);
    bytes_.read(at, to, n);
    furthest_ = std::max(furthest_, at + n);
  }
  std::uint64_t furthest() const { return furthest_; }

 private:
  MemorySource bytes_;
  std::chrono::milliseconds a_read_;
  mutable std::uint64_t furthest_ = 0;  // read by one thread
};

class Pieces : public testing::Test {
 protected:
  Pieces() { set_threads(1); }
  ~Pieces() override { set_threads(before_); }

 private:
  int before_ = threads();
};

std::string lines(const std::string& head, int count, const std::string& line) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n" + head;
  for (int k = 0; k < count; ++k) text += line;
  return text;
}

constexpr std::size_t piece = 4096;

void expect_refused(const Source& file, const std::string& message) {
  try {
    (void)read_matrix_source<double, std::int32_t>(file, {}, piece);
    ADD_FAILURE() << "not refused: " << message;
  } catch (const BadInput& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST_F(Pieces, NothingIsReadBehindABrokenLine) {
  const std::string text = lines("3 3 20001\n1 x 1\n", 20000, "1 1 1\n");
  const WatchedSource file(text);
  expect_refused(file, "a.mtx:3: expected a column number, found 'x'");
  EXPECT_LE(file.furthest(), 2 * piece);
}

TEST_F(Pieces, WhatFollowsTheLastEntryIsLookedAt) {
  const std::string text = lines("3 3 1\n1 1 1\n", 20000, "\n") + "x\n";
  expect_refused(WatchedSource(text), "a.mtx:20004: expected a row number, found 'x'");
}

TEST_F(Pieces, ProgressIsNotAheadOfWhatWasRead) {
  const std::string text = lines("3 3 2000\n", 2000, "1 1 1\n");
  // Longer than what passes between two calls, so that there is one for each piece.
  const WatchedSource file(text, std::chrono::milliseconds(45));
  std::vector<std::uint64_t> told;
  const auto progress = [&](std::uint64_t done, std::uint64_t) {
    told.push_back(done);
    EXPECT_LE(done, file.furthest());
  };
  (void)read_matrix_source<double, std::int32_t>(file, {.progress = progress}, piece);
  ASSERT_GE(told.size(), 3u);
  EXPECT_LT(told[0], told[1]);
  EXPECT_LT(told[1], text.size());
}

// Arrays whose values are in several pieces, by one thread and by several: down the columns, from
// the diagonal on where they are symmetric, and from below it where they are skew-symmetric.
TEST_F(Pieces, ArraysGoOnInTheNextPiece) {
  constexpr index_t n = 60;
  for (const auto symmetry : {Symmetry::general, Symmetry::symmetric, Symmetry::skew_symmetric}) {
    std::string text =
        fmt::format("%%MatrixMarket matrix array real {0}\n{1} {1}\n", name(symmetry), n);
    std::vector<double> expected(n * n, 0.0);
    int value = 0;
    for (index_t j = 0; j < n; ++j)
      for (index_t i = 0; i < n; ++i) {
        if (symmetry != Symmetry::general && i < j) continue;
        if (symmetry == Symmetry::skew_symmetric && i == j) continue;
        text += fmt::format("{}.00000000\n", ++value);
        expected[static_cast<std::size_t>(i * n + j)] = value;
        if (symmetry == Symmetry::symmetric) expected[static_cast<std::size_t>(j * n + i)] = value;
        if (symmetry == Symmetry::skew_symmetric)
          expected[static_cast<std::size_t>(j * n + i)] = -value;
      }
    ASSERT_GT(text.size(), 4 * piece);
    for (const int count : {1, 3}) {
      set_threads(count);
      EXPECT_EQ(dense(read_text(text, piece)), expected) << name(symmetry);
    }
    if (symmetry != Symmetry::general) continue;
    const auto head = text.find(" 60\n") - 2;
    const std::string column = text.replace(head, 5, "3600 1");
    const auto v = read_vector_source<double>(MemorySource("v.mtx", {column.data(), column.size()}),
                                              {}, piece);
    ASSERT_EQ(v.size(), 3600u);
    for (std::size_t k = 0; k < v.size(); ++k) ASSERT_EQ(v[k], static_cast<double>(k + 1));
  }
}

// An error that is not the text's, such as a caller who cancels, stops the other threads, too.
TEST(PiecesOfSeveral, StopWhereOneThrows) {
  const int before = threads();
  set_threads(2);
  const std::string text = lines("3 3 20000\n", 20000, "1 1 1\n");
  const MemorySource file("a.mtx", {text.data(), text.size()});
  const Budget budget(file.size());
  Meter meter({}, file.size());
  MmText mm(file, budget, Packing::none, piece);
  std::atomic<bool> thrown{false};
  std::atomic<int> others{0};
  // A parser ends with its thread's work. Whoever has the first piece throws; the other one parses
  // its own until that has been dealt with, and must not get another.
  const auto make = [&]() -> PieceParser {
    struct Own {
      std::atomic<bool>& thrown;
      bool throws = false;
      ~Own() {
        if (!throws) return;
        thrown = true;
        thrown.notify_all();
      }
    };
    const std::shared_ptr<Own> own(new Own{thrown});
    return [&, own](std::size_t p, const TextPieces::Piece&, LineCounts&) {
      if (p == 0) {
        own->throws = true;
        throw std::runtime_error("enough");
      }
      ++others;
      thrown.wait(false);
    };
  };
  EXPECT_THROW(parse_pieces(mm, meter, 1, make), std::runtime_error);
  EXPECT_LE(others, 1);
  set_threads(before);
}

}  // namespace
}  // namespace nz
