"""Preconditioners: by name and as objects, on every device, and what they say where there is none."""

import gc

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spla

import nonzero as nz

DEVICES = [d["name"] for d in nz.devices() if d["name"] in ("cpu", "emu")]
NAMES = ["jacobi", "block_jacobi:5", "block:5", "fsai", "fsai:2", "chebyshev", "chebyshev:7", "spai0", "spai1", "ic0", "ilu0"]
ON_CPU = ("ic0", "ilu0")
N = 144


def plate(rng, dtype=np.float64):
    """A stencil whose rows and columns are scaled alike, so that every preconditioner helps."""
    scale = sp.diags_array(10.0 ** rng.uniform(-0.5, 0.5, N))
    return sp.csr_array(scale @ nz.generate("grid:points=5,nx=12,ny=12") @ scale).astype(dtype)


def solved(M, b, found, rtol):
    assert found.ok, found.message
    assert np.linalg.norm(b - M @ found.x) <= 3 * rtol * np.linalg.norm(b)


@pytest.mark.parametrize("device, dtype", [("cpu", np.float32), *((d, np.float64) for d in DEVICES)])
@pytest.mark.parametrize("name", NAMES)
def test_names(rng, name, dtype, device):
    M, b, rtol = plate(rng, dtype), rng.standard_normal(N).astype(dtype), 1e-4 if dtype == np.float32 else 1e-8
    A = nz.plan(M, device=device, op="both")
    if device != "cpu" and name in ON_CPU:
        with pytest.raises(ValueError, match="CPU alone, and the plan is on emu"):
            nz.cg(A, b, preconditioner=name)
        return
    solver = nz.bicgstab if name == "spai1" else nz.cg
    plain, found = solver(A, b, rtol=rtol), solver(A, b, rtol=rtol, preconditioner=name)
    solved(M, b, found, rtol)
    assert found.iterations < plain.iterations


@pytest.mark.parametrize("solver", [nz.cg, nz.bicg, nz.bicgstab, nz.qmr, nz.gmres])
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_every_solver_takes_each(rng, solver, format):
    M, b = plate(rng), rng.standard_normal(N)
    A = nz.plan(M.asformat(format), op="both")
    for name in NAMES:
        if solver is nz.cg and name == "spai1":
            continue  # it is not symmetric
        solved(M, b, solver(A, b, rtol=1e-8, preconditioner=name), 1e-8)


def test_objects_are_what_names_are(rng):
    M, b = plate(rng), rng.standard_normal(N)
    A = nz.plan(M)
    for name, made in (
        ("fsai:2", nz.fsai(A, power=2)), ("fsai", nz.fsai(M)), ("chebyshev:7", nz.chebyshev(A, degree=7)),
        ("spai0", nz.spai(M, 0)), ("spai1", nz.spai(A)), ("ic0", nz.incomplete_cholesky(M)), ("ilu0", nz.incomplete_lu(A)),
        ("block:5", nz.block_jacobi(A, 5)),
    ):  # fmt: skip
        by_name = nz.gmres(A, b, preconditioner=name)
        for option in ("M", "preconditioner"):
            by_object = nz.gmres(A, b, **{option: made})
            assert by_object.ok and (by_object.x == by_name.x).all() and (by_object.history == by_name.history).all()
        assert made.device == "cpu" and "Preconditioner" in repr(made)


def test_parameters_count(rng):
    M, b = plate(rng), rng.standard_normal(N)
    found = [nz.cg(M, b, rtol=1e-8, M=m).iterations for m in (nz.fsai(M), nz.fsai(M, power=3), nz.fsai(M, power=3, row_limit=2))]
    assert found[1] < found[0] and found[1] < found[2]
    assert nz.cg(M, b, rtol=1e-8, M=nz.fsai(M, drop=0.9)).iterations >= found[0]  # a diagonal is left
    near, far = nz.chebyshev(M, lower=0.05, upper=2.0), nz.chebyshev(M, degree=1)
    assert nz.cg(M, b, rtol=1e-8, M=near).iterations < nz.cg(M, b, rtol=1e-8, M=far).iterations


def test_a_polynomial_keeps_its_plan(rng):
    M, b = plate(rng), rng.standard_normal(N)
    A, other = nz.plan(M), nz.plan(M.copy())
    P, Q = nz.chebyshev(other), nz.chebyshev(M.copy())
    del other
    gc.collect()
    solved(M, b, nz.cg(A, b, M=P), 1e-5)
    solved(M, b, nz.cg(A, b, M=Q), 1e-5)


def test_no_new_values_for_a_plan_that_preconditions(rng):
    M, b = plate(rng), rng.standard_normal(N)
    other = nz.plan(M.copy())

    def change(iteration, residual):
        other.update_values(np.ones(other.nnz))

    with pytest.raises(nz.InvalidArgument, match="multiplying"):
        nz.cg(M, b, M=nz.chebyshev(other), callback=change)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_a_matrix_near_the_inverse(rng, device, format):
    n = 30
    M = sp.csr_array(plate(rng)[:n, :n] + sp.diags_array(rng.uniform(0, 0.1, n - 1), offsets=1, shape=(n, n)))
    b = rng.standard_normal(n)
    exact = sp.csr_array(np.linalg.inv(M.toarray())).asformat(format)
    A = nz.plan(M, device=device)
    for near in (exact, nz.plan(exact, device=device), nz.plan(exact.T, device=device).T):
        found = nz.gmres(A, b, rtol=1e-8, M=near)
        solved(M, b, found, 1e-8)
        assert found.iterations <= 2


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("name", [None, "fsai", "chebyshev", "ic0"])
def test_lobpcg(rng, name, largest):
    M = plate(rng)
    found = nz.lobpcg(M, 4, largest=largest, rtol=1e-10, preconditioner=None if largest else name, guard=2)
    assert found.ok, found.message
    wanted = np.linalg.eigvalsh(M.toarray())
    wanted = wanted[::-1][:4] if largest else wanted[:4]
    np.testing.assert_allclose(found.values, wanted, atol=1e-8 * abs(wanted).max() + 1e-9)
    np.testing.assert_allclose(M @ found.x, found.x * found.values, atol=1e-6)
    np.testing.assert_allclose(found.x.T @ found.x, np.eye(4), atol=1e-8)
    assert (found.residuals <= 1e-10).all() and len(found.residuals) == 4
    again = nz.lobpcg(nz.plan(M), 4, found.x, largest=largest, rtol=1e-9)
    assert again.ok and again.iterations <= found.iterations
    for wrong in (dict(k=0), dict(k=N + 1), dict(k=2, x0=np.ones((N, 3)))):
        with pytest.raises(ValueError):
            nz.lobpcg(M, **wrong)


def test_what_is_wrong_is_said(rng):
    M, b = plate(rng), rng.standard_normal(N)
    for bad in ("ilut", "fsai:", "fsai:x", "fsai:5", "fsai:0", "chebyshev:101", "spai2", "spai0:1", "block", "ic0:1", ""):
        with pytest.raises(ValueError):
            nz.cg(M, b, preconditioner=bad)
    with pytest.raises(ValueError, match="fsai, fsai:POWER"):
        nz.cg(M, b, preconditioner="ilut")
    with pytest.raises(nz.InvalidArgument, match="degree"):
        nz.chebyshev(M, degree=0)
    with pytest.raises(nz.InvalidArgument, match="lower bound"):
        nz.chebyshev(M, lower=3, upper=2)
    with pytest.raises(nz.InvalidArgument, match="level"):
        nz.spai(M, 2)
    with pytest.raises(ValueError, match="the plan is on cpu"):
        nz.chebyshev(nz.plan(M), device="emu")
    for make in (nz.fsai, nz.chebyshev, nz.incomplete_cholesky):
        with pytest.raises(nz.BadInput, match="row 0"):
            make(-M)
        with pytest.raises(nz.InvalidArgument, match="square"):
            make(M[:, :9])
    with pytest.raises(nz.BadInput, match="row 0"):
        nz.incomplete_lu(sp.csr_array(np.array([[0.0, 1], [1, 0]])))
    with pytest.raises(TypeError, match="float64"):
        nz.cg(M, b, M=nz.fsai(M.astype(np.float32)))
    with pytest.raises(TypeError, match="float32"):
        nz.cg(M, b, M=nz.plan(M.astype(np.float32)))
    with pytest.raises(TypeError, match="any M"):
        nz.cg(M, b, M=spla.aslinearoperator(M))
    if "emu" in DEVICES:
        with pytest.raises(nz.InvalidArgument, match="the preconditioner is on emu"):
            nz.cg(M, b, M=nz.fsai(M, device="emu"))
