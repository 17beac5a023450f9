#include "matrices.hpp"

// Every way in which a matrix can change under a plan, on any number of ranks.
namespace nz::petsc::test {
namespace {

// Plans that borrow PETSc's arrays see changes by themselves; those with a copy must be told.
class Products : public Pair, public testing::WithParamInterface<const char*> {
  void SetUp() override { OK(PetscOptionsSetValue(nullptr, "-mat_nonzero_kernel", GetParam())); }
  void TearDown() override {
    OK(PetscOptionsClearValue(nullptr, "-mat_nonzero_kernel"));
    Pair::TearDown();
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, Products,
                         testing::Values("", "cpu/csr/serial", "cpu/compact/balanced",
                                         "cpu/sell/gather"));

TEST_P(Products, AreThoseOfStock) {
  create({40, 40});
  EXPECT_TRUE(is_ours(ours, stock));
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, OfRectangles) {
  create({31, 57});
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, AreOursWithInodesToo) {
  create({60, 60, 5, true});
  EXPECT_TRUE(is_ours(ours, stock));
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, OfRanksWithoutRows) {
  PetscMPIInt rank;
  OK(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  create({rank == 0 ? 50 : 0, rank == 0 ? 50 : 0});
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, WithoutOffDiagonalEntries) {
  create({20, 20, 1000000});
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, OfNothing) {
  create({0, 0});
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, AfterValuesChanged) {
  create({40, 40});
  Vec scale;
  EXPECT_SAME_PRODUCTS(ours, stock);
  for (Mat A : {ours, stock}) OK(MatScale(A, 3));
  EXPECT_SAME_PRODUCTS(ours, stock);
  OK(MatCreateVecs(ours, nullptr, &scale));
  OK(set_numbers(scale, 5));
  for (Mat A : {ours, stock}) OK(MatDiagonalScale(A, scale, nullptr));
  EXPECT_SAME_PRODUCTS(ours, stock);
  OK(VecDestroy(&scale));
  for (Mat A : {ours, stock}) OK(MatZeroEntries(A));
  EXPECT_SAME_PRODUCTS(ours, stock);
  for (Mat A : {ours, stock}) OK(fill(A, {40, 40}));
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, AfterValuesWereWrittenInPlace) {
  create({40, 40});
  EXPECT_SAME_PRODUCTS(ours, stock);
  for (Mat A : {ours, stock}) {
    PetscScalar* values = nullptr;
    OK(MatSeqAIJGetArray(local(A), &values));
    values[0] = 100;
    OK(MatSeqAIJRestoreArray(local(A), &values));
  }
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, AfterStoredValuesCameBack) {
  create({40, 40});
  for (Mat A : {ours, stock}) {
    OK(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
    OK(MatStoreValues(A));
    OK(MatScale(A, 2));
  }
  EXPECT_SAME_PRODUCTS(ours, stock);
  // Makes no difference to the state of the object.
  for (Mat A : {ours, stock}) OK(MatRetrieveValues(A));
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, AfterTheStructureChanged) {
  create({40, 40});
  EXPECT_SAME_PRODUCTS(ours, stock);
  PetscInt first, last;
  OK(MatGetOwnershipRange(ours, &first, &last));
  for (Mat A : {ours, stock}) {
    for (PetscInt i = first; i < last; ++i)
      for (PetscInt j : {3, 11, 38}) OK(MatSetValue(A, i, j, number(i + j), INSERT_VALUES));
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  EXPECT_TRUE(is_ours(ours, stock));
  EXPECT_SAME_PRODUCTS(ours, stock);
  const PetscInt row = first;
  for (Mat A : {ours, stock}) OK(MatZeroRows(A, 1, &row, 2, nullptr, nullptr));
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_P(Products, OfDuplicates) {
  create({40, 40});
  EXPECT_SAME_PRODUCTS(ours, stock);
  Mat copy = nullptr, hollow = nullptr;
  OK(MatDuplicate(ours, MAT_COPY_VALUES, &copy));
  OK(MatDuplicate(ours, MAT_DO_NOT_COPY_VALUES, &hollow));
  EXPECT_TRUE(is_ours(copy, stock));
  OK(MatScale(ours, 9));
  EXPECT_SAME_PRODUCTS(copy, stock);
  OK(MatDestroy(&ours));
  EXPECT_SAME_PRODUCTS(copy, stock);
  OK(fill(hollow, {40, 40}));
  EXPECT_TRUE(is_ours(hollow, stock));
  EXPECT_SAME_PRODUCTS(hollow, stock);
  OK(MatDestroy(&copy));
  OK(MatDestroy(&hollow));
}

// A new matrix often comes at the address of the last one, with the same state.
TEST(Lifetime, APlanGoesWithItsMatrix) {
  for (PetscInt i = 1; i <= 30; ++i) {
    Mat ours = nullptr, stock = nullptr;
    const Shape shape{20, 20, 3 + i % 4};
    OK(make("aijnonzero", shape, &ours));
    OK(make(MATAIJ, shape, &stock));
    EXPECT_SAME_PRODUCTS(ours, stock);
    OK(MatDestroy(&ours));
    OK(MatDestroy(&stock));
  }
}

}  // namespace
}  // namespace nz::petsc::test
