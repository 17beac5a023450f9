"""What only a GPU can show of the Python package: pointers, streams, graphs, threads, memory. Needs CuPy, no pytest.

    python scripts/python_gpu_check.py      # PyTorch too, where it is
"""

import faulthandler
import gc
import threading
import time

import numpy as np
import python_measure as pm
import scipy.sparse as sp

import nonzero as nz

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def assert_product(M, x, y, alpha=1.0):
    """Within the bound of any order of additions."""
    L = np.longdouble
    exact, size = L(alpha) * (M.astype(L) @ x.astype(L)), abs(L(alpha)) * (abs(M).astype(L) @ abs(x.astype(L)))
    bound = (np.diff(M.indptr) + 3) * (np.finfo(M.dtype).eps / 2 * size + 4 * np.finfo(M.dtype).smallest_subnormal)
    assert (abs(y.astype(L) - exact) <= bound).all()


def drawn(rows=3000, cols=2000, dtype=np.float64):
    """With a row that several blocks share, so that kernels have scratch memory."""
    rng = np.random.default_rng(5)
    M = sp.random_array((rows, cols), density=0.01, format="lil", rng=rng, dtype=np.float64)
    M[7, :] = rng.standard_normal(cols)
    M = M.tocsr().astype(dtype)
    M.sort_indices()
    return M, rng.standard_normal(cols).astype(dtype), rng.standard_normal(rows).astype(dtype)


class Cupy:
    name = "cupy"

    def __init__(self):
        import cupy

        self.lib, self.there, self.back = cupy, cupy.asarray, cupy.asnumpy
        self.spin = cupy.RawKernel(
            'extern "C" __global__ void spin(long long n) { long long t = clock64(); while (clock64() - t < n); }', "spin"
        )

    def matrix(self, M):
        import cupyx.scipy.sparse as csp

        return csp.csr_matrix(sp.csr_matrix(M))

    def stream(self):
        return self.lib.cuda.Stream(non_blocking=True)

    def on(self, stream):
        return stream

    def sleep(self):
        self.spin((1,), (1,), (np.int64(2 * 10**8),))

    def pointer(self, array):
        return array.data.ptr

    def wait(self):
        self.lib.cuda.Device().synchronize()

    def fill(self, array, other):
        array[...] = other


class Torch:
    name = "torch"

    def __init__(self):
        import torch

        self.lib = torch

    def there(self, array):
        return self.lib.from_numpy(array).cuda()

    def back(self, tensor):
        return tensor.cpu().numpy()

    def matrix(self, M):
        return self.lib.sparse_csr_tensor(self.there(M.indptr), self.there(M.indices), self.there(M.data), M.shape)

    def stream(self):
        return self.lib.cuda.Stream()

    def on(self, stream):
        return self.lib.cuda.stream(stream)

    def sleep(self):
        self.lib.cuda._sleep(2 * 10**8)

    def pointer(self, tensor):
        return tensor.data_ptr()

    def wait(self):
        self.lib.cuda.synchronize()

    def fill(self, tensor, other):
        tensor.copy_(other)


@check
def the_kind_that_goes_in_comes_out_without_a_copy(lib):
    for dtype in (np.float32, np.float64):
        M, x, z = drawn(dtype=dtype)
        there = lib.matrix(M)
        A = nz.plan(there, op="both")
        assert A.device == "cuda:0"
        x, z = lib.there(x), lib.there(z)
        y = A @ x
        assert type(y) is type(x) and A._apply(x) is not None, "the quick way is not taken"
        assert_product(M, lib.back(x), lib.back(y))
        assert_product(M.T.tocsr(), lib.back(z), lib.back(A.T @ z))
        place = lib.pointer(y)
        assert A._into(x, y, 1.0, 0.0), "the quick way is not taken"
        assert A.multiply(x, y, alpha=2) is y and lib.pointer(y) == place
        assert_product(M, lib.back(x), lib.back(y), 2)
        assert A.multiply(x, y, alpha=3, stream=0) is y and lib.pointer(y) == place  # the careful way
        assert_product(M, lib.back(x), lib.back(y), 3)
        kept = A._core.data
        assert lib.pointer(kept) == lib.pointer(there.data if lib.name == "cupy" else there.values())


@check
def several_vectors(lib):
    M, _, _ = drawn(1001, 777)
    A = nz.plan(lib.matrix(M))
    for order in "CF":
        X = np.asarray(np.random.default_rng(1).standard_normal((777, 8)), order=order)
        there = lib.there(X)
        Y = A @ there
        assert type(Y) is type(there) and Y.shape == (1001, 8)
        Y = lib.back(Y)
        for j in range(8):
            assert_product(M, X[:, j], Y[:, j])
        out = lib.there(np.full((1001, 5), np.nan))
        assert A.multiply(there[:, 2:5], out[:, 1:4], alpha=2, stream=0) is not None  # parts, in place
        Y = lib.back(out)
        assert np.isnan(Y[:, [0, 4]]).all()
        for j in range(3):
            assert_product(M, X[:, 2 + j], Y[:, 1 + j], 2)
        Y = lib.back(A @ there[:, ::3])  # copied
        for j in range(3):
            assert_product(M, X[:, 3 * j], Y[:, j])


@check
def streams_are_honoured(lib):
    M, x, _ = drawn()
    for kernel in (None, "gpu/csr/balanced"):
        A, zeros, late = nz.plan(lib.matrix(M), kernel=kernel), lib.there(np.zeros(M.shape[1])), lib.there(x)
        there, y, other = lib.there(np.zeros(M.shape[1])), lib.there(np.ones(M.shape[0])), lib.there(np.ones(M.shape[0]))
        first, second = lib.stream(), lib.stream()
        with lib.on(first):
            A.multiply(there, y)  # so that nothing is allocated below, which would wait
        with lib.on(second):
            A.multiply(there, other)
        lib.wait()
        for call in ("current", "given", "@"):
            lib.fill(there, zeros)
            lib.wait()
            with lib.on(first):
                lib.sleep()
                lib.fill(there, late)  # long after what comes next was queued
                if call == "current":
                    A.multiply(there, y)
                elif call == "@":
                    y = A @ there
            if call == "given":
                A.multiply(there, y, stream=first)
            with lib.on(second):
                A.multiply(there, other)
            lib.wait()
            assert_product(M, x, lib.back(y))
            assert not lib.back(other).any(), "a product on another stream waited: this test shows nothing"


@check
def graphs_have_scratch_of_their_own(lib):
    if lib.name != "cupy":
        return
    M, x, _ = drawn()
    A = nz.plan(lib.matrix(M), kernel="gpu/csr/balanced")
    there, y = lib.there(x), lib.there(np.ones(M.shape[0]))
    first, second = lib.stream(), lib.stream()
    with first:
        A.multiply(there, y)
        first.begin_capture()
        A.multiply(there, y)
        A.multiply(there, y)
        graph = first.end_capture()
    others = [lib.there(np.ones(M.shape[0])) for _ in range(50)]
    for round_ in range(5):
        lib.fill(y, lib.there(np.ones(M.shape[0])))
        lib.wait()
        graph.launch(stream=second)
        with first:
            for other in others:
                A.multiply(there, other)
        lib.wait()
        assert_product(M, x, lib.back(y))
        for other in others:
            assert_product(M, x, lib.back(other))


@check
def more_streams_and_threads_than_are_bound(lib):
    M, _, _ = drawn()
    A, rng = nz.plan(lib.matrix(M), op="both", kernel="gpu/csr/balanced"), np.random.default_rng(3)
    X, faults = rng.standard_normal((12, M.shape[1])), []

    def work(i):
        try:
            with lib.on(lib.stream()):
                there = lib.there(X[i])
                for _ in range(100):
                    y = A @ there
                got = lib.back(y)
            assert_product(M, X[i], got)
        except BaseException as e:
            faults.append(e)

    crowd = [threading.Thread(target=work, args=(i,)) for i in range(12)]
    for t in crowd:
        t.start()
    for t in crowd:
        t.join()
    assert not faults, faults


@check
def new_values(lib):
    M, x, _ = drawn()
    for kernel in (None, "gpu/csr/balanced", "gpu/compact/balanced"):
        A, there = nz.plan(lib.matrix(M), kernel=kernel), lib.there(x)
        A @ there
        lib.wait()
        other = M.copy()
        other.data = np.random.default_rng(9).standard_normal(M.nnz)
        A.update_values(lib.there(other.data))
        assert_product(other, x, lib.back(A @ there))


@check
def a_callback_in_python_is_not_locked_out(lib):
    """A launch may wait for room in the queue, the queue for the callback, and that for the GIL."""
    if lib.name != "cupy":
        return
    M, x, _ = drawn()
    A, there, y, called = nz.plan(lib.matrix(M)), lib.there(x), lib.there(np.ones(M.shape[0])), []
    stream = lib.stream()
    with stream:
        A.multiply(there, y)
        stream.launch_host_func(lambda _: (time.sleep(0.2), called.append(1)), None)
        for _ in range(20_000):
            A.multiply(there, y)
        stream.synchronize()
    assert called
    assert_product(M, x, lib.back(y))


@check
def nothing_leaks(lib):
    import cupy

    M, x, _ = drawn()
    there, matrix = lib.there(x), lib.matrix(M)

    def much(plans):
        for _ in range(plans):
            A = nz.plan(matrix, op="both")
            y = lib.there(np.ones(M.shape[0]))
            for _ in range(1000 // plans):
                z = A @ there
                A.T @ z
                A.multiply(there, y)
        del A
        gc.collect()
        lib.wait()
        return cupy.cuda.runtime.memGetInfo()[0]

    much(20)
    before = much(20)
    assert before - much(20) < 2 << 20


@check
def what_is_wrong_is_said(lib):
    M, x, _ = drawn()
    A, there = nz.plan(lib.matrix(M)), lib.there(x)
    for wrong, error, word in (
        (there[:-1], ValueError, "elements"),
        (lib.there(np.ones(2 * M.shape[1]))[::2], ValueError, "contiguous"),
        (lib.there(x.astype(np.float32)), TypeError, "float64"),
    ):
        try:
            A @ wrong
        except error as e:
            assert word in str(e), e
        else:
            raise AssertionError(f"no {error.__name__} for {word}")
    S = nz.plan(lib.matrix(sp.eye_array(M.shape[1], format="csr", dtype=np.float64)))
    try:
        S.multiply(there, there)
    except nz.InvalidArgument as e:
        assert "overlap" in str(e)
    else:
        raise AssertionError("x and y overlap, and nobody says so")
    # Host memory works, slowly.
    assert_product(M, x, A @ x)


def main():
    faulthandler.dump_traceback_later(300, exit=True)
    if pm.cupy_with_gpu() is None:
        raise SystemExit("needs CuPy and a GPU")
    torch = pm.library("torch")
    kinds = [Cupy()] + ([Torch()] if torch is not None and torch.cuda.is_available() else [])
    failed = 0
    for lib in kinds:
        for function in CHECKS:
            begin, name = time.monotonic(), f"{lib.name}: {function.__name__.replace('_', ' ')}"
            try:
                function(lib)
                print(f"ok      {name} ({time.monotonic() - begin:.1f} s)")
            except Exception as e:
                failed += 1
                print(f"FAILED  {name}: {type(e).__name__}: {e} (line {e.__traceback__.tb_next.tb_lineno if e.__traceback__.tb_next else '?'})")
    print(f"{failed} failed; nonzero {nz.__version__}, {pm.commit()}, {pm.machine()}")
    raise SystemExit(failed > 0)


if __name__ == "__main__":
    main()
