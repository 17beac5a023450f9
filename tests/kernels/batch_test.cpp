#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nonzero/batch.hpp>
#include <nonzero/error.hpp>
#include <nonzero/generate.hpp>
#include <nonzero/truth.hpp>

#include "kernels/conform.hpp"
#include "simt/backend.hpp"
#include "support/devices.hpp"
#include "support/gpu_here.hpp"

// Batches against the exact product of each of their matrices.
namespace nz::test {
namespace {

std::vector<Device> places() {
  std::vector<Device> all{cpu_device};
  if (has_emulator()) all.push_back(emulator_device);
  if (gpu_here()) all.push_back({Device::Kind::cuda, 0});
  return all;
}

template <class T>
using Small = Csr<T, std::int32_t>;

// y = alpha op(A) x + beta y of the whole batch in its device's memory; vectors in host memory.
template <class T>
void multiply_there(const Batch<T>& batch, Op op, T alpha, const std::vector<T>& x, T beta,
                    Guarded<T>& y) {
  if (batch.device() == cpu_device) return batch.multiply_batch(alpha, x, beta, y.span(), op);
  const DeviceArray<T> far_x(batch.device(), std::span<const T>(x));
  DeviceArray<T> far_y(batch.device(), std::span<const T>(y.all()));
  batch.multiply_batch(alpha, far_x.span(), beta, y.span_in(far_y.span()), op);
  wait_for(batch.device());
  far_y.download(y.all());
}

// One product, judged matrix by matrix. Returns y.
template <class T>
std::vector<T> judge(const Batch<T>& batch, const std::vector<Small<T>>& matrices, Op op, T alpha,
                     T beta, std::uint64_t numbers_seed) {
  SCOPED_TRACE(fmt::format("{} matrices on {}, {}, op {}, alpha {}, beta {}, NZ_TEST_SEED={}",
                           matrices.size(), batch.device().name(), name(value_type_of<T>), name(op),
                           alpha, beta, seed()));
  std::mt19937_64 random(numbers_seed);
  EXPECT_EQ(batch.matrices(), std::ssize(matrices));
  const auto x = numbers<T>(random, static_cast<std::size_t>(batch.x_size(op)), Input::finite);
  const auto before = numbers<T>(random, static_cast<std::size_t>(batch.y_size(op)), Input::finite);
  Guarded<T> y(beta == T(0) ? std::vector<T>(before.size(), nan<T>) : before);
  multiply_there(batch, op, alpha, x, beta, y);
  EXPECT_TRUE(y.intact()) << "wrote outside y";
  const auto part = [](auto&& v, std::int64_t from, std::int64_t to) {
    return std::span<const T>(v).subspan(static_cast<std::size_t>(from),
                                         static_cast<std::size_t>(to - from));
  };
  for (std::int64_t i = 0; i < batch.matrices(); ++i) {
    const Small<T>& a = matrices[static_cast<std::size_t>(i)];
    EXPECT_EQ(batch.rows(i), a.rows);
    EXPECT_EQ(batch.cols(i), a.cols);
    const Verdict v = check_product<T, std::int32_t>(
        a.view(), op, alpha, part(x, batch.x_offset(i, op), batch.x_offset(i + 1, op)), beta,
        part(before, batch.y_offset(i, op), batch.y_offset(i + 1, op)),
        part(y.span(), batch.y_offset(i, op), batch.y_offset(i + 1, op)));
    EXPECT_TRUE(v.right()) << "matrix " << i << ": " << v.message();
    if (!v.right()) break;
  }
  return {y.span().begin(), y.span().end()};
}

template <class T>
void judge_all(const Batch<T>& batch, const std::vector<Small<T>>& matrices) {
  const T inf = std::numeric_limits<T>::infinity();
  const std::array<std::pair<T, T>, 6> scalars{
      {{T(1), T(0)}, {T(-0.5), T(1)}, {T(0), T(2)}, {T(0), T(0)}, {inf, T(-1)}, {nan<T>, T(0)}}};
  for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose})
    for (const auto& [alpha, beta] : scalars)
      judge<T>(batch, matrices, op, alpha, beta, seed() + sizeof(T));
}

template <class T>
std::vector<CsrView<T, std::int32_t>> views(const std::vector<Small<T>>& matrices) {
  std::vector<CsrView<T, std::int32_t>> all;
  for (const Small<T>& a : matrices) all.push_back(a.view());
  return all;
}

// The structure of `a` with as many values as so many matrices have.
template <class T>
std::vector<Small<T>> alike(const Small<T>& a, int count, std::mt19937_64& random,
                            std::vector<T>& values) {
  std::vector<Small<T>> all;
  for (int i = 0; i < count; ++i) {
    Small<T> b = a;
    for (T& v : b.values) v = std::uniform_real_distribution<T>(-1, 1)(random);
    values.insert(values.end(), b.values.begin(), b.values.end());
    all.push_back(std::move(b));
  }
  return all;
}

template <class T>
Small<T> made(const std::string& spec) {
  return csr_cast<T, std::int32_t>(generate(spec).matrix.view());
}

// A row of so many columns, all of them, over a few short rows.
template <class T>
Small<T> with_long_row(index_t cols) {
  std::vector<index_t> r, c;
  for (index_t j = 0; j < cols; ++j) r.push_back(1), c.push_back(j);
  for (const index_t i : {0, 3, 4}) r.push_back(i), c.push_back(cols - 1 - i);
  return csr_from_triplets<T, std::int32_t>(6, cols, r, c, std::vector<T>(r.size(), T(1)));
}

template <class T>
class BatchOf : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(BatchOf, Types);

// Every matrix of the battery at once: empty ones in the middle, large among small, NaN in some.
TYPED_TEST(BatchOf, ManyStructures) {
  using T = TypeParam;
  std::vector<Small<T>> matrices;
  for (const BatteryMatrix& m : shared_battery())
    matrices.push_back(csr_cast<T, std::int32_t>(m.matrix.view()));
  matrices.push_back(with_long_row<T>(2500));
  matrices.push_back(Small<T>{});
  for (const Device device : places()) {
    const auto batch = plan_batch(views(matrices), {.device = device, .threads = 3});
    judge_all(batch, matrices);
    EXPECT_FALSE(batch.reads_in_place());
    EXPECT_GT(batch.bytes(), 0u);
  }
}

TYPED_TEST(BatchOf, OneStructure) {
  using T = TypeParam;
  std::mt19937_64 random(seed());
  std::vector<Small<T>> structures{made<T>("rmat:scale=5,degree=3"), made<T>("grid:nx=24,ny=12"),
                                   with_long_row<T>(1500)};
  structures.push_back({0, 0, Array<std::int32_t>{0}, {}, {}});
  structures.push_back({0, 7, Array<std::int32_t>{0}, {}, {}});
  structures.push_back({2, 0, Array<std::int32_t>{0, 0, 0}, {}, {}});
  structures.push_back({2, 3, Array<std::int32_t>{0, 0, 1}, Array<index_t>{2}, Array<T>{1}});
  for (const Device device : places())
    for (const Small<T>& a : structures)
      for (const int count : {0, 1, static_cast<int>(2 + random() % 7), a.nnz() < 200 ? 150 : 7}) {
        std::vector<T> values;
        const auto matrices = alike(a, count, random, values);
        const auto batch = plan_batch(a.view(), count, values, {.device = device, .threads = 2});
        SCOPED_TRACE(fmt::format("{} x {}, {} nonzeros", a.rows, a.cols, a.nnz()));
        for (const Op op : all_ops) {
          const auto y = judge<T>(batch, matrices, op, T(1.5), T(0), seed());
          EXPECT_TRUE(same_bits<T>(y, judge<T>(batch, matrices, op, T(1.5), T(0), seed())));
          judge<T>(batch, matrices, op, T(-1), T(0.5), seed() + 1);
        }
        if (count > 1 && count < 10) judge_all(batch, matrices);
      }
}

// Columns that do not fit into 16 bits, within a matrix and across those of a tile.
TYPED_TEST(BatchOf, WideMatrices) {
  using T = TypeParam;
  std::mt19937_64 random(seed());
  const Small<T> wide = csr_from_triplets<T, std::int32_t>(3, 70'000, std::vector<index_t>{0, 0, 2},
                                                           std::vector<index_t>{1, 69'999, 65'536},
                                                           std::vector<T>{T(1), T(2), T(3)});
  std::vector<T> values;
  const auto matrices = alike(wide, 4, random, values);
  for (const Device device : places()) {
    judge<T>(plan_batch(wide.view(), 4, values, {.device = device}), matrices, Op::none, T(1), T(0),
             seed());
    const auto many = plan_batch(views(matrices), {.device = device});
    for (const Op op : all_ops) judge<T>(many, matrices, op, T(1), T(2), seed());
  }
}

// The same bits on any number of threads, and as a batch of one structure or of many.
TYPED_TEST(BatchOf, BitsStayTheSame) {
  using T = TypeParam;
  std::mt19937_64 random(seed());
  const Small<T> a = made<T>("fem:nx=3,ny=3,nz=3,block=3");
  std::vector<T> values;
  const auto matrices = alike(a, 30, random, values);
  for (const Op op : all_ops) {
    const auto one = judge<T>(plan_batch(a.view(), 30, values, {.threads = 1}), matrices, op, T(1),
                              T(-2), seed());
    for (const int threads : {2, 3, 7})
      EXPECT_TRUE(same_bits<T>(one, judge<T>(plan_batch(a.view(), 30, values, {.threads = threads}),
                                             matrices, op, T(1), T(-2), seed())));
    EXPECT_TRUE(same_bits<T>(
        one, judge<T>(plan_batch(views(matrices)), matrices, op, T(1), T(-2), seed())));
  }
}

TYPED_TEST(BatchOf, NewValues) {
  using T = TypeParam;
  std::mt19937_64 random(seed());
  const Small<T> a = made<T>("rmat:scale=6,degree=4");
  for (const Device device : places()) {
    std::vector<T> first, second;
    alike(a, 5, random, first);
    const auto matrices = alike(a, 5, random, second);
    auto batch = plan_batch(a.view(), 5, first, {.device = device});
    EXPECT_EQ(batch.reads_in_place(), device == cpu_device);
    batch.update_values(second);
    for (const Op op : all_ops) judge<T>(batch, matrices, op, T(1), T(0), seed());
    EXPECT_THROW(batch.update_values(std::span(second).first(second.size() - 1)), InvalidArgument);
    auto many = plan_batch(views(matrices), {.device = device});
    EXPECT_THROW(many.update_values(second), InvalidArgument);
    if (device == cpu_device) continue;
    // Values on the device are read there.
    DeviceArray<T> there(device, std::span<const T>(first));
    auto borrowing = plan_batch(a.view(), 5, there.span(), {.device = device});
    EXPECT_TRUE(borrowing.reads_in_place());
    there.upload(second);
    judge<T>(borrowing, matrices, Op::none, T(1), T(0), seed());
    EXPECT_THROW(borrowing.update_values(second), InvalidArgument);
  }
}

// Rows that are not sorted, with duplicates, of a slice, and all of it in the device's memory.
TYPED_TEST(BatchOf, AnyArrays) {
  using T = TypeParam;
  const std::vector<std::int32_t> offsets{2, 5, 6};
  const std::vector<index_t> columns{-1, 900, 3, 0, 3, 1};
  const std::vector<T> values{nan<T>, nan<T>, T(1), T(2), T(4), T(8)};
  const CsrView<T, std::int32_t> slice{2, 4, 4, offsets.data(), columns.data(), values.data()};
  const std::vector<T> x{T(1), T(10), T(100), T(1000), T(2), T(20), T(200), T(2000)};
  const std::vector<T> expected{T(5002), T(80), T(10004), T(160)};
  const std::vector<T> twice{T(1), T(2), T(4), T(8), T(1), T(2), T(4), T(8)};
  for (const Device device : places()) {
    const auto check = [&](const Batch<T>& batch) {
      Guarded<T> y(std::vector<T>(4, nan<T>));
      multiply_there<T>(batch, Op::none, T(1), x, T(0), y);
      EXPECT_EQ(std::vector<T>(y.span().begin(), y.span().end()), expected) << device.name();
    };
    check(plan_batch(std::vector{slice, slice}, {.device = device}));
    check(plan_batch(slice, 2, twice, {.device = device}));
    if (device == cpu_device) continue;
    const DeviceArray<std::int32_t> far_offsets(device, std::span(offsets));
    const DeviceArray<index_t> far_columns(device, std::span(columns));
    const DeviceArray<T> far_values(device, std::span(values));
    const CsrView<T, std::int32_t> far{
        2, 4, 4, far_offsets.data(), far_columns.data(), far_values.data()};
    check(plan_batch(std::vector{far, slice}, {.device = device}));
    check(plan_batch(far, 2, twice, {.device = device}));
  }
}

TYPED_TEST(BatchOf, HostVectorsOnDevices) {
  using T = TypeParam;
  const Small<T> a = made<T>("grid:nx=6,ny=6");
  for (const Device device : places()) {
    const auto batch = plan_batch(std::vector{a.view(), a.view()}, {.device = device});
    const std::vector<T> x(2 * static_cast<std::size_t>(a.cols), T(1));
    std::vector<T> y(2 * static_cast<std::size_t>(a.rows), T(3)), before = y;
    batch.multiply_batch(T(1), x, T(1), y);
    for (const std::size_t half : {0u, 1u}) {
      const auto n = static_cast<std::size_t>(a.rows);
      const Verdict v = check_product<T, std::int32_t>(
          a.view(), Op::none, T(1), std::span(x).first(n), T(1), std::span(before).first(n),
          std::span(y).subspan(half * n, n));
      EXPECT_TRUE(v.right()) << v.message();
    }
  }
}

TEST(Batch, RefusesWhatIsWrong) {
  const Small<double> a = made<double>("grid:nx=5,ny=5");
  const std::vector<double> values(2 * a.values.size(), 1.0);
  const auto batch = plan_batch(a.view(), 2, values, {.op = Op::none});
  const auto n = static_cast<std::size_t>(batch.y_size());
  std::vector<double> both(2 * n, 1.0);
  const std::span<double> x = std::span(both).first(n), y = std::span(both).last(n);
  EXPECT_NO_THROW(batch.multiply_batch(1.0, x, 0.0, y));
  EXPECT_THROW(batch.multiply_batch(1.0, x.first(n - 1), 0.0, y), InvalidArgument);
  EXPECT_THROW(batch.multiply_batch(1.0, x, 0.0, y.first(n - 1)), InvalidArgument);
  EXPECT_THROW(batch.multiply_batch(1.0, x, 0.0, std::span(both).subspan(1, n)), InvalidArgument);
  EXPECT_THROW(batch.multiply_batch(1.0, x, 0.0, y, Op::transpose), InvalidArgument);
  EXPECT_FALSE(batch.supports(Op::transpose));
  EXPECT_THROW(batch.x_offset(3), InvalidArgument);
  EXPECT_THROW(batch.rows(2), InvalidArgument);
  EXPECT_EQ(batch.x_offset(2), batch.x_size());
  EXPECT_THROW(plan_batch(a.view(), 3, values), InvalidArgument);
  EXPECT_THROW(plan_batch(a.view(), -1, values), InvalidArgument);
  EXPECT_THROW(plan_batch(a.view(), 2, values, {.op = {false, false}}), InvalidArgument);
  EXPECT_THROW(plan_batch(a.view(), 2, values, {.threads = 0}), InvalidArgument);
  EXPECT_THROW(plan_batch(a.view(), std::int64_t{1} << 60, {}), InvalidArgument);
  Small<double> bad = a;
  bad.columns[3] = a.cols;
  try {
    plan_batch(std::vector{a.view(), bad.view()});
    ADD_FAILURE() << "a column out of range was taken";
  } catch (const InvalidArgument& e) {
    EXPECT_NE(std::string(e.what()).find("matrix 1 of a batch"), std::string::npos) << e.what();
  }
  if (has_emulator()) {
    const Stream other(emulator_device);
    EXPECT_THROW(batch.multiply_batch(1.0, x, 0.0, y, Op::none, other), InvalidArgument);
  }
}

TEST(Batch, NothingAtAll) {
  for (const Device device : places()) {
    const auto batch =
        plan_batch(std::span<const CsrView<double, std::int64_t>>{}, {.device = device});
    EXPECT_EQ(batch.matrices(), 0);
    EXPECT_EQ(batch.x_size(), 0);
    EXPECT_NO_THROW(batch.multiply_batch(1.0, {}, 0.0, {}));
  }
}

TEST(Batch, MultiplyingOnADeviceAllocatesNothing) {
  NZ_NEEDS_EMULATOR();
  const Small<double> a = made<double>("grid:nx=9,ny=9");
  const std::vector<double> values(7 * a.values.size(), 1.0);
  const auto batch = plan_batch(a.view(), 7, values, {.device = emulator_device});
  const auto n = static_cast<std::size_t>(batch.y_size());
  const std::vector<double> ones(n, 1.0);
  const DeviceArray<double> x(emulator_device, std::span(ones));
  DeviceArray<double> y(emulator_device, n);
  const Stream stream(emulator_device);
  simt::fail_allocation_after(0);
  for (const Op op : all_ops)
    EXPECT_NO_THROW(batch.multiply_batch(2.0, x.span(), 0.0, y.span(), op, stream));
  simt::fail_allocation_after(-1);
  stream.wait();
}

}  // namespace
}  // namespace nz::test
