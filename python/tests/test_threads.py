"""Python threads that share a plan, and memory after many products."""

import collections
import gc
import itertools
import os
import resource
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import SANITIZED, assert_product, drawn

import nonzero as nz


def test_threads_share_a_plan(rng):
    M = drawn(rng, 2000, 2000, density=0.01)
    A = nz.plan(M, op="both")
    X = rng.standard_normal((8, 2000))
    results = {}

    def work(i):
        for _ in range(30):
            results[i] = (A @ X[i], A.T @ X[i])

    crowd = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in crowd:
        t.start()
    for t in crowd:
        t.join()
    T = M.T.tocsr()
    for i in range(8):
        assert_product(M, X[i], results[i][0])
        assert_product(T, X[i], results[i][1])


def test_new_values_and_products_stay_apart(rng):
    M = sp.csr_array(np.ones((50, 50)))
    A, x = nz.plan(M, kernel="cpu/compact/balanced"), np.ones(50)
    over, seen = threading.Event(), []

    def work():
        while not over.is_set():
            seen.append(A @ x)

    t = threading.Thread(target=work)
    t.start()
    done = 0
    for i in range(200):
        try:
            A.update_values(np.full(2500, float(i)))
            done += 1
        except nz.InvalidArgument as e:  # a product was under way
            assert "multiplying" in str(e)
    over.set()
    t.join()
    # Each product saw one set of values, never a mixture.
    assert all((y == y[0]).all() for y in seen)


def test_the_gil_is_released(rng):
    # Long enough for the other thread to get a core on a busy machine.
    A = nz.plan(nz.generate("grid:points=5,nx=200,ny=200"))
    ticks, over = [], threading.Event()

    def tick():
        while not over.is_set():
            ticks.append(1)

    t = threading.Thread(target=tick)
    t.start()
    before = len(ticks)
    nz.cg(A, rng.standard_normal(40000), rtol=1e-12)
    during = len(ticks) - before
    over.set()
    t.join()
    assert during > 0


@pytest.mark.skipif(SANITIZED, reason="freed memory is kept")
def test_nothing_leaks(rng):
    M = drawn(rng, 1000, 1000, density=0.01)
    x = rng.standard_normal(1000)

    def much():
        for _ in range(100):
            A = nz.plan(M)
            for _ in range(10):
                A @ x
                A.T @ x
                A.multiply(x)
                try:
                    A @ x[:9]
                except ValueError:
                    pass
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    much()
    before = much()
    # 8 kB of every product would be 24 MB.
    assert much() - before < 4000


def test_a_solver_can_be_interrupted():
    # A star: whoever starts anywhere alike swings between its middle and its ends for ever.
    chain = sp.csr_array([[0, 0.5, 0.5], [1, 0, 0], [1, 0, 0]])
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        nz.stationary(chain, rtol=0.0, maxiter=2**31 - 1)
    timer.join()


def test_an_inverse_ends_without_the_interpreters_lock():
    """Its memory on a device is given back when the device is idle, which may wait for a callback in Python.

    One call that is C alone counts until the other thread has asked for the lock, then ends the inverse: a thread that
    was asked and lets go of the lock waits until another one has had it.
    """
    A, turn, ran, let_go = sp.eye_array(10, format="csr"), threading.Semaphore(0), [], False

    def work():
        while turn.acquire() and len(ran) < 100:
            ran.append(1)

    other = threading.Thread(target=work)
    other.start()
    for _ in range(10):  # on a busy machine the other thread may be late, or have its turn before the call
        kept, seen = [nz.jacobi(A)._core], []
        look = [map(seen.append, map(len, [ran])) for _ in range(2)]
        turn.release()
        collections.deque(itertools.chain(look[0], range(3_000_000), map(list.clear, [kept]), look[1]), maxlen=0)
        if let_go := seen[1] > seen[0]:
            break
    ran.extend([1] * 100)
    turn.release()
    other.join()
    assert let_go
