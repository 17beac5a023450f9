#include <complex>
#include <concepts>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/error.hpp>
#include <nonzero/formats.hpp>

namespace nz {
namespace {

// Entries that may come twice; `parts` different numbers as parts of the values.
template <class T, class O>
Csr<T, O> drawn(index_t rows, index_t cols, int entries, unsigned parts) {
  std::mt19937_64 random(std::random_device{}());
  std::vector<index_t> row, column;
  std::vector<T> value;
  using R = typename T::value_type;
  const auto part = [&] { return R(0.1) + static_cast<R>(random() % parts); };
  for (int k = 0; k < entries; ++k) {
    row.push_back(static_cast<index_t>(random() % static_cast<unsigned>(rows)));
    column.push_back(static_cast<index_t>(random() % static_cast<unsigned>(cols)));
    const R re = part();
    value.push_back({re, -part()});
  }
  return csr_from_triplets<T, O>(rows, cols, row, column, value);
}

template <class T, class O>
void expect_round_trips(const Csr<T, O>& a) {
  a.validate();
  EXPECT_EQ((coo_to_csr<O>(coo_from_csr(a.view()).view())), a);
  const Compact<T, O> compact = compact_from_csr(a.view());
  compact.validate();
  EXPECT_EQ(compact_to_csr(compact.view()), a);
  const Bsr<T, O> bsr = bsr_from_csr(a.view(), 3, 2, 1e9);
  bsr.validate();
  EXPECT_EQ(bsr_to_csr(bsr.view()), a);
  EXPECT_EQ(transpose(transpose(a.view()).view()), a);
}

TEST(ComplexFormats, RoundTrips) {
  expect_round_trips(drawn<std::complex<float>, std::int32_t>(70, 40, 400, 1000));
  expect_round_trips(drawn<std::complex<double>, std::int64_t>(200, 90'000, 3000, 1000));
  expect_round_trips(Csr<std::complex<double>, std::int32_t>{});
  expect_round_trips(Csr<std::complex<float>, std::int64_t>{3, 0, {0, 0, 0, 0}, {}, {}});
}

// What the compact format finds to be narrower, without loss.
TEST(ComplexFormats, NarrowValues) {
  using C = std::complex<double>;
  const auto code = [](std::vector<C> values) {
    const auto n = static_cast<std::int32_t>(values.size());
    Csr<C, std::int32_t> a{1, n, {0, n}, Array<index_t>(values.size()), Array<C>(values.size())};
    for (std::int32_t k = 0; k < n; ++k) a.columns[k] = k;
    std::copy(values.begin(), values.end(), a.values.begin());
    expect_round_trips(a);
    return compact_from_csr(a.view()).code;
  };
  EXPECT_EQ(code({{1, 2}, {1, 2}, {1, 2}}), ValueCode::constant);
  EXPECT_EQ(code({{1, 2}, {1, -2}, {0.1, 2}}), ValueCode::table);
  std::vector<C> floats, doubles;
  for (int k = 0; k < 300; ++k) {
    floats.emplace_back(0.5 * k, 0.25);
    doubles.emplace_back(0.5, 0.1 * k);
  }
  EXPECT_EQ(code(floats), ValueCode::single);
  EXPECT_EQ(code(doubles), ValueCode::full);
  floats[7] = {1, 0.1};
  EXPECT_EQ(code(floats), ValueCode::full);
  EXPECT_EQ(code_bytes<C>(ValueCode::single), 8u);
}

// What takes the view where a template says so, which the compiler looks at and not the linker.
template <class F>
void expect_real_numbers_alone(F) {
  EXPECT_TRUE((std::invocable<F, CsrView<double, std::int32_t>>));
  EXPECT_TRUE((std::invocable<F, CsrView<float, std::int64_t>>));
  EXPECT_FALSE((std::invocable<F, CsrView<std::complex<double>, std::int32_t>>));
  EXPECT_FALSE((std::invocable<F, CsrView<std::complex<float>, std::int64_t>>));
}
#define NZ_TAKES(...)                                  \
  [](const auto& a) requires requires { __VA_ARGS__; } \
  {}

TEST(ComplexFormats, OthersAreRefusedByTheCompiler) {
  EXPECT_TRUE((std::invocable<decltype(NZ_TAKES(bsr_from_csr(a, 2, 2))),
                              CsrView<std::complex<double>, std::int32_t>>));
  expect_real_numbers_alone(NZ_TAKES(csb_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(csb_baseline_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(csc_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(dcsr_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(dia_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(ecsb_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(ell_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(gcsb_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(hyb_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(packed_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(sell_from_csr(a)));
  expect_real_numbers_alone(NZ_TAKES(tiles_from_csr(a)));
  // Imaginary parts are not dropped unseen.
  expect_real_numbers_alone(NZ_TAKES(csr_cast<double, std::int32_t>(a)));
}

TEST(ComplexFormats, Casts) {
  const Csr<double, std::int64_t> real{1, 2, {0, 2}, {0, 1}, {1.5, -2}};
  const auto c = csr_cast<std::complex<float>, std::int32_t>(real.view());
  EXPECT_EQ(c.values[1], std::complex<float>(-2, 0));
  const auto wide = csr_cast<std::complex<double>, std::int64_t>(c.view());
  EXPECT_EQ(wide.values[0], std::complex<double>(1.5, 0));
}

TEST(ComplexFormats, BrokenBlocksAreFound) {
  using C = std::complex<float>;
  const Csr<C, std::int32_t> corner{3, 3, {0, 0, 0, 1}, {2}, {{1, 1}}};
  Bsr<C, std::int32_t> b = bsr_from_csr(corner.view(), 2, 2, 1e9);
  b.values.back() = {0, 1};  // outside of the matrix
  EXPECT_THROW(b.validate(), BadInput);
}

}  // namespace
}  // namespace nz
