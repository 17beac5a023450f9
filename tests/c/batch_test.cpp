#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/nonzero.h>

#include "c/given.hpp"

namespace nz::test {
namespace {

struct End {
  void operator()(nz_batch* p) const { nz_batch_destroy(p); }
  void operator()(nz_matrix* p) const { nz_matrix_destroy(p); }
};
using BatchHandle = std::unique_ptr<nz_batch, End>;
using Matrix = std::unique_ptr<nz_matrix, End>;

//  1  2  .      and the same with other values
//  .  .  3
const std::vector<std::int32_t> offsets{0, 2, 3}, columns{0, 1, 2};
const std::vector<double> values{1, 2, 3, 10, 20, 30};

Matrix matrix_at(const double* at) {
  nz_matrix* made = nullptr;
  EXPECT_EQ(nz_matrix_csr_f64_i32(&made, 2, 3, 3, offsets.data(), columns.data(), at, NZ_COPY),
            NZ_OK)
      << nz_last_error();
  return Matrix(made);
}

void expect_products(const nz_batch* batch) {
  EXPECT_EQ(nz_batch_matrices(batch), 2);
  EXPECT_EQ(nz_batch_x_offset(batch, NZ_NONE, 1), 3);
  EXPECT_EQ(nz_batch_y_offset(batch, NZ_NONE, 2), 4);
  EXPECT_EQ(nz_batch_x_offset(batch, NZ_TRANSPOSE, 2), 4);
  const std::vector<double> x{1, 1, 1, 2, 3, 4};
  std::vector<double> y(4, -1), z(6, 1);
  ASSERT_EQ(nz_multiply_batch_f64(batch, NZ_NONE, 1, x.data(), 0, y.data(), nullptr), NZ_OK);
  EXPECT_EQ(y, (std::vector<double>{3, 3, 80, 120}));
  ASSERT_EQ(nz_enqueue_batch_f64(batch, NZ_TRANSPOSE, 1, y.data(), 1, z.data(), nullptr), NZ_OK);
  EXPECT_EQ(z, (std::vector<double>{4, 7, 10, 801, 1601, 3601}));
  // To real matrices the conjugate transpose is the transpose.
  EXPECT_EQ(nz_batch_x_offset(batch, NZ_CONJUGATE_TRANSPOSE, 2), 4);
  EXPECT_EQ(nz_batch_y_offset(batch, NZ_CONJUGATE_TRANSPOSE, 2), 6);
  std::vector<double> w(6, 1);
  ASSERT_EQ(nz_multiply_batch_f64(batch, NZ_CONJUGATE_TRANSPOSE, 1, y.data(), 1, w.data(), nullptr),
            NZ_OK);
  EXPECT_EQ(w, z);
}

TEST(CBatch, OfOneStructureAndOfMany) {
  const Matrix first = matrix_at(values.data()), second = matrix_at(values.data() + 3);
  nz_batch* made = nullptr;
  ASSERT_EQ(nz_batch_create_f64(&made, first.get(), 2, values.data(), nullptr), NZ_OK)
      << nz_last_error();
  const BatchHandle one(made);
  expect_products(one.get());
  const nz_matrix* both[] = {first.get(), second.get()};
  ASSERT_EQ(nz_batch_of(&made, 2, both, nullptr), NZ_OK) << nz_last_error();
  const BatchHandle many(made);
  expect_products(many.get());
  EXPECT_EQ(nz_batch_update_values_f64(many.get(), values.data()), NZ_INVALID_ARGUMENT);
  const std::vector<double> zeros(6, 0), x(6, 1);
  std::vector<double> y(4, 5);
  ASSERT_EQ(nz_batch_update_values_f64(one.get(), zeros.data()), NZ_OK) << nz_last_error();
  ASSERT_EQ(nz_multiply_batch_f64(one.get(), NZ_NONE, 1, x.data(), 0, y.data(), nullptr), NZ_OK);
  EXPECT_EQ(y, std::vector<double>(4, 0));
}

TEST(CBatch, RefusesWhatIsWrong) {
  const Matrix a = matrix_at(values.data());
  nz_batch* made = nullptr;
  EXPECT_EQ(nz_batch_create_f64(&made, nullptr, 2, values.data(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_batch_create_f64(&made, a.get(), 2, nullptr, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_batch_create_f64(&made, a.get(), -1, values.data(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_batch_create_f64(&made, a.get(), INT64_MAX, values.data(), nullptr),
            NZ_INVALID_ARGUMENT);
  for (int which = 0; which < 4; ++which) {
    nz_plan_options o = plan_options();
    if (which == 0) o.memory_limit = 1;
    if (which == 1) o.vectors = 8;
    if (which == 2) o.store_values_as = NZ_VALUES_F32;
    if (which == 3) o.kernel = "cpu/csr/serial";
    EXPECT_EQ(nz_batch_create_f64(&made, a.get(), 2, values.data(), &o), NZ_INVALID_ARGUMENT)
        << which;
  }
  EXPECT_EQ(made, nullptr);
  const nz_matrix* none[] = {nullptr};
  EXPECT_EQ(nz_batch_of(&made, 1, none, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_batch_of(&made, 0, none, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_batch_matrices(nullptr), -1);
  ASSERT_EQ(nz_batch_create_f64(&made, a.get(), 2, values.data(), nullptr), NZ_OK);
  const BatchHandle batch(made);
  float x[6] = {}, y[4] = {};
  EXPECT_EQ(nz_multiply_batch_f32(batch.get(), NZ_NONE, 1, x, 0, y, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_multiply_batch_f64(batch.get(), NZ_NONE, 1, nullptr, 0, nullptr, nullptr),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_batch_x_offset(batch.get(), NZ_NONE, 3), -1);
  EXPECT_EQ(nz_batch_x_offset(batch.get(), NZ_BOTH, 0), -1);
}

}  // namespace
}  // namespace nz::test
