"""Heat in a plate: the Poisson equation on a grid, solved four ways, with figures where Matplotlib is.

    python examples/poisson.py [FOLDER for the figures]
"""

import sys
from pathlib import Path

import numpy as np
import scipy.sparse.linalg as spla

import nonzero as nz

side = 100
A = nz.generate(f"grid:points=5,nx={side},ny={side}")  # a csr_array of SciPy's
plan = nz.plan(A)  # its arrays are borrowed
print(plan)
print(plan.explain())

# A source in the middle of the plate, its edges kept cold.
b = np.zeros((side, side))
b[side // 2 - 5 : side // 2 + 5, side // 2 - 5 : side // 2 + 5] = 1
b = b.reshape(-1)

found = {
    "cg": nz.cg(plan, b, rtol=1e-8),
    "cg, jacobi": nz.cg(plan, b, rtol=1e-8, preconditioner="jacobi"),
    "bicgstab": nz.bicgstab(plan, b, rtol=1e-8),
    "gmres": nz.gmres(plan, b, rtol=1e-8),
}
for name, solution in found.items():
    error = np.linalg.norm(b - plan @ solution.x) / np.linalg.norm(b)
    print(f"{name:12} {solution.message}; true residual {error:.1e}")
    assert solution.ok and error < 1e-7

# SciPy's own solver takes the plan as well.
x, info = spla.cg(plan, b, rtol=1e-8)
assert info == 0 and np.allclose(x, found["cg"].x, atol=1e-6 * abs(x).max())

if len(sys.argv) > 1:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    nz.spy(plan, folder / "matrix.png")
    try:
        import matplotlib
    except ImportError:
        print("no Matplotlib: only the matrix is drawn")
    else:
        matplotlib.use("agg")
        from matplotlib import pyplot as plt

        figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
        left.imshow(x.reshape(side, side), cmap="inferno")
        left.set_title("temperature")
        for name, solution in found.items():
            right.semilogy(solution.history, label=name)
        right.set_xlabel("iteration")
        right.set_ylabel("|b - A x| / |b|")
        right.legend()
        figure.savefig(folder / "poisson.png", dpi=120)

        # Which kernel is the fastest here?
        kernels = nz.bench(A, kernels="plan/balanced/n,cpu/csr/*", ops="N", time_limit=0.05)
        kernels.figure(folder / "kernels.png")
