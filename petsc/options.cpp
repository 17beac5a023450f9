#include "options.hpp"

#include <cstring>
#include <optional>

#include "counts.hpp"
#include "gpu.hpp"
#include "guard.hpp"

#if NZ_PETSC_FITS
namespace nz::petsc {

PetscErrorCode read_options(Mat A, Options* options) {
  const char* const efforts[] = {"instant", "balanced", "thorough"};
  PetscInt effort = 1, threads = 1, vectors = 1;
  char kernel[PETSC_MAX_PATH_LEN] = "", device[PETSC_MAX_PATH_LEN] = "";
  char count[PETSC_MAX_PATH_LEN] = "";
  PetscReal memory = 0;
  PetscBool deterministic = PETSC_FALSE, explain = PETSC_FALSE;
  const char* prefix = nullptr;
  PetscFunctionBegin;
  PetscCall(MatGetOptionsPrefix(A, &prefix));
  PetscOptionsBegin(PetscObjectComm((PetscObject)A), prefix, "Products by nonzero", "Mat");
  PetscCall(PetscOptionsEList("-mat_nonzero_effort", "What making a plan may cost", "docs/plans.md",
                              efforts, 3, efforts[effort], &effort, nullptr));
  PetscCall(PetscOptionsString("-mat_nonzero_device", "cpu, cuda, cuda:0, ..., or emu",
                               "docs/gpu.md", device, device, sizeof device, nullptr));
  PetscCall(PetscOptionsString("-mat_nonzero_kernel", "A kernel by name; empty: the plan chooses",
                               "docs/kernels.md", kernel, kernel, sizeof kernel, nullptr));
  PetscCall(PetscOptionsBool("-mat_nonzero_deterministic", "The same bits in every run",
                             "docs/distributed.md", deterministic, &deterministic, nullptr));
  PetscCall(PetscOptionsRangeInt("-mat_nonzero_threads", "Threads of every rank",
                                 "docs/distributed.md", threads, &threads, nullptr, 1, 4096));
  PetscCall(PetscOptionsRangeInt("-mat_nonzero_vectors",
                                 "Columns of dense matrices in most products", "docs/plans.md",
                                 vectors, &vectors, nullptr, 1, 1 << 20));
  PetscCall(PetscOptionsReal("-mat_nonzero_memory", "The most bytes that a plan may keep; 0: any",
                             "docs/plans.md", memory, &memory, nullptr));
  PetscCall(PetscOptionsBool("-mat_nonzero_explain", "Print how every plan came about",
                             "docs/plans.md", explain, &explain, nullptr));
  PetscCall(PetscOptionsString("-mat_nonzero_count", "Add the number of products to this file",
                               "docs/distributed.md", count, count, sizeof count, nullptr));
  PetscOptionsEnd();
  PetscCheck(memory >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_nonzero_memory %g: below 0", static_cast<double>(memory));
  // Without a number it is the GPU that PETSc gave this rank.
  std::optional<Device> gpu;
  if (std::strcmp(device, "cuda") == 0) PetscCall(gpu_of_petsc(&gpu));
  PetscCall(guarded("options", [&] {
    Options read;
    read.plan.effort = effort_named(efforts[effort]);
    read.plan.kernel = kernel;
    if (*device) read.plan.device = gpu ? device_named(gpu->name()) : device_named(device);
    read.plan.deterministic = deterministic;
    read.plan.threads = static_cast<int>(threads);
    read.plan.vectors = static_cast<int>(vectors);
    read.plan.layout = Layout::column_major;  // as PETSc's dense matrices lie
    read.plan.memory_limit = static_cast<std::size_t>(memory);
    read.explain = explain;
    *options = read;
    if (*count) counts().file = count;
  }));
  PetscFunctionReturn(0);
}

}  // namespace nz::petsc
#endif
