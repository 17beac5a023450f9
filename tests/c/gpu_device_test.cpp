#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/device.hpp>
#include <nonzero/solve.hpp>

#include "c/devices_here.hpp"
#include "c/given.hpp"
#include "support/devices.hpp"

// What needs a device: on the emulator, and on a GPU where there is one.
namespace nz::test {
namespace {

template <class T>
class CDevice : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(CDevice, Types);

// An array of a device's, made, filled, read and freed by functions of C.
template <class T>
class There {
 public:
  There(const char* device, const std::vector<T>& from) : device_(device), size_(from.size()) {
    EXPECT_EQ(nz_device_allocate(&memory_, device_, size_ * sizeof(T)), NZ_OK) << nz_last_error();
    EXPECT_EQ(nz_device_copy(memory_, from.data(), size_ * sizeof(T), device_), NZ_OK);
  }
  There(const There&) = delete;
  There& operator=(const There&) = delete;
  ~There() { EXPECT_EQ(nz_device_free(memory_, device_), NZ_OK); }
  std::vector<T> back() const {
    std::vector<T> to(size_);
    EXPECT_EQ(nz_device_copy(to.data(), memory_, size_ * sizeof(T), device_), NZ_OK);
    return to;
  }
  T* data() const { return static_cast<T*>(memory_); }

 private:
  const char* device_;
  void* memory_ = nullptr;
  std::size_t size_;
};

nz_plan_options options_on(const char* device) {
  nz_plan_options o = plan_options();
  o.device = device;
  o.op = NZ_BOTH;
  return o;
}

template <class T>
std::vector<T> vector_of(const Array<T>& a) {
  return {a.begin(), a.end()};
}

TYPED_TEST(CDevice, HostVectors) {
  NZ_NEEDS_A_DEVICE();
  using T = TypeParam;
  for (const char* device : devices_here()) {
    const auto a = uneven<T>(60, 40);
    nz_plan_options o = options_on(device);
    const PlanHandle plan = planned(borrowed(a), &o);
    EXPECT_STREQ(nz_plan_device(plan.get()), device);
    EXPECT_GT(nz_plan_bytes(plan.get()), 0);
    expect_right(plan.get(), a);
  }
}

TYPED_TEST(CDevice, DeviceVectorsAndStreams) {
  NZ_NEEDS_A_DEVICE();
  using T = TypeParam;
  for (const char* device : devices_here()) {
    const auto a = uneven<T>(60, 40);
    nz_plan_options o = options_on(device);
    const PlanHandle plan = planned(borrowed(a), &o);
    const Stream stream(device_named(device));
    const std::vector<T> x = numbers<T>(40), before = numbers<T>(60, 2);
    const auto right = [&](const std::vector<T>& y) {
      const Verdict v =
          check_product<T, std::int32_t>(a.view(), Op::none, T(2), x, T(-1), before, y);
      EXPECT_TRUE(v.right()) << v.message();
    };
    const There<T> from(device, x);
    for (void* where : {static_cast<void*>(nullptr), static_cast<void*>(stream.view().handle)}) {
      const There<T> waited(device, before), queued(device, before), bound_to(device, before);
      ASSERT_EQ(C<T>::multiply(plan.get(), NZ_NONE, T(2), from.data(), T(-1), waited.data(), where),
                NZ_OK)
          << nz_last_error();
      right(waited.back());
      ASSERT_EQ(C<T>::enqueue(plan.get(), NZ_NONE, T(2), from.data(), T(-1), queued.data(), where),
                NZ_OK)
          << nz_last_error();
      nz_bound* b = nullptr;
      ASSERT_EQ(nz_bound_create(&b, plan.get(), NZ_NONE, where), NZ_OK) << nz_last_error();
      const BoundHandle bound(b);
      ASSERT_EQ(C<T>::bound_enqueue(b, T(2), from.data(), T(-1), bound_to.data()), NZ_OK);
      ASSERT_EQ(nz_plan_wait(plan.get(), where), NZ_OK) << nz_last_error();
      right(queued.back());
      right(bound_to.back());
    }
  }
}

TYPED_TEST(CDevice, SeveralDeviceVectors) {
  NZ_NEEDS_A_DEVICE();
  using T = TypeParam;
  for (const char* device : devices_here()) {
    const auto a = uneven<T>(60, 40);
    nz_plan_options o = options_on(device);
    const PlanHandle plan = planned(borrowed(a), &o);
    const std::vector<T> x = numbers<T>(3 * 64), before = numbers<T>(3 * 40, 2);
    const There<T> from(device, x), to(device, before);
    ASSERT_EQ(C<T>::multiply_vectors(plan.get(), NZ_TRANSPOSE, 3, T(1), from.data(), 64, T(1),
                                     to.data(), 40, nullptr),
              NZ_OK)
        << nz_last_error();
    const std::vector<T> y = to.back();
    for (std::size_t k = 0; k < 3; ++k) {
      const Verdict v = check_product<T, std::int32_t>(
          a.view(), Op::transpose, T(1), std::span(x).subspan(64 * k, 60), T(1),
          std::span(before).subspan(40 * k, 40), std::span(y).subspan(40 * k, 40));
      EXPECT_TRUE(v.right()) << v.message();
    }
  }
}

// Rows and columns that lie far apart, so that elements are picked and added on the device.
TYPED_TEST(CDevice, WidePlansQueueOnStreams) {
  NZ_NEEDS_A_DEVICE();
  using T = TypeParam;
  const std::int64_t rows[] = {0, 900, 900, 7}, columns[] = {3, 0, 1999, 1000};
  const index_t narrow_rows[] = {0, 900, 900, 7}, narrow_columns[] = {3, 0, 1999, 1000};
  const T values[] = {1, -2, 3, 0.5};
  const auto a =
      csr_from_triplets<T, std::int32_t>(1000, 2000, narrow_rows, narrow_columns, values);
  for (const char* device : devices_here()) {
    nz_plan_options o = options_on(device);
    nz_wide_plan* p = nullptr;
    ASSERT_EQ(C<T>::wide_coo(&p, 1000, 2000, 4, rows, columns, values, &o), NZ_OK)
        << nz_last_error();
    const WideHandle plan(p);
    const Stream stream(device_named(device));
    for (const nz_op op : {NZ_NONE, NZ_TRANSPOSE}) {
      const std::vector<T> x = numbers<T>(turned(op) ? 1000 : 2000),
                           before = numbers<T>(turned(op) ? 2000 : 1000, 2);
      const There<T> from(device, x);
      for (void* where : {static_cast<void*>(nullptr), static_cast<void*>(stream.view().handle)}) {
        const There<T> to(device, before);
        // Twice in a row: the second waits for the first in the stream's order.
        for (const T alpha : {T(2), T(-1)})
          ASSERT_EQ(C<T>::enqueue_wide(p, op, alpha, from.data(), T(1), to.data(), where), NZ_OK)
              << nz_last_error();
        ASSERT_EQ(nz_wide_plan_wait(p, where), NZ_OK) << nz_last_error();
        const std::vector<T> y = to.back();
        const There<T> waited(device, before);
        ASSERT_EQ(C<T>::multiply_wide(p, op, T(1), from.data(), T(1), waited.data(), where), NZ_OK);
        const Verdict v =
            check_product<T, std::int32_t>(a.view(), cpp(op), T(1), x, T(1), before, waited.back());
        EXPECT_TRUE(v.right()) << v.message();
        EXPECT_EQ(y, waited.back());  // small numbers over powers of two: exact
      }
    }
  }
}

// X row by row, Y column by column, queued.
TYPED_TEST(CDevice, DeviceMatricesInBothLayouts) {
  NZ_NEEDS_A_DEVICE();
  using T = TypeParam;
  for (const char* device : devices_here()) {
    const auto a = uneven<T>(60, 40);
    nz_plan_options o = options_on(device);
    o.vectors = 3;
    const PlanHandle plan = planned(borrowed(a), &o);
    const std::vector<T> x = numbers<T>(40 * 4), before = numbers<T>(3 * 64, 2);
    const There<T> from(device, x), to(device, before);
    ASSERT_EQ(C<T>::enqueue_several(plan.get(), NZ_NONE, 3, T(2), from.data(), NZ_ROW_MAJOR, 4,
                                    T(-1), to.data(), NZ_COLUMN_MAJOR, 64, nullptr),
              NZ_OK)
        << nz_last_error();
    ASSERT_EQ(nz_plan_wait(plan.get(), nullptr), NZ_OK);
    const std::vector<T> y = to.back();
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<T> column(40);
      for (std::size_t i = 0; i < 40; ++i) column[i] = x[4 * i + k];
      const Verdict v = check_product<T, std::int32_t>(a.view(), Op::none, T(2), column, T(-1),
                                                       std::span(before).subspan(64 * k, 60),
                                                       std::span(y).subspan(64 * k, 60));
      EXPECT_TRUE(v.right()) << v.message();
    }
  }
}

TYPED_TEST(CDevice, MatrixInDeviceMemory) {
  NZ_NEEDS_A_DEVICE();
  using T = TypeParam;
  for (const char* device : devices_here()) {
    const auto a = uneven<T>(60, 40);
    const There<std::int32_t> offsets(device, vector_of(a.offsets)),
        columns(device, vector_of(a.columns));
    const There<T> values(device, vector_of(a.values));
    nz_matrix* m = nullptr;
    ASSERT_EQ(C<T>::csr_i32(&m, a.rows, a.cols, a.nnz(), offsets.data(), columns.data(),
                            values.data(), NZ_BORROW),
              NZ_OK)
        << nz_last_error();
    const Matrix matrix(m);
    nz_plan_options o = options_on(device);
    const PlanHandle plan = planned(matrix, &o);
    expect_right(plan.get(), a);
    // New values lie there as well.
    auto b = a;
    for (T& v : b.values) v = v + T(1);
    const There<T> others(device, vector_of(b.values));
    ASSERT_EQ(C<T>::csr_i32(&m, a.rows, a.cols, a.nnz(), offsets.data(), columns.data(),
                            others.data(), NZ_BORROW),
              NZ_OK);
    const Matrix other(m);
    ASSERT_EQ(nz_plan_update_values(plan.get(), m), NZ_OK) << nz_last_error();
    expect_right(plan.get(), b);
  }
}

TYPED_TEST(CDevice, SolvesThere) {
  NZ_NEEDS_A_DEVICE();
  using T = TypeParam;
  for (const char* device : devices_here()) {
    const auto a = bar<T>(24);
    const Matrix m = borrowed(a);
    nz_plan_options o = options_on(device);
    const PlanHandle plan = planned(m, &o);
    nz_preconditioner* p = nullptr;
    ASSERT_EQ(nz_preconditioner_jacobi(&p, m.get(), 1, device), NZ_OK) << nz_last_error();
    const PreconditionerHandle jacobi(p);
    nz_solve_options s;
    ASSERT_EQ(nz_solve_options_init(&s, sizeof s), NZ_OK);
    s.tolerance = 1e-5;
    s.preconditioner = p;
    nz_solve_result r;
    ASSERT_EQ(nz_solve_result_init(&r, sizeof r), NZ_OK);
    const std::vector<T> b = numbers<T>(24);
    const There<T> right(device, b), x(device, std::vector<T>(24, T(0)));
    ASSERT_EQ(C<T>::solve(plan.get(), "cg", right.data(), x.data(), &s, &r), NZ_OK)
        << nz_last_error();
    EXPECT_EQ(r.converged, 1) << r.message;
    EXPECT_LT(solve::true_residual(a.view(), b, x.back()), 1e-3);
    // A preconditioner stays on its device.
    const PlanHandle here = planned(m);
    std::vector<T> y(24);
    EXPECT_EQ(C<T>::solve(here.get(), "cg", b.data(), y.data(), &s, &r), NZ_INVALID_ARGUMENT);
    EXPECT_TRUE(says(device));
  }
}

// Columns of x lie on the device, personalisations in host memory.
TYPED_TEST(CDevice, RanksThere) {
  NZ_NEEDS_A_DEVICE();
  using T = TypeParam;
  const Csr<T, std::int32_t> ring{4, 4, {0, 1, 2, 3, 4}, {1, 2, 0, 0}, {1, 1, 1, 1}};
  const Matrix m = borrowed(ring);
  nz_walk_options w = walk_options();
  w.tolerance = 1e-5;
  const std::vector<T> p{1, 0, 0, 0, 1, 1, 1, 1};
  std::vector<T> here(8);
  const auto ranked = [&](const nz_plan* plan, const T* from, T* to, nz_layout layout) {
    return C<T>::pagerank_several(plan, 2, from, NZ_COLUMN_MAJOR, 0, to, layout, 0, &w, nullptr);
  };
  ASSERT_EQ(ranked(planned(m).get(), p.data(), here.data(), NZ_COLUMN_MAJOR), NZ_OK)
      << nz_last_error();
  for (const char* device : devices_here()) {
    const nz_plan_options o = options_on(device);
    const PlanHandle plan = planned(m, &o);
    const There<T> x(device, std::vector<T>(8, T(9))), there(device, p);
    ASSERT_EQ(ranked(plan.get(), p.data(), x.data(), NZ_COLUMN_MAJOR), NZ_OK) << nz_last_error();
    const std::vector<T> ranks = x.back();
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(ranks[i], here[i], 1e-4) << i;
    EXPECT_EQ(ranked(plan.get(), p.data(), x.data(), NZ_ROW_MAJOR), NZ_INVALID_ARGUMENT);
    EXPECT_TRUE(says("column by column"));
    EXPECT_EQ(ranked(plan.get(), there.data(), x.data(), NZ_COLUMN_MAJOR), NZ_INVALID_ARGUMENT);
    EXPECT_TRUE(says("host memory"));
  }
}

TEST(CDeviceErrors, Memory) {
  NZ_NEEDS_EMULATOR();
  void* memory = &memory;
  ASSERT_EQ(nz_device_allocate(&memory, "emu", 0), NZ_OK);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(nz_device_free(memory, "emu"), NZ_OK);
  EXPECT_EQ(nz_device_copy(nullptr, nullptr, 0, "emu"), NZ_OK);
  char one = 0;
  EXPECT_EQ(nz_device_copy(nullptr, &one, 1, "emu"), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("to is NULL"));
  EXPECT_EQ(nz_device_copy(&one, nullptr, 1, "emu"), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_device_allocate(nullptr, "emu", 8), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_device_allocate(&memory, "emu", std::size_t{1} << 60), NZ_NO_RESOURCE);
  EXPECT_EQ(memory, nullptr);
}

}  // namespace
}  // namespace nz::test
