#include "held.hpp"

#include <cstddef>
#include <utility>

#include <nonzero/threads.hpp>

#include "counts.hpp"
#include "guard.hpp"

#if NZ_PETSC_FITS
namespace nz::petsc {
namespace {

constexpr const char* key = "nonzero_held";

#if PETSC_VERSION_GE(3, 23, 0)
PetscErrorCode end_held(void** held) {
  PetscFunctionBegin;
  delete static_cast<Held*>(*held);
  PetscFunctionReturn(0);
}
#else
PetscErrorCode end_held(void* held) {
  PetscFunctionBegin;
  delete static_cast<Held*>(held);
  PetscFunctionReturn(0);
}
#define PetscContainerSetCtxDestroy PetscContainerSetUserDestroy
#endif

// FNV over words in four lanes: a small part of the time of a product.
std::uint64_t hash(const PetscInt* words, std::size_t n, std::uint64_t seed) {
  std::uint64_t lanes[4] = {seed, seed + 1, seed + 2, seed + 3};
  constexpr std::uint64_t prime = 0x9E3779B97F4A7C15u;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t& lane = lanes[i % 4];
    lane = (lane ^ static_cast<std::uint64_t>(static_cast<std::uint32_t>(words[i]))) * prime;
    lane ^= lane >> 29;
  }
  return ((lanes[0] * 31 + lanes[1]) * 31 + lanes[2]) * 31 + lanes[3];
}

std::uint64_t structure_of(const Origin& now) {
  const auto m = static_cast<std::size_t>(now.m), nnz = static_cast<std::size_t>(now.nnz());
  return hash(now.columns, nnz, hash(now.rows, m + 1, static_cast<std::uint64_t>(now.n)));
}

double flops_of(const Origin& now) {
  PetscInt filled = 0;
  for (PetscInt i = 0; i < now.m; ++i) filled += now.rows[i + 1] > now.rows[i];
  return 2.0 * now.nnz() - filled;
}

PetscErrorCode look(Mat A, Origin* now) {
  PetscScalar* values = nullptr;
  PetscMemType where = PETSC_MEMTYPE_HOST;
  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &now->m, &now->n));
  PetscCall(PetscObjectStateGet((PetscObject)A, &now->state));
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &now->rows, &now->columns, &values, &where));
  PetscCheck(where == PETSC_MEMTYPE_HOST, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "nonzero: the matrix is not in host memory");
  now->values = values;
  PetscFunctionReturn(0);
}

void renew(Held& held, Side& side, Op op, const Origin& now) {
  const std::uint64_t structure = structure_of(now);
  const ThreadScope threads(held.options.plan.threads.value_or(1));
  side.bound.reset();
  if (side.plan && side.from.same_arrays(now) && side.structure == structure) {
    side.plan->update_values(now.view());
    ++counts().updates;
  } else {
    // The old plan may borrow arrays that are gone: it goes first, and nothing of it is read.
    side.plan.reset();
    PlanOptions options = held.options.plan;
    options.op = op;
    side.plan = nz::plan(now.view(), options);
    side.products = side.copied = 0;
    side.structure = structure;
    side.flops = flops_of(now);
    ++counts().plans;
  }
  side.from = now;
}

}  // namespace

PetscErrorCode find_held(Mat A, Held** held) {
  PetscObject container = nullptr;
  PetscFunctionBegin;
  *held = nullptr;
  PetscCall(PetscObjectQuery((PetscObject)A, key, &container));
  if (container) {
    void* found = nullptr;
    PetscCall(PetscContainerGetPointer((PetscContainer)container, &found));
    *held = static_cast<Held*>(found);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode find_or_make_held(Mat A, Held** held) {
  PetscContainer container = nullptr;
  PetscFunctionBegin;
  PetscCall(find_held(A, held));
  if (*held) PetscFunctionReturn(0);
  PetscCall(guarded("memory", [&] { *held = new Held; }));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, *held));
  PetscCall(PetscContainerSetCtxDestroy(container, end_held));
  PetscCall(PetscObjectCompose((PetscObject)A, key, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));  // the matrix has it now
  PetscCall(read_options(A, &(*held)->options));
  PetscFunctionReturn(0);
}

PetscErrorCode forget_values(Mat A) {
  Held* held = nullptr;
  PetscFunctionBegin;
  PetscCall(find_held(A, &held));
  // No state of PETSc's is -1.
  if (held)
    for (Side& side : held->sides) side.from.state = -1;
  PetscFunctionReturn(0);
}

PetscErrorCode current_plan(Mat A, Op op, Held** held, Side** side) {
  Origin now;
  PetscFunctionBegin;
  *side = nullptr;
  PetscCall(find_or_make_held(A, held));
  PetscCall(look(A, &now));
  if (now.m == 0 || now.n == 0 || now.nnz() == 0) PetscFunctionReturn(0);
  Side& mine = (*held)->side(op);
  *side = &mine;
  if (mine.plan && mine.from == now) PetscFunctionReturn(0);
  if (!mine.plan) PetscCall(read_options(A, &(*held)->options));  // its prefix may have come since
  const long long plans = counts().plans;
  const PetscErrorCode failed = guarded("making a plan", [&] { renew(**held, mine, op, now); });
  if (failed) mine.plan.reset();  // half of the new and half of the old is neither
  PetscCall(failed);
  if ((*held)->options.explain && counts().plans > plans) {
    PetscMPIInt rank = 0;
    std::string text;
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(guarded("explain", [&] { text = mine.plan->explain().text(); }));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "[%d] nonzero, op = %s:\n%s", rank,
                          op == Op::none ? "N" : "T", text.c_str()));
  }
  PetscFunctionReturn(0);
}

std::string described(const Held& held) {
  std::string text;
  for (const Op op : all_ops) {
    const Side& side = held.sides[op == Op::none ? 0 : 1];
    if (!side.plan) continue;
    const Plan<PetscScalar>& p = *side.plan;
    text += "nonzero, op = " + std::string(name(op)) + ": " + p.kernel().id() + " on " +
            p.device().name() + ", threads " + std::to_string(p.threads()) + ", bytes " +
            std::to_string(p.bytes()) + (p.reason().empty() ? "" : ": " + p.reason()) + "\n";
    if (p.device() == cpu_device) continue;
    text += "  vectors were copied in " + std::to_string(side.copied) + " of " +
            std::to_string(side.products) + " products" +
            (side.copied ? ", which takes most of their time" : "") + "\n";
  }
  return text;
}

}  // namespace nz::petsc
#endif
