#include <nonzero/device.hpp>

#include "matrices.hpp"

// Products with dense matrices.
namespace nz::petsc::test {
namespace {

class Several : public Pair, public testing::WithParamInterface<const char*> {
  void SetUp() override { OK(PetscOptionsSetValue(nullptr, "-mat_nonzero_kernel", GetParam())); }
  void TearDown() override {
    OK(PetscOptionsClearValue(nullptr, "-mat_nonzero_kernel"));
    Pair::TearDown();
  }
};
INSTANTIATE_TEST_SUITE_P(Kernels, Several,
                         testing::Values("", "cpu/csr/serial", "cpu/compact/balanced"));

PetscErrorCode dense(PetscInt rows, PetscInt columns, PetscInt leading, Mat* B) {
  PetscScalar* at = nullptr;
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, B));
  PetscCall(MatSetSizes(*B, rows, PETSC_DECIDE, PETSC_DETERMINE, columns));
  PetscCall(MatSetType(*B, MATDENSE));
  PetscCall(MatDenseSetLDA(*B, leading));
  PetscCall(MatSetUp(*B));
  PetscCall(MatDenseGetArrayWrite(*B, &at));
  for (PetscInt j = 0; j < columns; ++j)
    for (PetscInt i = 0; i < rows; ++i) at[j * leading + i] = number(i * 13 + j * 7 + 1);
  PetscCall(MatDenseRestoreArrayWrite(*B, &at));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(0);
}

using Multiply = PetscErrorCode (*)(Mat, Mat, MatReuse, PetscReal, Mat*);

void expect_same(Mat a, Mat b) {
  PetscReal norm = 1;
  Mat difference = nullptr;
  OK(MatDuplicate(a, MAT_COPY_VALUES, &difference));
  OK(MatAXPY(difference, -1, b, SAME_NONZERO_PATTERN));
  OK(MatNorm(difference, NORM_FROBENIUS, &norm));
  EXPECT_LE(norm, 1e-9);
  OK(MatDestroy(&difference));
}

TEST_P(Several, AreThoseOfStock) {
  create({31, 57});
  for (const Multiply multiply : {Multiply(MatMatMult), Multiply(MatTransposeMatMult)}) {
    const bool turned = multiply == Multiply(MatTransposeMatMult);
    const PetscInt rows = turned ? 31 : 57;
    for (const PetscInt columns : {1, 2, 9}) {
      Mat B = nullptr, mine = nullptr, theirs = nullptr;
      OK(dense(rows, columns, rows + 3, &B));
      OK(multiply(ours, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &mine));
      OK(multiply(stock, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &theirs));
      expect_same(mine, theirs);
      if (alone()) {  // ours was asked; PETSc multiplies blocks of parallel matrices by itself
        AnyFunction a = nullptr, b = nullptr;
        OK(MatGetOperation(mine, MATOP_PRODUCTNUMERIC, &a));
        OK(MatGetOperation(theirs, MATOP_PRODUCTNUMERIC, &b));
        EXPECT_NE(a, b);
      }
      // Into the same result, with other values.
      for (Mat A : {ours, stock}) OK(MatScale(A, -2));
      OK(multiply(ours, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &mine));
      OK(multiply(stock, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &theirs));
      expect_same(mine, theirs);
      for (Mat* m : {&B, &mine, &theirs}) OK(MatDestroy(m));
    }
  }
}

TEST_P(Several, OfNothingAreZero) {
  create({40, 40});
  for (Mat A : {ours, stock}) OK(MatZeroEntries(A));
  Mat B = nullptr, C = nullptr;
  PetscReal norm = 1;
  OK(dense(40, 4, 40, &B));
  OK(MatMatMult(ours, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  OK(MatNorm(C, NORM_FROBENIUS, &norm));
  EXPECT_EQ(norm, 0);
  OK(MatDestroy(&B));
  OK(MatDestroy(&C));
}

TEST(SeveralFlops, AreThoseThatPetscCounts) {
  if (!alone()) GTEST_SKIP() << "for one rank";
  const auto flops = [](const char* type) {
    Mat A = nullptr, B = nullptr, C = nullptr;
    PetscLogDouble before = 0, after = 0;
    (void)make(type, {30, 30}, &A);
    (void)dense(30, 5, 30, &B);
    (void)MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C);
    (void)PetscGetFlops(&before);
    (void)MatMatMult(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C);
    (void)PetscGetFlops(&after);
    for (Mat* m : {&A, &B, &C}) (void)MatDestroy(m);
    return after - before;
  };
  const PetscLogDouble stock = flops(MATAIJ);
  EXPECT_GT(stock, 0);
  EXPECT_EQ(flops("aijnonzero"), stock);
}

TEST(SeveralDevices, PlansOnTheEmulatorTakeThem) {
  if (!alone()) GTEST_SKIP() << "for one rank";
  bool emulator = false;
  for (const DeviceInfo& info : devices()) emulator |= info.device == emulator_device;
  if (!emulator) GTEST_SKIP() << "this build has no emulator";
  Mat ours = nullptr, stock = nullptr, B = nullptr, mine = nullptr, theirs = nullptr;
  const Option device("-mat_nonzero_device", "emu"), vectors("-mat_nonzero_vectors", "6");
  OK(make("aijnonzero", {30, 30}, &ours));
  OK(make(MATAIJ, {30, 30}, &stock));
  OK(dense(30, 6, 30, &B));
  OK(MatMatMult(ours, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &mine));
  OK(MatMatMult(stock, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &theirs));
  expect_same(mine, theirs);
  for (Mat* m : {&ours, &stock, &B, &mine, &theirs}) OK(MatDestroy(m));
}

}  // namespace
}  // namespace nz::petsc::test
