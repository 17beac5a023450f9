#!/usr/bin/env python3
"""Draws a suite of matrices of 0.3 to 20 million nonzeros, two of every kind there is, with parameters from a seed.

    scripts/draw_mid.py SEED > suite.json

The same seed gives the same file everywhere. Each kind is there twice, once to fit by (fit-KIND) and once to report on
(report-KIND): `nonzero bench --suite suite.json --only 'report-*'`. Most have between half a million and eight million
nonzeros, one in ten more. `--scale small` takes the variants for the emulator. lab/bench/suites/mid.json is that of seed
20261117.
"""
import math

import draw_suite
from draw_suite import Draw, entry, main, spec, written

FEWEST, MOST = 3e5, 2e7


class Mid(Draw):
    def nonzeros(self, most=MOST):
        # Room for what is rounded and merged.
        if self.random() < 0.1:
            return self.about(8e6, 0.85 * most)
        return self.about(1.4 * FEWEST, 8e6)

    def box(self, cubes, flattest=0.5):
        """Edges of a box of about so many cubes."""
        edge = cubes ** (1 / 3)
        nx = max(2, round(edge * self.about(flattest, 2)))
        ny = max(2, round(edge * self.about(0.7, 1.4)))
        return nx, ny, max(2, round(cubes / (nx * ny)))

    def window(self, n):
        """An order, a little of disorder, or none at all."""
        return self.one((0, 0, round(self.about(50, 5000)), n))


def nearest(options, nnz):
    """Of (nonzeros, settings), those closest by ratio."""
    return min(options, key=lambda o: abs(math.log(o[0] / nnz)))[1]


def bibd(d, seed):
    options = [(math.comb(v, k) * math.comb(k, 2), (v, k)) for k in range(3, 12) for v in range(2 * k, 41)]
    v, k = nearest([o for o in options if FEWEST < o[0] < MOST], d.nonzeros() * d.about(0.7, 1.4))
    return (f"pairs of {v} points by blocks of {k}", spec("bibd", points=v, block=k), spec("bibd", points=9, block=4))


def chessboard(d, seed):
    def count(m, n, k):
        return math.comb(m, k) * math.comb(n, k) * math.factorial(k) * k
    options = [(count(m, n, k), (m, n, k)) for m in range(5, 11) for n in range(m, 13) for k in range(3, m + 1)]
    m, n, k = nearest([o for o in options if FEWEST < o[0] < MOST], d.nonzeros())
    return (f"boundaries of {k} rooks on {m} x {n} squares", spec("chessboard", m=m, n=n, rooks=k),
            spec("chessboard", m=5, n=5, rooks=3))


def communities(d, seed):
    nnz, degree = d.nonzeros(), d.whole(3, 45)
    n = round(nnz / (2 * degree))
    size, mixing, window = round(d.about(50, 3000)), round(d.about(0.05, 0.8), 2), d.window(n)
    return (f"social graph: {degree} edges a node, communities of {size}, {mixing:.0%} mixed",
            spec("communities", n=n, degree=degree, community=size, mixing=mixing, window=window, seed=seed),
            spec("communities", n=150, degree=4, community=30, mixing=mixing, seed=seed))


def diagonal(d, seed):
    n = round(d.about(FEWEST, 4e6))
    return ("a diagonal", spec("diagonal", n=n, seed=seed), spec("diagonal", n=300, seed=seed))


def edges(d, seed):
    nx, ny, nz = d.box(d.nonzeros() / 117)
    window = d.window(7 * nx * ny * nz)
    return (f"edge elements on {nx} x {ny} x {nz} cubes" + (f", numbered anew within {window}" if window else ""),
            spec("edges", nx=nx, ny=ny, nz=nz, window=window, seed=seed), spec("edges", nx=3, ny=3, nz=2, window=20, seed=seed))


def grid_varied(d, seed):
    why, large, small = draw_suite.grid(d, seed)
    return (why + ", coefficients differ", f"{large},varied={seed}", f"{small},varied={seed}")


def heisenberg(d, seed):
    options = []
    for sites in range(12, 29):
        for up in range(3, sites // 2 + 1):
            for ring in (0, 1):
                bonds = sites - 1 + ring
                options.append((math.comb(sites, up) + 2 * bonds * math.comb(sites - 2, up - 1), (sites, up, ring)))
    sites, up, ring = nearest([o for o in options if FEWEST < o[0] < MOST], d.nonzeros())
    field = d.one((0, 0.5))
    return (f"{'ring' if ring else 'chain'} of {sites} spins, {up} up" + (", random fields" if field else ""),
            spec("heisenberg", sites=sites, up=up, periodic=ring, field=field, seed=seed),
            spec("heisenberg", sites=9, up=4, periodic=ring, field=field, seed=seed))


def ideal(d, seed):
    block = d.one((32, 64))
    n = block * round(d.about(2048, 16384) / block)
    unit = n // block
    nnz = unit * round(max(1.1 * FEWEST, min(d.nonzeros(), 0.05 * n * n)) / unit)
    return (f"blocks of {block} x {block} with equally many nonzeros in a block row",
            spec("ideal", n=n, block=block, nnz=nnz, seed=seed), spec("ideal", n=128, block=16, nnz=2048, seed=seed))


def kkt(d, seed):
    nnz, couplings, per_row, share = d.nonzeros(), d.whole(0, 6), d.whole(2, 9), d.about(0.1, 0.9)
    dense = d.one((0, 0, 0, 1, 4))
    variables = round(nnz / (1 + 2 * couplings + 2 * share * per_row + 2 * dense))
    stretch = d.one((0, round(d.about(20, 5000))))
    return (f"optimality system: {couplings} couplings, {per_row} a constraint, {dense} dense",
            spec("kkt", variables=variables, constraints=round(share * variables) + dense, couplings=couplings,
                 per_row=per_row, dense=dense, stretch=stretch, seed=seed),
            spec("kkt", variables=200, constraints=80, couplings=couplings, per_row=per_row, dense=dense,
                 stretch=min(stretch, 50), seed=seed))


def mycielskian(d, seed):
    k = d.whole(12, 15)  # 407 thousand to 11 million
    return (f"Mycielskian graph {k}", spec("mycielskian", k=k), spec("mycielskian", k=7))


def qap(d, seed):
    n = round((d.nonzeros() / 2) ** 0.25)
    return (f"quadratic assignment of {n}", spec("qap", n=n), spec("qap", n=6))


def sat(d, seed):
    nnz, width, ratio = d.nonzeros(), round(d.about(2.3, 7), 2), d.about(3, 15)
    clauses = round(nnz / width)
    local, longest = round(0.5 + 0.5 * d.random(), 2), round(d.about(10, 300))
    return (f"formula: {width:g} literals a clause, {local:.0%} of them near",
            spec("sat", clauses=clauses, variables=round(clauses / ratio), width=width, longest=longest, local=local, seed=seed),
            spec("sat", clauses=300, variables=80, width=width, longest=10, local=local, seed=seed))


def shells(d, seed):
    unknowns = d.one((3, 3, 5, 6))
    squares = d.nonzeros() / (46 * unknowns ** 2)
    nx = max(3, round(squares ** 0.5 * d.about(0.4, 2.5)))
    ny = max(3, round(squares / nx))
    window = round(d.about(100, 10000))
    return (f"shell with {unknowns} unknowns a node, numbered within {window}",
            spec("shells", nx=nx, ny=ny, unknowns=unknowns, window=window, seed=seed),
            spec("shells", nx=4, ny=3, unknowns=unknowns, window=20, seed=seed))


def stokes(d, seed):
    nx, ny, nz = d.box(d.nonzeros() / 1128)
    window = d.window(8 * nx * ny * nz)
    return (f"Stokes flow on {nx} x {ny} x {nz} cubes", spec("stokes", nx=nx, ny=ny, nz=nz, window=window, seed=seed),
            spec("stokes", nx=2, ny=2, nz=1, window=20, seed=seed))


def terms(d, seed):
    nnz, words = d.nonzeros(), round(d.about(15, 250))
    documents = round(nnz / words)
    vocabulary, topics = round(d.about(max(3000, 8 * words), 60000)), d.whole(5, 200)
    return (f"documents of {words} words among {vocabulary}",
            spec("terms", documents=documents, terms=vocabulary, words=words, longest=10 * words, topics=topics, seed=seed),
            spec("terms", documents=60, terms=150, words=12, longest=60, topics=topics, seed=seed))


def tets(d, seed):
    order, unknowns = d.one((1, 2, 2)), d.one((1, 3))
    nx, ny, nz = d.box(d.nonzeros() / ({1: 15, 2: 237}[order] * unknowns ** 2))
    window = d.window(8 * nx * ny * nz)
    return (f"{('linear', 'quadratic')[order - 1]} tetrahedra, {unknowns} unknowns a node",
            spec("tets", nx=nx, ny=ny, nz=nz, order=order, unknowns=unknowns, window=window, seed=seed),
            spec("tets", nx=3, ny=2, nz=2, order=order, unknowns=unknowns, window=20, seed=seed))


def tomography(d, seed):
    nnz, size = d.nonzeros(), round(d.about(64, 512))
    detectors = round(1.4142 * size * d.about(0.7, 1.4))
    angles = max(4, round(nnz / (0.9 * size * detectors)))
    return (f"{angles} x {detectors} rays through {size} x {size} pixels",
            spec("tomography", size=size, angles=angles, detectors=detectors),
            spec("tomography", size=16, angles=9, detectors=23))


def web(d, seed):
    nnz, degree = d.nonzeros(), round(d.about(4, 40), 1)
    pages, local = round(nnz / degree), round(0.6 + 0.35 * d.random(), 2)
    return (f"web graph: {degree:g} links a page, {local:.0%} within the host",
            spec("web", pages=pages, degree=degree, longest=min(pages, round(degree * d.about(20, 300))), local=local, seed=seed),
            spec("web", pages=300, degree=6, longest=60, local=local, seed=seed))


OLD = (draw_suite.banded, draw_suite.block_band, draw_suite.blocks, draw_suite.fem, draw_suite.giant, draw_suite.grid,
       draw_suite.lp, draw_suite.profile, draw_suite.uniform, draw_suite.rmat, draw_suite.road)
NEW = (bibd, chessboard, communities, diagonal, edges, grid_varied, heisenberg, ideal, kkt, mycielskian, qap, sat, shells,
       stokes, terms, tets, tomography, web)


def suite(seed):
    d = Mid(seed)
    entries = [entry(f"{half}-{kind.__name__.replace('_', '-')}", kind(d, d.whole(1, 10**6)))
               for half in ("fit", "report") for kind in OLD + NEW]
    return written("mid", f"{len(entries)} matrices of 0.3 to 20 million nonzeros, two of each kind, one to fit by and one "
                          f"to report on: scripts/draw_mid.py {seed}.", entries)


if __name__ == "__main__":
    main(suite, "draw_mid.py")
