"""The lowest frequencies of a rectangular drum by SLEPc, multiplied by nonzero where the command line says so:

    mpirun -n 2 python3 examples/slepc_laplacian.py -side 60 \\
        -dll_append build/cpu/libnonzero_petsc.so -mat_seqaij_type seqaijnonzero

The eigenvalues of the 5-point Laplacian are known: 4 sin² and 4 sin² added up.
"""

import math
import sys

import slepc4py

slepc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402
from slepc4py import SLEPc  # noqa: E402

side = PETSc.Options().getInt("side", 40)
other = side + side // 4  # of a square one, some would come twice
A = PETSc.Mat().createAIJ((side * other, side * other), nnz=(5, 4))
first, last = A.getOwnershipRange()
for i in range(first, last):
    y, x = divmod(i, side)
    A[i, i] = 4
    for there, j in ((x > 0, i - 1), (x + 1 < side, i + 1), (y > 0, i - side), (y + 1 < other, i + side)):
        if there:
            A[i, j] = -1
A.assemble()

solver = SLEPc.EPS().create()
solver.setOperators(A)
solver.setProblemType(SLEPc.EPS.ProblemType.HEP)
solver.setWhichEigenpairs(SLEPc.EPS.Which.SMALLEST_REAL)
solver.setDimensions(4, 40)
solver.setTolerances(1e-9, 5000)
solver.setFromOptions()
solver.solve()

waves = [[4 * math.sin(math.pi * k / (2 * (n + 1))) ** 2 for k in range(1, 6)] for n in (side, other)]
known = sorted(a + b for a in waves[0] for b in waves[1])
assert solver.getConverged() >= 4
for k in range(4):
    found = solver.getEigenvalue(k).real
    PETSc.Sys.Print(f"{found:.10f}  (known {known[k]:.10f})")
    assert abs(found - known[k]) < 1e-7
