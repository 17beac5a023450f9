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

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/threads.hpp>

#include "io/mm_pieces.hpp"
#include "io/read_bytes.hpp"

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
