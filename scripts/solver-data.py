#!/usr/bin/env python3
"""Makes tests/data/solve: a small graph and a chain, with what NetworkX and SciPy say of them."""
import pathlib

import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse as sp
import scipy.sparse.linalg as sla

out = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "solve"
out.mkdir(parents=True, exist_ok=True)


def save(name, vector):
    lines = ["%%MatrixMarket matrix array real general", f"{len(vector)} 1"]
    (out / name).write_text("\n".join(lines + [repr(float(v)) for v in vector]) + "\n")


n = 120
random = np.random.default_rng(5)
graph = nx.DiGraph()
graph.add_nodes_from(range(n))
for i in range(n):
    if i % 11 == 3:
        continue  # a dead end
    for j in random.choice(n, size=1 + i % 6, replace=False):
        graph.add_edge(i, int(j), weight=float(1 + (i + int(j)) % 3))
scipy.io.mmwrite(out / "graph.mtx", nx.to_scipy_sparse_array(graph, nodelist=range(n), dtype=float))
settings = dict(alpha=0.85, tol=1e-15, max_iter=1000)
save("pagerank.mtx", list(nx.pagerank(graph, **settings).values()))
people = {i: float(i % 5 == 0) * (1 + i % 7) for i in range(n)}
save("personalisation.mtx", list(people.values()))
save("pagerank-personal.mtx", list(nx.pagerank(graph, personalization=people, **settings).values()))

chain = sp.random_array((60, 60), density=0.12, rng=random) + sp.eye_array(60, k=1) * 0.5
chain = sp.lil_array(chain)
chain[59, 0] = 0.5
chain = sp.csr_array(chain)
chain = sp.diags_array(1 / chain.sum(axis=1)) @ chain
scipy.io.mmwrite(out / "chain.mtx", sp.coo_array(chain), precision=17)
chain = sp.csr_array(scipy.io.mmread(out / "chain.mtx"))
values, vectors = np.linalg.eig(chain.toarray().T)
x = np.real(vectors[:, np.argmax(np.real(values))])
save("stationary.mtx", x / x.sum())

symmetric = sp.random_array((90, 90), density=0.05, rng=random)
symmetric = sp.coo_array(symmetric + symmetric.T)
scipy.io.mmwrite(out / "symmetric.mtx", symmetric, symmetry="general", precision=17)
save("largest.mtx", sla.eigsh(sp.csr_array(symmetric), k=1, which="LA", tol=1e-14)[0])
