#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/plan.hpp>
#include <nonzero/registry.hpp>

#include "kernels/several_given.hpp"
#include "support/devices.hpp"

// A few vectors that are added up in registers, by gpu/coo/slots.
namespace nz::test {
namespace {

class FewVectors : public ::testing::TestWithParam<Device> {};

// Two to four vectors in registers (gpu/coo/slots): rows within a thread, a warp, a tile and many
// tiles, empty ones, and a matrix without columns.
template <class T>
void few_vectors(Device device) {
  std::mt19937_64 random(seed() + sizeof(T));
  const auto rows_in = [&](index_t rows, index_t columns, auto length) {
    return rows_with<T>(rows, columns, random, length, [&](index_t i, index_t j) {
      return length(i) > columns / 2 ? j : index_t((i * 7 + j * 3) % columns);
    });
  };
  const auto near = rows_in(300, 290, [](index_t i) { return i % 6; });
  const auto longer = rows_in(60, 400, [](index_t i) { return i % 11 ? 30 + i % 40 : 0; });
  const auto unlike = rows_in(70, 3000, [](index_t i) {
    return i == 0 || i == 40 || i == 69 ? 2900 : i % 9 == 4 ? 500 : i % 4;
  });
  const auto empty = rows_in(5, 0, [](index_t) { return 0; });
  const Kernel& kernel = find_kernel("gpu/coo/slots");
  const Layout layouts[] = {Layout::row_major, Layout::column_major};
  for (const auto* a : {&near, &longer, &unlike, &empty})
    for (const index_t columns : {2, 3, 4})
      for (const Layout x : layouts)
        for (const Layout y : layouts) {
          // Tiles of 128 slots, so that the longest rows go through more than 16 of them.
          const std::int64_t items = random() % 2 ? 4 : 8, threads = random() % 4 ? 32 : 256;
          SCOPED_TRACE(fmt::format("threads={} items={}", threads, items));
          const Shape shape{columns, x, y, int(random() % 3), int(random() % 3)};
          several<T, std::int32_t>(kernel, device, a->view(), a->view(), shape, Op::none, T(1.5),
                                   random() % 2 ? T(0) : T(-0.5), random,
                                   {{"columns", std::int64_t(random() % 2)},
                                    {"items", items},
                                    {"threads", threads},
                                    {"ahead", std::int64_t(random() % 2)}});
        }
}

TEST_P(FewVectors, InRegisters) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  few_vectors<float>(GetParam());
  few_vectors<double>(GetParam());
}

// Rows that go through several tiles have the bits of one vector, which shared memory would not
// give them: in registers a few vectors are added up in the order of one.
TEST_P(FewVectors, HaveTheBitsOfOne) {
  NZ_NEEDS(GetParam());
  if (GetParam() == emulator_device) NZ_NEEDS_EMULATOR();
  std::mt19937_64 random(seed());
  std::uniform_real_distribution<float> number(-1, 1);
  const auto a = rows_with<float>(
      40, 900, random, [](index_t i) { return i % 7 ? 60 : 800; },
      [](index_t, index_t j) { return j; });
  Owned<float> x(900, 4, Layout::row_major, 0);
  for (float& v : x.data) v = number(random);
  const auto with = [&](std::int64_t few, index_t columns) {
    Owned<float> in(900, columns, Layout::row_major, 0), y(40, columns, Layout::row_major, 0);
    for (index_t i = 0; i < 900; ++i)
      for (index_t j = 0; j < columns; ++j) in.view()(i, j) = x.view()(i, j);
    PlanOptions options{.kernel = "gpu/coo/slots", .parameters = {{"few", few}, {"threads", 64}}};
    options.device = GetParam();
    multiply_there(plan(a.view(), options), Op::none, 1.0F, in, 0.0F, y);
    return y.column(0);
  };
  const std::vector<float> one = with(4, 1);
  for (const index_t columns : {2, 3, 4}) {
    // A compiler for GPUs may round another one of the same products.
    if (GetParam() == emulator_device) {
      EXPECT_TRUE(same_bits<float>(with(4, columns), one)) << columns;
    }
    EXPECT_FALSE(same_bits<float>(with(1, columns), one)) << columns;
  }
}

INSTANTIATE_TEST_SUITE_P(Everything, FewVectors,
                         ::testing::Values(emulator_device, Device{Device::Kind::cuda, 0}),
                         [](const auto& place) {
                           return std::string(place.param.kind == Device::Kind::cuda
                                                  ? "all_on_cuda"
                                                  : "all_on_emu");
                         });

}  // namespace
}  // namespace nz::test
