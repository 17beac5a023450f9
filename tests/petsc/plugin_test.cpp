#include <cstddef>
#include <string>

#include "matrices.hpp"

// What a user sees: options, errors, views, conversions. On one rank and on several.
namespace nz::petsc::test {
namespace {

// PETSc's errors as numbers, without its pages of text; the text of the last one is kept.
std::string said;
PetscErrorCode quiet(MPI_Comm, int, const char*, const char*, PetscErrorCode n, PetscErrorType type,
                     const char* text, void*) {
  if (type == PETSC_ERROR_INITIAL && text) said = text;
  return n;
}
class Quiet {
 public:
  Quiet() { (void)PetscPushErrorHandler(quiet, nullptr); }
  ~Quiet() { (void)PetscPopErrorHandler(); }
};

class Plugin : public Pair {};

// A product that fails leaves PETSc's parallel matrix in the middle of an exchange, for good: these
// are for one rank.
class Errors : public Pair {
  void SetUp() override {
    if (!alone()) GTEST_SKIP() << "for one rank";
  }
};

TEST_F(Errors, AnUnknownKernelIsAnErrorOfPetsc) {
  create({30, 30});
  const Option option("-mat_nonzero_kernel", "cpu/no/such");
  const Quiet here;
  EXPECT_EQ(multiply(ours), PETSC_ERR_ARG_WRONG);
  EXPECT_NE(said.find("no kernel 'cpu/no/such'"), std::string::npos) << said;
}

TEST_F(Errors, AnUnknownDeviceIsAnErrorOfPetsc) {
  create({30, 30});
  const Option option("-mat_nonzero_device", "abacus");
  const Quiet here;
  EXPECT_EQ(multiply(ours), PETSC_ERR_ARG_WRONG);
  EXPECT_NE(said.find("abacus"), std::string::npos) << said;
}

TEST_F(Errors, MemoryThatIsMissingIsAnErrorAndNotTheEnd) {
  create({30, 30});
  {
    const Option kernel("-mat_nonzero_kernel", "cpu/compact/balanced");
    const Option memory("-mat_nonzero_memory", "1");
    const Quiet here;
    EXPECT_EQ(multiply(ours), PETSC_ERR_MEM);
    EXPECT_NE(said.find("nonzero"), std::string::npos) << said;
  }
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_F(Plugin, OptionsReachThePlan) {
  const Option kernel("-mat_nonzero_kernel", "cpu/csr/serial");
  create({30, 30});
  OK(multiply(ours));
  PetscMPIInt rank, ranks;
  OK(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  const std::string text = viewed(ours);
  if (rank == 0) {
    const std::string line = "cpu/csr/serial on cpu, threads 1";
    int named = 0;
    for (std::size_t at = 0; (at = text.find(line, at)) != text.npos; ++at) ++named;
    EXPECT_EQ(named, ranks == 1 ? 1 : 2 * ranks) << text;
  }
}

TEST_F(Plugin, FlopsAreThoseThatPetscCounts) {
  create({30, 30});
  const auto flops = [](Mat A) {
    PetscLogDouble before = 0, after = 0;
    (void)PetscGetFlops(&before);
    (void)multiply(A);
    (void)PetscGetFlops(&after);
    return after - before;
  };
  EXPECT_GT(flops(ours), 0);
  if (alone()) {
    EXPECT_EQ(flops(ours), flops(stock));
  }
}

TEST_F(Plugin, ConversionsGoBothWays) {
  create({30, 30});
  Mat other = nullptr, back = nullptr;
  OK(MatConvert(stock, "aijnonzero", MAT_INITIAL_MATRIX, &other));
  EXPECT_TRUE(is_ours(other, stock));
  EXPECT_SAME_PRODUCTS(other, stock);
  OK(MatConvert(other, MATDENSE, MAT_INITIAL_MATRIX, &back));
  EXPECT_SAME_PRODUCTS(back, stock);
  OK(MatDestroy(&other));
  OK(MatDestroy(&back));
  OK(MatTranspose(ours, MAT_INITIAL_MATRIX, &other));
  OK(MatTranspose(stock, MAT_INITIAL_MATRIX, &back));
  EXPECT_SAME_PRODUCTS(other, back);
  OK(MatDestroy(&other));
  OK(MatDestroy(&back));
}

TEST(Register, ByTheOptionOfSequentialMatrices) {
  Mat ours = nullptr, stock = nullptr;
  OK(make(MATAIJ, {30, 30}, &stock));
  const Option type("-mat_seqaij_type", "seqaijnonzero");
  OK(make(MATAIJ, {30, 30}, &ours));
  EXPECT_TRUE(is_ours(ours, stock));
  EXPECT_SAME_PRODUCTS(ours, stock);
  OK(MatDestroy(&ours));
  OK(MatDestroy(&stock));
}

TEST(Register, RowsThatAreNotSorted) {
  PetscInt rows[] = {0, 3, 5, 5}, columns[] = {2, 0, 1, 3, 1};
  PetscScalar values[] = {1, 2, 3, 4, 5};
  Mat ours = nullptr, stock = nullptr;
  for (Mat* A : {&ours, &stock})
    OK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 3, 4, rows, columns, values, A));
  OK(MatSeqAIJSetType(ours, "seqaijnonzero"));
  EXPECT_TRUE(is_ours(ours, stock));
  EXPECT_SAME_PRODUCTS(ours, stock);
  values[0] = 7;
  for (Mat A : {ours, stock}) {
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  EXPECT_SAME_PRODUCTS(ours, stock);
  OK(MatDestroy(&ours));
  OK(MatDestroy(&stock));
}

TEST(Register, AnotherTypeIsRefused) {
  Mat A = nullptr;
  OK(MatCreateSeqBAIJ(PETSC_COMM_SELF, 2, 4, 4, 2, nullptr, &A));
  const Quiet here;
  EXPECT_NE(MatSeqAIJSetType(A, "seqaijnonzero"), 0);
  EXPECT_EQ(MatDestroy(&A), 0);
}

// Compiled as for a PETSc with 64-bit integers, loaded by one with 32.
TEST(Register, IntegersOfAnotherWidthAreRefused) {
  const Quiet here;
  PetscDLLibrary list = nullptr;
  EXPECT_EQ(PetscDLLibraryAppend(PETSC_COMM_SELF, &list, NZ_PETSC_WIDE), PETSC_ERR_SUP);
  EXPECT_NE(said.find("PetscInt has 32 in this PETSc, 64 in"), std::string::npos) << said;
}

}  // namespace
}  // namespace nz::petsc::test

// PETSc is there for all tests, with the plug-in loaded; ranks run the same tests side by side.
int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (PetscInitialize(&argc, &argv, nullptr, nullptr)) return 2;
  if (PetscDLLibraryAppend(PETSC_COMM_WORLD, &PetscDLLibrariesLoaded, NZ_PETSC_PLUGIN)) return 2;
  const int failed = RUN_ALL_TESTS();
  return PetscFinalize() || failed;
}
