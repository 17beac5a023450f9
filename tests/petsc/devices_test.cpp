#include <cstdarg>
#include <cstdio>
#include <string>

#include "../../petsc/gpu.hpp"
#include "matrices.hpp"

// Plans on devices, with vectors in the memory of the host and of the GPU that PETSc has.
namespace nz::petsc::test {
namespace {

class Devices : public Pair {};

std::string printed;
PetscErrorCode keep(FILE*, const char form[], va_list values) {
  char text[4096] = "";
  std::vsnprintf(text, sizeof text, form, values);
  printed += text;
  return 0;
}
// What PETSc would print is kept.
class Printed {
 public:
  Printed() {
    printed.clear();
    PetscVFPrintf = keep;
  }
  ~Printed() { PetscVFPrintf = before_; }

 private:
  decltype(PetscVFPrintf) before_ = PetscVFPrintf;
};

// Builds for a GPU may be without.
bool there_is_an_emulator() {
  for (const DeviceInfo& info : devices())
    if (info.device == emulator_device) return true;
  return false;
}

TEST_F(Devices, OnTheEmulator) {
  if (!there_is_an_emulator()) GTEST_SKIP() << "this build has no emulator";
  const Option device("-mat_nonzero_device", "emu");
  create({30, 30});
  EXPECT_SAME_PRODUCTS(ours, stock);
}

TEST_F(Devices, CopiesAreToldOf) {
  if (!there_is_an_emulator()) GTEST_SKIP() << "this build has no emulator";
  const Option device("-mat_nonzero_device", "emu"), explain("-mat_nonzero_explain", "");
  create({30, 30});
  const char* const warning = "copies of them will take most of the time";
  std::string first, second;
  {
    const Printed all;
    OK(multiply(ours));
    first = printed;
    printed.clear();
    OK(multiply(ours));
    second = printed;
  }
  EXPECT_NE(first.find(warning), first.npos) << first;
  EXPECT_EQ(second, "");
  const std::string text = viewed(ours);
  EXPECT_TRUE(text.empty() ||
              text.find("vectors were copied in 2 of 2 products, which takes most") != text.npos)
      << text;
}

TEST_F(Devices, NobodyWarnsOfCopiesOnTheCpu) {
  const Option explain("-mat_nonzero_explain", "");
  create({30, 30});
  {
    const Printed all;
    OK(multiply(ours));
  }
  EXPECT_NE(printed.find("nonzero, op = N"), printed.npos) << printed;
  EXPECT_EQ(printed.find("copies of them"), printed.npos) << printed;
  EXPECT_EQ(viewed(ours).find("copied"), std::string::npos);
}

#if NZ_PETSC_CUDA
// One where vectors of PETSc's may lie on a GPU.
class Gpu : public Pair {
  void SetUp() override {
    if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  }
};

// y = A x and y += A x with x and y of these types, against stock's with host vectors.
void same_with(Mat ours, Mat stock, VecType of_x, VecType of_y) {
  Vec x, y, x0, y0;
  PetscReal norm = 1;
  OK(MatCreateVecs(ours, &x, &y));
  OK(MatCreateVecs(stock, &x0, &y0));
  OK(VecSetType(x, of_x));
  OK(VecSetType(y, of_y));
  OK(set_numbers(x0, 1));
  OK(VecCopy(x0, x));
  for (int round = 0; round < 3; ++round) {
    OK(MatMult(stock, x0, y0));
    OK(MatMultAdd(stock, x0, y0, y0));
    OK(MatMult(ours, x, y));
    OK(MatMultAdd(ours, x, y, y));
    OK(VecScale(x0, -2));
    OK(VecScale(x, -2));
  }
  OK(VecAXPY(y0, -1, y));
  OK(VecNorm(y0, NORM_INFINITY, &norm));
  EXPECT_LE(norm, 1e-9) << of_x << " " << of_y;
  for (Vec* v : {&x, &y, &x0, &y0}) OK(VecDestroy(v));
}

TEST_F(Gpu, VectorsAreUsedWhereTheyLie) {
  const Option device("-mat_nonzero_device", "cuda");
  create({300, 300});
  VecType type = nullptr;
  OK(MatGetVecType(ours, &type));
  EXPECT_STREQ(type, VECCUDA);
  EXPECT_SAME_PRODUCTS(ours, stock);
  const std::string text = viewed(ours);
  EXPECT_TRUE(text.empty() || text.find("vectors were copied in 0 of") != text.npos) << text;
  EXPECT_EQ(text.find("which takes most of their time"), text.npos) << text;
}

TEST_F(Gpu, VectorsMayLieAnywhere) {
  for (const char* where : {"cpu", "cuda"}) {
    const Option device("-mat_nonzero_device", where);
    create({300, 300});
    for (VecType of_x : {VECSTANDARD, VECCUDA})
      for (VecType of_y : {VECSTANDARD, VECCUDA}) same_with(ours, stock, of_x, of_y);
    TearDown();
  }
}

TEST_F(Gpu, NewValuesReachWhatIsBoundToTheStream) {
  const Option device("-mat_nonzero_device", "cuda");
  create({300, 300});
  EXPECT_SAME_PRODUCTS(ours, stock);
  OK(MatScale(ours, 3));
  OK(MatScale(stock, 3));
  EXPECT_SAME_PRODUCTS(ours, stock);
  OK(MatZeroEntries(ours));
  OK(MatZeroEntries(stock));
  OK(fill(ours, {300, 300, 7}));
  OK(fill(stock, {300, 300, 7}));
  EXPECT_SAME_PRODUCTS(ours, stock);
}
#endif

}  // namespace
}  // namespace nz::petsc::test
