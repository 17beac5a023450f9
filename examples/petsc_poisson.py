"""The Poisson equation on a grid by petsc4py, multiplied by nonzero where the command line says so:

    mpirun -n 4 python3 examples/petsc_poisson.py -side 300 \\
        -dll_append build/cpu/libnonzero_petsc.so -mat_seqaij_type seqaijnonzero

Nothing in here knows of nonzero. Conjugate gradients, and the error against the solution that was put in.
"""

import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

side = PETSc.Options().getInt("side", 200)
A = PETSc.Mat().createAIJ((side * side, side * side), nnz=(5, 4))
first, last = A.getOwnershipRange()
for i in range(first, last):
    y, x = divmod(i, side)
    A[i, i] = 4
    if x > 0:
        A[i, i - 1] = -1
    if x + 1 < side:
        A[i, i + 1] = -1
    if y > 0:
        A[i, i - side] = -1
    if y + 1 < side:
        A[i, i + side] = -1
A.assemble()

u, b = A.createVecs()
u.set(1)
A.mult(u, b)  # so that u is the solution
solver = PETSc.KSP().create()
solver.setOperators(A)
solver.setType("cg")
solver.getPC().setType("jacobi")
solver.setTolerances(rtol=1e-10)
solver.setFromOptions()
x = b.duplicate()
solver.solve(b, x)

x.axpy(-1, u)
error = x.norm(PETSc.NormType.NORM_INFINITY)
PETSc.Sys.Print(
    f"{PETSc.COMM_WORLD.getSize()} ranks, {side * side} unknowns: {solver.getIterationNumber()} iterations, error {error:.1e}"
)
assert solver.getConvergedReason() > 0 and error < 1e-6
