#include <nonzero/plan.hpp>

#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>

#include "support/message_of.hpp"

namespace nz {
namespace {

Csr<double, std::int64_t> example() {  // [1 0 2; 0 3 0]
  return {2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}};
}

TEST(Plan, MultipliesBothWays) {
  const auto p = plan(example());
  std::vector<double> x{1, 10, 100}, y{5, 7};
  p.multiply(2, x, -1, y);
  EXPECT_EQ(y, (std::vector<double>{397, 53}));
  std::vector<double> u{1, 10}, v(3, 1);
  p.multiply(1, u, 0, v, Op::transpose);
  EXPECT_EQ(v, (std::vector<double>{1, 30, 2}));
}

TEST(Plan, KeepsAMatrixItWasGivenAndBorrowsAView) {
  const auto matrix = example();
  const auto borrowed = plan(matrix.view(), {"cpu/csr/serial"});
  EXPECT_EQ(borrowed.bytes(), 0u);
  auto owned = plan(example(), {"cpu/csr/serial"});
  EXPECT_EQ(owned.bytes(), 3 * (8 + 4) + 3 * 4u);  // narrowed to 32-bit offsets
  const Plan<double> moved = std::move(owned);
  std::vector<double> x{1, 1, 1}, y(2);
  moved.multiply(1, x, 0, y);
  EXPECT_EQ(y, (std::vector<double>{3, 3}));
}

TEST(Plan, FreesCsrWhenTheKernelHasItsOwnFormat) {
  const auto p = plan(example(), {"cpu/coo/serial"});
  EXPECT_EQ(p.kernel().id(), "cpu/coo/serial");
  EXPECT_EQ(p.bytes(), 3 * (8 + 4 + 4u));
  EXPECT_GE(p.prepare_seconds(), 0);
}

TEST(Plan, RefusesWrongLengths) {
  const auto p = plan(example());
  std::vector<double> two(2), three(3), four(4);
  EXPECT_EQ(message_of<InvalidArgument>([&] { p.multiply(1, two, 0, two); }),
            "x has 2 elements, needs 3");
  EXPECT_EQ(message_of<InvalidArgument>([&] { p.multiply(1, three, 0, four); }),
            "y has 4 elements, needs 2");
  EXPECT_EQ(message_of<InvalidArgument>([&] { p.multiply(1, three, 0, two, Op::transpose); }),
            "x has 3 elements, needs 2");
}

TEST(Plan, RefusesOverlap) {
  const auto p = plan(example());
  std::vector<double> all(10);
  const std::span<double> s(all);
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { p.multiply(1, s.subspan(0, 3), 0, s.subspan(2, 2)); }),
      "x and y overlap");
  EXPECT_EQ(
      message_of<InvalidArgument>([&] { p.multiply(1, s.subspan(3, 3), 0, s.subspan(2, 2)); }),
      "x and y overlap");
  EXPECT_NO_THROW(p.multiply(1, s.subspan(0, 3), 0, s.subspan(3, 2)));
}

TEST(Plan, RefusesUnknownKernelsAndParameters) {
  EXPECT_THROW(plan(example(), {"cpu/csr/seriall"}), InvalidArgument);
  EXPECT_THROW(plan(example(), {"cpu/csr/serial", {{"no_such", 1}}}), InvalidArgument);
}

TEST(Plan, RefusesFewerThanOneThread) {
  for (const int n : {0, -3})
    EXPECT_EQ(message_of<InvalidArgument>([&] { plan(example(), {.threads = n}); }),
              "threads: " + std::to_string(n) + " is below 1");
  EXPECT_EQ(plan(example(), {.threads = 3}).threads(), 3);
}

}  // namespace
}  // namespace nz
