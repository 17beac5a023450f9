#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nonzero/formats/coo.hpp>

#include "c/given.hpp"
#include "support/matrices.hpp"
#include "support/temp_dir.hpp"

namespace nz::test {
namespace {

template <class T>
class CMatrix : public testing::Test {};
using Types = testing::Types<float, double, nz_c64, nz_c128>;
TYPED_TEST_SUITE(CMatrix, Types);

// What the handle has is a.
template <Value T>
void expect_same(const nz_matrix* m, const Csr<T, std::int32_t>& a) {
  ASSERT_EQ(nz_matrix_rows(m), a.rows);
  ASSERT_EQ(nz_matrix_columns(m), a.cols);
  ASSERT_EQ(nz_matrix_nonzeros(m), a.nnz());
  EXPECT_EQ(nz_matrix_type(m), C<T>::type);
  std::vector<std::int64_t> offsets(a.offsets.size());
  std::vector<std::int32_t> columns(a.columns.size());
  std::vector<T> values(a.values.size());
  ASSERT_EQ(C<T>::get(m, offsets.data(), columns.data(), values.data()), NZ_OK) << nz_last_error();
  EXPECT_TRUE(std::equal(offsets.begin(), offsets.end(), a.offsets.begin()));
  EXPECT_TRUE(std::equal(columns.begin(), columns.end(), a.columns.begin()));
  EXPECT_TRUE(std::equal(values.begin(), values.end(), a.values.begin()));
}

TYPED_TEST(CMatrix, FromRowsOfBothOffsets) {
  using T = TypeParam;
  const auto a = uneven<T>(50, 40);
  const auto wide = csr_cast<T, std::int64_t>(a.view());
  for (const nz_arrays arrays : {NZ_BORROW, NZ_COPY}) {
    nz_matrix* m = nullptr;
    ASSERT_EQ(C<T>::csr_i32(&m, a.rows, a.cols, a.nnz(), a.offsets.data(), a.columns.data(),
                            a.values.data(), arrays),
              NZ_OK);
    expect_same(m, a);
    expect_right(planned(Matrix(m)).get(), a);
    ASSERT_EQ(C<T>::csr_i64(&m, a.rows, a.cols, a.nnz(), wide.offsets.data(), a.columns.data(),
                            a.values.data(), arrays),
              NZ_OK);
    expect_same(m, a);
    expect_right(planned(Matrix(m)).get(), a);
  }
}

TYPED_TEST(CMatrix, FromColumnsOfBothOffsets) {
  using T = TypeParam;
  const auto a = uneven<T>(50, 40);
  const auto csc = transpose(a.view());  // columns are the rows of this
  const auto wide = csr_cast<T, std::int64_t>(csc.view());
  nz_matrix* m = nullptr;
  ASSERT_EQ(C<T>::csc_i32(&m, a.rows, a.cols, a.nnz(), csc.offsets.data(), csc.columns.data(),
                          csc.values.data()),
            NZ_OK);
  expect_same(Matrix(m).get(), a);
  ASSERT_EQ(C<T>::csc_i64(&m, a.rows, a.cols, a.nnz(), wide.offsets.data(), csc.columns.data(),
                          csc.values.data()),
            NZ_OK);
  const Matrix kept(m);
  expect_same(m, a);
  expect_right(planned(kept).get(), a);
}

TYPED_TEST(CMatrix, FromColumnsThatAreNotSorted) {
  using T = TypeParam;
  // Column 0 has rows 2 and 0, column 1 row 1 twice; what lies before and behind is another's.
  const std::int64_t offsets[] = {1, 3, 5};
  const std::int32_t rows[] = {9, 2, 0, 1, 1, 9};
  const T values[] = {99, 5, 3, 4, 6, 99};
  nz_matrix* m = nullptr;
  ASSERT_EQ(C<T>::csc_i64(&m, 3, 2, 4, offsets, rows, values), NZ_OK) << nz_last_error();
  expect_same(Matrix(m).get(), Csr<T, std::int32_t>{3, 2, {0, 1, 2, 3}, {0, 1, 0}, {3, 10, 5}});
}

TYPED_TEST(CMatrix, FromEntriesInAnyOrder) {
  using T = TypeParam;
  const auto a = uneven<T>(50, 40);
  auto coo = coo_from_csr(a.view());
  std::reverse(coo.row.begin(), coo.row.end());
  std::reverse(coo.column.begin(), coo.column.end());
  std::reverse(coo.values.begin(), coo.values.end());
  nz_matrix* m = nullptr;
  ASSERT_EQ(
      C<T>::coo(&m, a.rows, a.cols, a.nnz(), coo.row.data(), coo.column.data(), coo.values.data()),
      NZ_OK);
  const Matrix kept(m);
  expect_same(m, a);
  expect_right(planned(kept).get(), a);
}

TYPED_TEST(CMatrix, EntriesWithTheSamePlaceAreSummed) {
  using T = TypeParam;
  const std::int32_t row[] = {1, 0, 1}, column[] = {0, 1, 0};
  const T value[] = {2, 3, 5};
  nz_matrix* m = nullptr;
  ASSERT_EQ(C<T>::coo(&m, 2, 2, 3, row, column, value), NZ_OK);
  expect_same(Matrix(m).get(), Csr<T, std::int32_t>{2, 2, {0, 1, 2}, {1, 0}, {3, 7}});
}

// Rows 1 and 2 of a larger matrix, unsorted, with a column twice.
TYPED_TEST(CMatrix, SlicesAreCopiedSortedAndSummed) {
  using T = TypeParam;
  const std::int32_t offsets[] = {2, 4, 6}, columns[] = {7, 7, 2, 0, 1, 1, 7};
  const T values[] = {99, 99, 1, 2, 3, 4, 99};
  nz_matrix* m = nullptr;
  ASSERT_EQ(C<T>::csr_i32(&m, 2, 3, 4, offsets, columns, values, NZ_COPY), NZ_OK)
      << nz_last_error();
  const Csr<T, std::int32_t> wanted{2, 3, {0, 2, 3}, {0, 2, 1}, {2, 1, 7}};
  expect_same(Matrix(m).get(), wanted);
  // Borrowed they stay as they are, and the plan sees the same matrix.
  ASSERT_EQ(C<T>::csr_i32(&m, 2, 3, 4, offsets, columns, values, NZ_BORROW), NZ_OK);
  const Matrix kept(m);
  expect_same(m, Csr<T, std::int32_t>{2, 3, {0, 2, 4}, {2, 0, 1, 1}, {1, 2, 3, 4}});
  expect_right(planned(kept).get(), wanted);
}

TYPED_TEST(CMatrix, WithoutRowsColumnsOrEntries) {
  using T = TypeParam;
  const std::int32_t none[] = {0, 0, 0};
  for (const nz_arrays arrays : {NZ_BORROW, NZ_COPY}) {
    nz_matrix* m = nullptr;
    ASSERT_EQ(C<T>::csr_i32(&m, 2, 0, 0, none, nullptr, nullptr, arrays), NZ_OK) << nz_last_error();
    const Matrix narrow(m);
    expect_right(planned(narrow).get(), Csr<T, std::int32_t>{2, 0, {0, 0, 0}, {}, {}});
    ASSERT_EQ(C<T>::csr_i32(&m, 0, 3, 0, none, nullptr, nullptr, arrays), NZ_OK) << nz_last_error();
    const Matrix flat(m);
    expect_right(planned(flat).get(), Csr<T, std::int32_t>{0, 3, {0}, {}, {}});
  }
  nz_matrix* m = nullptr;
  ASSERT_EQ(C<T>::coo(&m, 0, 0, 0, nullptr, nullptr, nullptr), NZ_OK) << nz_last_error();
  EXPECT_EQ(nz_matrix_nonzeros(Matrix(m).get()), 0);
}

TYPED_TEST(CMatrix, PartsCanBeHad) {
  using T = TypeParam;
  const auto a = uneven<T>(9, 8);
  const Matrix m = borrowed(a);
  std::vector<T> values(a.values.size());
  ASSERT_EQ(C<T>::get(m.get(), nullptr, nullptr, values.data()), NZ_OK);
  EXPECT_TRUE(std::equal(values.begin(), values.end(), a.values.begin()));
  EXPECT_EQ(C<T>::get(m.get(), nullptr, nullptr, nullptr), NZ_OK);
}

TYPED_TEST(CMatrix, Files) {
  using T = TypeParam;
  const TempDir dir;
  nz_matrix* m = nullptr;
  ASSERT_EQ(nz_matrix_read(&m, dir.write("small.mtx", small_mtx).c_str(), C<T>::type), NZ_OK)
      << nz_last_error();
  const Matrix read(m);
  const Csr<T, std::int32_t> small{3, 4, {0, 2, 2, 5}, {0, 1, 1, 2, 3}, {1, 2, 3, -4, 5}};
  expect_same(m, small);
  // Owned arrays, and borrowed ones that are not sorted.
  const auto own = dir(ComplexValue<T> ? "own.mtx.zst" : "own.nzb");
  ASSERT_EQ(nz_matrix_write(m, own.c_str()), NZ_OK) << nz_last_error();
  ASSERT_EQ(nz_matrix_read(&m, own.c_str(), C<T>::type), NZ_OK) << nz_last_error();
  expect_same(Matrix(m).get(), small);
  const std::int32_t offsets[] = {0, 2, 2, 5}, columns[] = {1, 0, 3, 1, 2};
  const T values[] = {2, 1, 5, 3, -4};
  ASSERT_EQ(C<T>::csr_i32(&m, 3, 4, 5, offsets, columns, values, NZ_BORROW), NZ_OK);
  const Matrix unsorted(m);
  ASSERT_EQ(nz_matrix_write(m, dir("lent.mtx.gz").c_str()), NZ_OK) << nz_last_error();
  ASSERT_EQ(nz_matrix_read(&m, dir("lent.mtx.gz").c_str(), C<T>::type), NZ_OK) << nz_last_error();
  expect_same(Matrix(m).get(), small);
}

// By the names that say what a text is, in every type.
TYPED_TEST(CMatrix, Graphs) {
  using T = TypeParam;
  const TempDir dir;
  nz_matrix* m = nullptr;
  const std::string edges = "edges:" + dir.write("e.txt", "# from to weight\n1 2 0.5\n3 1 -4\n");
  ASSERT_EQ(nz_matrix_read(&m, edges.c_str(), C<T>::type), NZ_OK) << nz_last_error();
  const Matrix list(m);
  const Csr<T, std::int32_t> wanted{3, 3, {0, 1, 1, 2}, {1, 0}, {0.5, -4}};
  expect_same(m, wanted);
  expect_right(planned(list).get(), wanted);
  const std::string metis = "metis:" + dir.write("g.graph", "% a path\n3 2\n2\n1 3\n2\n");
  ASSERT_EQ(nz_matrix_read(&m, metis.c_str(), C<T>::type), NZ_OK) << nz_last_error();
  expect_same(Matrix(m).get(),
              Csr<T, std::int32_t>{3, 3, {0, 1, 3, 4}, {1, 0, 2, 1}, {1, 1, 1, 1}});
  // What is wrong is told with its line, and nothing is made.
  for (const auto& [name, said] : {std::pair{"edges:" + dir.write("bad.txt", "0 1\n2\n"),
                                             "bad.txt:2: an edge needs two nodes"},
                                   std::pair{"metis:" + dir.write("bad.graph", "2 1\n3\n1\n"),
                                             "bad.graph:2: node 3 is not from 1 to 2"},
                                   std::pair{"edges:" + dir("missing.txt"), "missing.txt"}}) {
    EXPECT_EQ(nz_matrix_read(&m, name.c_str(), C<T>::type), NZ_BAD_INPUT) << name;
    EXPECT_EQ(m, nullptr);
    EXPECT_TRUE(says(said)) << nz_last_error();
  }
}

TEST(CMatrixErrors, Files) {
  const TempDir dir;
  nz_matrix* m = reinterpret_cast<nz_matrix*>(&m);  // whatever was there
  EXPECT_EQ(nz_matrix_read(&m, dir.write("a.mtx", "%%MatrixMarket nonsense\n").c_str(), NZ_F64),
            NZ_BAD_INPUT);
  EXPECT_EQ(m, nullptr);
  EXPECT_TRUE(says("a.mtx:1"));
  EXPECT_NE(nz_matrix_read(&m, dir("missing.mtx").c_str(), NZ_F64), NZ_OK);
  EXPECT_TRUE(says("missing.mtx"));
  EXPECT_EQ(nz_matrix_read(&m, nullptr, NZ_F64), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("path is NULL"));
  EXPECT_EQ(nz_matrix_read(nullptr, dir("missing.mtx").c_str(), NZ_F64), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("matrix is NULL"));
  EXPECT_EQ(nz_matrix_read(&m, dir("missing.mtx").c_str(), 17), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("17"));
  const auto a = uneven<double>(5, 5);
  EXPECT_EQ(nz_matrix_write(borrowed(a).get(), dir("a.txt").c_str()), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_matrix_write(borrowed(a).get(), dir("no/such/folder/a.mtx").c_str()), NZ_FAILED);
  EXPECT_EQ(nz_matrix_write(borrowed(a).get(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(nz_matrix_write(nullptr, dir("a.mtx").c_str()), NZ_INVALID_ARGUMENT);
  // Complex numbers: no .nzb, and nothing real can hold them.
  const auto z = uneven<nz_c128>(5, 5);
  EXPECT_EQ(nz_matrix_write(borrowed(z).get(), dir("z.nzb").c_str()), NZ_INVALID_ARGUMENT);
  ASSERT_EQ(nz_matrix_write(borrowed(z).get(), dir("z.mtx").c_str()), NZ_OK) << nz_last_error();
  EXPECT_EQ(nz_matrix_read(&m, dir("z.mtx").c_str(), NZ_F64), NZ_BAD_INPUT);
  EXPECT_EQ(m, nullptr);
}

TYPED_TEST(CMatrix, ArraysThatAreNone) {
  using T = TypeParam;
  const std::int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1}, falls[] = {0, 2, 1}, out[] = {0, 5};
  const T values[] = {1, 2};
  nz_matrix* m = reinterpret_cast<nz_matrix*>(&m);
  const auto status = [&](std::int32_t rows, std::int32_t cols, std::int64_t nonzeros,
                          const std::int32_t* o, const std::int32_t* c, const T* v,
                          nz_arrays arrays) {
    const nz_status s = C<T>::csr_i32(&m, rows, cols, nonzeros, o, c, v, arrays);
    EXPECT_EQ(m, nullptr);
    return s;
  };
  EXPECT_EQ(status(-1, 2, 2, offsets, columns, values, NZ_BORROW), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status(2, -1, 2, offsets, columns, values, NZ_COPY), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status(2, 2, -1, offsets, columns, values, NZ_BORROW), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status(2, 2, std::int64_t{1} << 40, offsets, columns, values, NZ_BORROW),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("32 bits"));
  EXPECT_EQ(status(2, 2, 2, nullptr, columns, values, NZ_BORROW), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status(2, 2, 2, offsets, nullptr, values, NZ_COPY), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status(2, 2, 2, offsets, columns, nullptr, NZ_COPY), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status(2, 2, 2, offsets, columns, values, 5), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("NZ_BORROW"));
  EXPECT_EQ(status(2, 2, 2, falls, columns, values, NZ_COPY), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(status(2, 2, 2, offsets, out, values, NZ_COPY), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("5"));
  EXPECT_EQ(C<T>::csr_i32(nullptr, 2, 2, 2, offsets, columns, values, NZ_COPY),
            NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::csc_i32(&m, 2, 2, 2, falls, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("CSC"));
  EXPECT_EQ(C<T>::csc_i32(&m, 2, 2, 2, offsets, out, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::csc_i32(&m, 2, 2, 2, nullptr, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::coo(&m, 2, 2, 2, columns, out, values), NZ_BAD_INPUT);
  EXPECT_EQ(C<T>::coo(&m, 2, 2, -2, columns, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::coo(&m, 2, 2, 2, nullptr, columns, values), NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("row_indices is NULL"));
  EXPECT_EQ(C<T>::coo(&m, 2, 2, 2, columns, nullptr, values), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(C<T>::coo(&m, 2, 2, 2, columns, columns, nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_NE(C<T>::coo(&m, -2, 2, 2, columns, columns, values), NZ_OK);
  EXPECT_EQ(m, nullptr);

  // Borrowed arrays are looked at when they are read: by a plan, and by copies of them.
  ASSERT_EQ(C<T>::csr_i32(&m, 2, 2, 2, offsets, out, values, NZ_BORROW), NZ_OK);
  const Matrix bad(m);
  nz_plan* plan = reinterpret_cast<nz_plan*>(&plan);
  EXPECT_EQ(nz_plan_create(&plan, bad.get(), nullptr), NZ_INVALID_ARGUMENT);
  EXPECT_EQ(plan, nullptr);
  std::int32_t two[2];
  EXPECT_EQ(C<T>::get(bad.get(), nullptr, two, nullptr), NZ_INVALID_ARGUMENT);
  const TempDir dir;
  EXPECT_EQ(nz_matrix_write(bad.get(), dir("bad.mtx").c_str()), NZ_INVALID_ARGUMENT);
}

TEST(CMatrixErrors, OtherTypes) {
  const auto a = uneven<double>(5, 5);
  std::vector<float> values(a.values.size());
  EXPECT_EQ(nz_matrix_get_f32(borrowed(a).get(), nullptr, nullptr, values.data()),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("matrix is of double, not of float"));
  const auto z = uneven<nz_c128>(5, 5);
  EXPECT_EQ(nz_matrix_get_f32(borrowed(z).get(), nullptr, nullptr, values.data()),
            NZ_INVALID_ARGUMENT);
  EXPECT_TRUE(says("matrix is of complex double, not of float"));
  EXPECT_EQ(nz_matrix_get_f64(nullptr, nullptr, nullptr, nullptr), NZ_INVALID_ARGUMENT);
}

TEST(CMatrixErrors, GettersOfNothing) {
  EXPECT_EQ(nz_matrix_rows(nullptr), -1);
  EXPECT_EQ(nz_matrix_columns(nullptr), -1);
  EXPECT_EQ(nz_matrix_nonzeros(nullptr), -1);
  EXPECT_EQ(nz_matrix_type(nullptr), -1);
  EXPECT_TRUE(says("matrix is NULL"));
  nz_matrix_destroy(nullptr);
}

}  // namespace
}  // namespace nz::test
