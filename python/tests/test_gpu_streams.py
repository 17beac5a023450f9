"""Streams, graphs, threads and lifetimes on a GPU: each test would read NaN, or hang, if a product came too early."""

import gc
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from gpu_kinds import DEVICE, LIBRARIES, assert_right, library, matrix, needs_cuda, vector

import nonzero as nz


@pytest.fixture(params=LIBRARIES)
def lib(request):
    lib = library(request.param)
    needs_cuda(lib)
    return lib


def late(lib, to, values, times=1):
    """Written by the current stream long after everything else was queued, unless the host is held up."""
    lib.sleep(times)
    lib.fill(to, values)


def poisoned(lib, shape, dtype=np.float64):
    there = lib.there(np.full(shape, np.nan, dtype))
    lib.wait()
    return there


WAYS = ["A @ x", "multiply into out", "multiply on a stream given", "multiply on a number given", "A @ X", "A.T @ x", "without out"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kernel", [None, "gpu/csr/balanced"])
@pytest.mark.parametrize("dtype", [np.float64, np.complex64])
def test_products_wait_for_x_on_their_stream(lib, rng, dtype, kernel, way):
    """x is written on a stream by a slow kernel just before; the result is read on that stream."""
    M = matrix(rng, 400, 400, dtype)
    A = nz.plan(lib.matrix(M), op="both", kernel=kernel)
    shape = (400, 3) if "X" in way else (400,)
    x = vector(rng, shape, dtype)
    values, there, out = lib.there(x), poisoned(lib, shape, dtype), lib.there(np.zeros(shape, dtype))
    stream, other = lib.stream(), lib.stream()

    def product():
        if way == "multiply into out":
            return A.multiply(there, out)
        if way == "multiply on a stream given":
            return A.multiply(there, out, stream=stream)
        if way == "multiply on a number given":
            return A.multiply(there, out, stream=lib.number(stream))
        if way == "without out":
            return A.multiply(there, stream=stream)
        return A.T @ there if way == "A.T @ x" else A @ there

    outside = way in ("multiply on a stream given", "multiply on a number given", "without out")
    # The first product on a stream allocates, which may wait. A turn counts only where the other stream's product
    # was early: a host that was held up for longer than x took shows nothing, and gets a longer time.
    for turn in range(5):
        with lib.on(other):
            early = A @ there
        lib.wait()
        with lib.on(stream):
            late(lib, there, values, 1 << max(0, turn - 1))
            if not outside:
                y = product()
        if outside:
            y = product()
        with lib.on(other):
            early = A @ there  # another stream does not wait for x: so the test can fail
        with lib.on(stream):
            got = lib.back(y)
        assert_right(sp.csr_array(M.T) if way == "A.T @ x" else M, x, got)
        lib.wait()
        if turn > 0 and np.isnan(lib.back(early).real).any():
            break
        lib.fill(there, poisoned(lib, shape, dtype))
        lib.wait()
    else:
        pytest.fail("another stream waited in every turn: this test shows nothing")


@pytest.mark.parametrize("which", ["blocking", "null", "ptds"])
def test_other_streams_of_cupy(rng, which):
    """CuPy's streams wait for the default one unless told otherwise; the default one and a thread's own are streams, too."""
    lib = library(LIBRARIES[0])
    needs_cuda(lib)
    M = matrix(rng, 300, 300)
    A, x, there = nz.plan(lib.matrix(M)), vector(rng, 300), poisoned(lib, 300)
    stream = lib.lib.cuda.Stream() if which == "blocking" else getattr(lib.lib.cuda.Stream, which)
    for _ in range(2):
        lib.fill(there, poisoned(lib, 300))
        lib.wait()
        with stream:
            values = lib.there(x)
            late(lib, there, values)
            got = lib.back(A @ there)
            assert_right(M, x, got)
            late(lib, there, lib.there(2 * x))
            got = lib.back(A.multiply(there, stream=stream))
        assert_right(M, 2 * x, got)


def test_resolved_conjugates_are_made_on_the_stream_given(rng):
    lib = library(LIBRARIES[-1])
    needs_cuda(lib)
    M = matrix(rng, 300, 300, np.complex128)
    A, x = nz.plan(lib.matrix(M)), vector(rng, 300, np.complex128)
    values, there, out = lib.there(x), poisoned(lib, 300, np.complex128), lib.there(np.zeros(300, np.complex128))
    stream = lib.stream()
    A.multiply(values.conj(), out, stream=stream)
    lib.wait()
    for _ in range(2):
        lib.fill(there, poisoned(lib, 300, np.complex128))
        lib.wait()
        with lib.on(stream):
            late(lib, there, values)
        A.multiply(there.conj(), out, stream=stream)
        y = A.multiply(there.conj(), stream=stream)
        stream.synchronize()
        assert_right(M, x.conj(), lib.back(out))
        assert_right(M, x.conj(), lib.back(y))


def test_a_new_result_does_not_take_memory_that_its_stream_may_not_use_yet(lib, rng):
    """What the current stream has released but not reached yet is no place for a result on another stream."""
    M = matrix(rng, 300, 300)
    A, x = nz.plan(lib.matrix(M)), vector(rng, 300)
    there, stream = lib.there(x), lib.stream()
    A.multiply(there, stream=stream)
    lib.wait()
    trash = lib.there(np.full(300, 77.0))
    lib.wait()
    for _ in range(3):
        doomed = lib.there(np.zeros(300))
        lib.wait()
        late(lib, doomed, trash)  # on the current stream, which writes there after the product below
        del doomed
        y = A.multiply(there, stream=stream)
        lib.wait()
        assert_right(M, x, lib.back(y))


def test_x_in_host_memory_and_out_on_a_stream(lib, rng):
    """beta reads out, which a slow kernel of the stream of its library writes just before."""
    M = matrix(rng, 300, 300)
    A, x, before = nz.plan(lib.matrix(M)), vector(rng, 300), vector(rng, 300)
    values, stream, out = lib.there(before), lib.stream(), poisoned(lib, 300)
    for _ in range(2):
        with lib.on(stream):
            late(lib, out, values)
            A.multiply(x, out, alpha=2, beta=1)
            got = lib.back(out)
        assert_right(M, x, got, 2, 1, before)
        lib.fill(out, poisoned(lib, 300))
        lib.wait()


def test_matrices_and_values_that_a_stream_still_writes(lib, rng):
    M = matrix(rng, 300, 300)
    x, values, stream = vector(rng, 300), lib.there(M.data), lib.stream()
    there = lib.there(x)
    structure = lib.there(M.indices), lib.there(M.indptr)
    data = poisoned(lib, M.nnz)
    with lib.on(stream):
        late(lib, data, values)
        A = nz.plan(((data, *structure), M.shape))
        assert_right(M, x, lib.back(A @ there))
        # The structure on the GPU, then in host memory: where nothing else waits for the stream.
        for plan in (A, nz.plan(M, device=DEVICE)):
            lib.wait()
            other = M.copy()
            other.data = vector(rng, M.nnz)
            fresh, new = lib.there(np.full(M.nnz, np.nan)), lib.there(other.data)
            lib.wait()
            late(lib, fresh, new)
            plan.update_values(fresh)
            assert_right(other, x, lib.back(plan @ there))


def test_values_of_a_batch_that_a_stream_still_writes(lib, rng):
    M = matrix(rng, 40, 30)
    values, x, stream = vector(rng, (3, M.nnz)), vector(rng, (3, 30)), lib.stream()
    for structure in (M, lib.matrix(M)):
        with lib.on(stream):
            there, data, ready = lib.there(x), lib.there(np.full((3, M.nnz), np.nan)), lib.there(values)
            lib.wait()
            late(lib, data, ready)
            B = nz.plan_batch(structure, data, device=DEVICE)
            for turn in range(2):
                y = lib.back(B @ there)
                for i in range(3):
                    assert_right(sp.csr_array((values[i], M.indices, M.indptr), M.shape), x[i], y[i])
                fresh = lib.there(np.full((3, M.nnz), np.nan))
                lib.wait()
                late(lib, fresh, ready)
                B.update_values(fresh)


def test_products_of_a_batch_wait_for_x(lib, rng):
    M = matrix(rng, 40, 30)
    values, x, stream = vector(rng, (3, M.nnz)), vector(rng, (3, 30)), lib.stream()
    B, there, ready = nz.plan_batch(M, lib.there(values)), poisoned(lib, (3, 30)), lib.there(x)
    B.multiply(there, stream=stream)
    lib.wait()
    for way in ("current", "given"):
        with lib.on(stream):
            late(lib, there, ready)
            if way == "current":
                y = B @ there
        if way == "given":
            y = B.multiply(there, stream=stream)
        with lib.on(stream):
            got = lib.back(y)
        for i in range(3):
            assert_right(sp.csr_array((values[i], M.indices, M.indptr), M.shape), x[i], got[i])
        lib.fill(there, poisoned(lib, (3, 30)))
        lib.wait()


@pytest.mark.parametrize("way", ["current", "given"])
@pytest.mark.parametrize("solver", ["cg", "gmres"])
def test_solvers_wait_for_b(lib, rng, solver, way):
    M = sp.csr_array(nz.generate("grid:points=5,nx=20,ny=20"))
    A, b, stream = nz.plan(lib.matrix(M)), vector(rng, 400), lib.stream()
    there, ready = poisoned(lib, 400), lib.there(b)
    lib.wait()
    with lib.on(stream):
        late(lib, there, ready)
        if way == "current":
            found = getattr(nz, solver)(A, there, rtol=1e-9)
    if way == "given":
        found = getattr(nz, solver)(A, there, rtol=1e-9, stream=stream)
    x = lib.back(found.x)  # on the default stream: a solver has ended when it returns
    assert found.ok and np.linalg.norm(M @ x - b) <= 1e-7 * np.linalg.norm(b)


def test_more_streams_than_are_bound_and_threads(lib, rng):
    M = matrix(rng, 400, 300)
    A, X, faults = nz.plan(lib.matrix(M), op="both", kernel="gpu/csr/balanced"), vector(rng, (12, 300)), []

    def work(i):
        try:
            with lib.on(lib.stream()):
                there = lib.there(X[i])
                for _ in range(50):
                    y = A @ there
                got = lib.back(y)
            assert_right(M, X[i], got)
        except BaseException as e:
            faults.append(e)

    crowd = [threading.Thread(target=work, args=(i,)) for i in range(12)]
    for t in crowd:
        t.start()
    for t in crowd:
        t.join()
    assert not faults, faults


def test_graphs_of_pytorch(rng):
    """Captured by torch.cuda.graph, which lets nobody allocate meanwhile, and replayed with another x."""
    lib = library(LIBRARIES[-1])
    needs_cuda(lib)
    torch, M = lib.lib, matrix(rng, 400, 300)
    for kernel in (None, "gpu/csr/balanced"):
        A, x = nz.plan(lib.matrix(M), kernel=kernel), lib.there(vector(rng, 300))
        y, X, Y = lib.there(np.zeros(400)), lib.there(vector(rng, (300, 4))), lib.there(np.zeros((400, 4)))
        stream = lib.stream()
        with lib.on(stream):
            A.multiply(x, y)
            A.multiply(X, Y)
        lib.wait()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            A.multiply(x, y)
            A.multiply(X, Y)
        for _ in range(3):
            fresh, several = vector(rng, 300), vector(rng, (300, 4))
            x.copy_(lib.there(fresh))
            X.copy_(lib.there(several))
            graph.replay()
            lib.wait()
            assert_right(M, fresh, lib.back(y))
            assert_right(M, several, lib.back(Y))
        del graph


def test_a_plan_ends_while_its_product_is_under_way(lib, rng):
    M = matrix(rng, 400, 300)
    x, stream = vector(rng, 300), lib.stream()
    there, ready = poisoned(lib, 300), lib.there(x)
    for kernel in (None, "gpu/csr/balanced", "gpu/compact/balanced"):
        lib.fill(there, poisoned(lib, 300))
        lib.wait()
        with lib.on(stream):
            A = nz.plan(lib.matrix(M), kernel=kernel)
            A @ there
            late(lib, there, ready)
            y = A @ there
            del A
            trash = [lib.there(np.full(n, 77.0)) for n in (M.nnz, M.nnz // 2, 401, 201) for _ in range(4)]
            got = lib.back(y)
        assert_right(M, x, got)
        del trash


END = """
import gc, threading, time, numpy as np, cupy, scipy.sparse as sp, cupyx.scipy.sparse as csp, nonzero as nz
M = sp.random_array((500, 500), density=0.05, format="csr")
stream, called = cupy.cuda.Stream(non_blocking=True), []
A = nz.plan(csp.csr_matrix(sp.csr_matrix(M)), kernel="gpu/compact/balanced")
with stream:
    x = cupy.ones(500)
    A @ x
    stream.synchronize()
    stream.launch_host_func(lambda _: (time.sleep(0.3), called.append(1)), None)
    y = A @ x
    del A  # gives memory back, which waits for the device, and that for the callback
    gc.collect()
    assert np.allclose(y.get(), M @ np.ones(500)) and called
print("ended")
"""


def test_a_plan_ends_while_a_callback_in_python_is_waited_for():
    """Ending a plan waits for the device, and that for a callback, which needs the interpreter: in a program of its own."""
    needs_cuda(library(LIBRARIES[0]))
    ran = subprocess.run([sys.executable, "-c", END], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0 and ran.stdout.strip() == "ended", ran.stderr


def test_nothing_is_kept(lib, rng):
    """Memory of the device after many plans and products."""
    M = matrix(rng, 2000, 1500)
    there, x = lib.matrix(M), lib.there(vector(rng, 1500))

    def much():
        for _ in range(30):
            A = nz.plan(there, op="both")
            for _ in range(20):
                A.T @ (A @ x)
        del A
        gc.collect()
        lib.wait()
        return lib.free()

    much()
    before = much()
    assert before - much() < 4 << 20
