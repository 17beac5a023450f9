#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats/csr.hpp>
#include <nonzero/nonzero.h>
#include <nonzero/truth.hpp>

namespace nz::test {

struct Destroy {
  void operator()(nz_matrix* p) const { nz_matrix_destroy(p); }
  void operator()(nz_plan* p) const { nz_plan_destroy(p); }
  void operator()(nz_bound* p) const { nz_bound_destroy(p); }
  void operator()(nz_preconditioner* p) const { nz_preconditioner_destroy(p); }
  void operator()(nz_wide_plan* p) const { nz_wide_plan_destroy(p); }
};
using Matrix = std::unique_ptr<nz_matrix, Destroy>;
using PlanHandle = std::unique_ptr<nz_plan, Destroy>;
using BoundHandle = std::unique_ptr<nz_bound, Destroy>;
using PreconditionerHandle = std::unique_ptr<nz_preconditioner, Destroy>;
using WideHandle = std::unique_ptr<nz_wide_plan, Destroy>;

// The functions of a type under one name, for typed tests.
template <class T>
struct C;
template <>
struct C<float> {
  static constexpr nz_type type = NZ_F32;
  static constexpr auto csr_i32 = nz_matrix_csr_f32_i32;
  static constexpr auto csr_i64 = nz_matrix_csr_f32_i64;
  static constexpr auto csc_i32 = nz_matrix_csc_f32_i32;
  static constexpr auto csc_i64 = nz_matrix_csc_f32_i64;
  static constexpr auto coo = nz_matrix_coo_f32;
  static constexpr auto get = nz_matrix_get_f32;
  static constexpr auto multiply = nz_multiply_f32;
  static constexpr auto enqueue = nz_enqueue_f32;
  static constexpr auto multiply_vectors = nz_multiply_vectors_f32;
  static constexpr auto multiply_several = nz_multiply_several_f32;
  static constexpr auto enqueue_several = nz_enqueue_several_f32;
  static constexpr auto bound_enqueue = nz_bound_enqueue_f32;
  static constexpr auto solve = nz_solve_f32;
  static constexpr auto pagerank = nz_pagerank_f32;
  static constexpr auto pagerank_several = nz_pagerank_several_f32;
  static constexpr auto stationary = nz_stationary_f32;
  static constexpr auto lobpcg = nz_lobpcg_f32;
  static constexpr auto wide_csr = nz_wide_plan_csr_f32;
  static constexpr auto wide_coo = nz_wide_plan_coo_f32;
  static constexpr auto multiply_wide = nz_multiply_wide_f32;
  static constexpr auto enqueue_wide = nz_enqueue_wide_f32;
  static constexpr auto multiply_wide_several = nz_multiply_wide_several_f32;
  static constexpr auto enqueue_wide_several = nz_enqueue_wide_several_f32;
  static constexpr auto solve_wide = nz_solve_wide_f32;
  static constexpr auto pagerank_wide = nz_pagerank_wide_f32;
  static constexpr auto pagerank_wide_several = nz_pagerank_wide_several_f32;
  static constexpr auto stationary_wide = nz_stationary_wide_f32;
  static constexpr auto lobpcg_wide = nz_lobpcg_wide_f32;
};
template <>
struct C<double> {
  static constexpr nz_type type = NZ_F64;
  static constexpr auto csr_i32 = nz_matrix_csr_f64_i32;
  static constexpr auto csr_i64 = nz_matrix_csr_f64_i64;
  static constexpr auto csc_i32 = nz_matrix_csc_f64_i32;
  static constexpr auto csc_i64 = nz_matrix_csc_f64_i64;
  static constexpr auto coo = nz_matrix_coo_f64;
  static constexpr auto get = nz_matrix_get_f64;
  static constexpr auto multiply = nz_multiply_f64;
  static constexpr auto enqueue = nz_enqueue_f64;
  static constexpr auto multiply_vectors = nz_multiply_vectors_f64;
  static constexpr auto multiply_several = nz_multiply_several_f64;
  static constexpr auto enqueue_several = nz_enqueue_several_f64;
  static constexpr auto bound_enqueue = nz_bound_enqueue_f64;
  static constexpr auto solve = nz_solve_f64;
  static constexpr auto pagerank = nz_pagerank_f64;
  static constexpr auto pagerank_several = nz_pagerank_several_f64;
  static constexpr auto stationary = nz_stationary_f64;
  static constexpr auto lobpcg = nz_lobpcg_f64;
  static constexpr auto wide_csr = nz_wide_plan_csr_f64;
  static constexpr auto wide_coo = nz_wide_plan_coo_f64;
  static constexpr auto multiply_wide = nz_multiply_wide_f64;
  static constexpr auto enqueue_wide = nz_enqueue_wide_f64;
  static constexpr auto multiply_wide_several = nz_multiply_wide_several_f64;
  static constexpr auto enqueue_wide_several = nz_enqueue_wide_several_f64;
  static constexpr auto solve_wide = nz_solve_wide_f64;
  static constexpr auto pagerank_wide = nz_pagerank_wide_f64;
  static constexpr auto pagerank_wide_several = nz_pagerank_wide_several_f64;
  static constexpr auto stationary_wide = nz_stationary_wide_f64;
  static constexpr auto lobpcg_wide = nz_lobpcg_wide_f64;
};
template <>
struct C<nz_c64> {
  static constexpr nz_type type = NZ_C64;
  static constexpr auto csr_i32 = nz_matrix_csr_c64_i32;
  static constexpr auto csr_i64 = nz_matrix_csr_c64_i64;
  static constexpr auto csc_i32 = nz_matrix_csc_c64_i32;
  static constexpr auto csc_i64 = nz_matrix_csc_c64_i64;
  static constexpr auto coo = nz_matrix_coo_c64;
  static constexpr auto get = nz_matrix_get_c64;
  static constexpr auto multiply = nz_multiply_c64;
  static constexpr auto enqueue = nz_enqueue_c64;
  static constexpr auto multiply_vectors = nz_multiply_vectors_c64;
  static constexpr auto multiply_several = nz_multiply_several_c64;
  static constexpr auto enqueue_several = nz_enqueue_several_c64;
  static constexpr auto bound_enqueue = nz_bound_enqueue_c64;
  static constexpr auto solve = nz_solve_c64;
};
template <>
struct C<nz_c128> {
  static constexpr nz_type type = NZ_C128;
  static constexpr auto csr_i32 = nz_matrix_csr_c128_i32;
  static constexpr auto csr_i64 = nz_matrix_csr_c128_i64;
  static constexpr auto csc_i32 = nz_matrix_csc_c128_i32;
  static constexpr auto csc_i64 = nz_matrix_csc_c128_i64;
  static constexpr auto coo = nz_matrix_coo_c128;
  static constexpr auto get = nz_matrix_get_c128;
  static constexpr auto multiply = nz_multiply_c128;
  static constexpr auto enqueue = nz_enqueue_c128;
  static constexpr auto multiply_vectors = nz_multiply_vectors_c128;
  static constexpr auto multiply_several = nz_multiply_several_c128;
  static constexpr auto enqueue_several = nz_enqueue_several_c128;
  static constexpr auto bound_enqueue = nz_bound_enqueue_c128;
  static constexpr auto solve = nz_solve_c128;
};

// n / over; with an imaginary part where T has one.
template <Value T>
T number(int n, int over) {
  if constexpr (ComplexValue<T>)
    return T(static_cast<real_of<T>>(n), static_cast<real_of<T>>(3 - n)) /
           static_cast<real_of<T>>(over);
  else
    return static_cast<T>(n) / static_cast<T>(over);
}

// A matrix whose rows differ in length, some of them empty.
template <Value T>
Csr<T, std::int32_t> uneven(index_t rows, index_t cols) {
  std::vector<index_t> row, column;
  std::vector<T> value;
  for (index_t i = 0; i < rows; ++i)
    for (index_t k = 0; k < i % 7; ++k) {
      row.push_back(i);
      column.push_back((i * 13 + k * 29) % cols);
      value.push_back(number<T>((i + 3 * k) % 11 - 5, 4));
    }
  return csr_from_triplets<T, std::int32_t>(rows, cols, row, column, value);
}

// 2 on the diagonal, -1 beside it: symmetric positive definite.
template <Value T>
Csr<T, std::int32_t> bar(index_t n) {
  std::vector<index_t> row, column;
  std::vector<T> value;
  for (index_t i = 0; i < n; ++i)
    for (index_t j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= n) continue;
      row.push_back(i);
      column.push_back(j);
      value.push_back(i == j ? T(2) : T(-1));
    }
  return csr_from_triplets<T, std::int32_t>(n, n, row, column, value);
}

template <Value T>
Matrix borrowed(const Csr<T, std::int32_t>& a) {
  nz_matrix* m = nullptr;
  EXPECT_EQ(C<T>::csr_i32(&m, a.rows, a.cols, a.nnz(), a.offsets.data(), a.columns.data(),
                          a.values.data(), NZ_BORROW),
            NZ_OK)
      << nz_last_error();
  return Matrix(m);
}

inline nz_plan_options plan_options() {
  nz_plan_options o;
  EXPECT_EQ(nz_plan_options_init(&o, sizeof o), NZ_OK);
  return o;
}

inline nz_walk_options walk_options() {
  nz_walk_options o;
  EXPECT_EQ(nz_walk_options_init(&o, sizeof o), NZ_OK);
  return o;
}

inline nz_solve_result empty_result() {
  nz_solve_result r;
  EXPECT_EQ(nz_solve_result_init(&r, sizeof r), NZ_OK);
  return r;
}

inline PlanHandle planned(const Matrix& m, const nz_plan_options* options = nullptr) {
  nz_plan* p = nullptr;
  EXPECT_EQ(nz_plan_create(&p, m.get(), options), NZ_OK) << nz_last_error();
  return PlanHandle(p);
}

template <Value T>
std::vector<T> numbers(std::size_t n, int from = 1) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = number<T>((static_cast<int>(i) * 17 + from * 5) % 23 - 11, 8);
  return v;
}

inline Op cpp(nz_op op) {
  return op == NZ_NONE        ? Op::none
         : op == NZ_TRANSPOSE ? Op::transpose
         : op == NZ_CONJUGATE ? Op::conjugate
                              : Op::conjugate_transpose;
}
inline bool turned(nz_op op) { return op == NZ_TRANSPOSE || op == NZ_CONJUGATE_TRANSPOSE; }

// Factors as the functions of a type take them.
template <Value T>
nz_status multiplied(const nz_plan* plan, nz_op op, T alpha, const T* x, T beta, T* y) {
  if constexpr (ComplexValue<T>)
    return C<T>::multiply(plan, op, &alpha, x, &beta, y, nullptr);
  else
    return C<T>::multiply(plan, op, alpha, x, beta, y, nullptr);
}

// That plan multiplies by a, within the bound of each row: all ops, alpha and beta that count.
template <Value T>
void expect_right(const nz_plan* plan, const Csr<T, std::int32_t>& a) {
  for (const nz_op op : {NZ_NONE, NZ_TRANSPOSE, NZ_CONJUGATE_TRANSPOSE, NZ_CONJUGATE}) {
    const auto width = static_cast<std::size_t>(turned(op) ? a.rows : a.cols),
               height = static_cast<std::size_t>(turned(op) ? a.cols : a.rows);
    const std::vector<T> x = numbers<T>(width), before = numbers<T>(height, 3);
    std::vector<T> y = before;
    const T alpha = number<T>(6, 4), beta = number<T>(-2, 4);
    ASSERT_EQ(multiplied(plan, op, alpha, x.data(), beta, y.data()), NZ_OK) << nz_last_error();
    const Verdict v =
        check_product<T, std::int32_t>(a.view(), op_for<T>(cpp(op)), alpha, x, beta, before, y);
    EXPECT_TRUE(v.right()) << v.message();
  }
}

// The last error of this thread has that in it.
inline bool says(const std::string& part) {
  return std::string(nz_last_error()).find(part) != std::string::npos;
}

}  // namespace nz::test
