"""Files against SciPy's readers and writers, generated matrices, pictures, records."""

import json
import sys
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from conftest import drawn, needs_program

import nonzero as nz


def same(A, B):
    return A.shape == B.shape and (abs(sp.csr_array(A) - sp.csr_array(B))).nnz == 0


@pytest.mark.parametrize("ending", [".mtx", ".mtx.gz", ".mtx.zst", ".nzb"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_round_trip(rng, tmp_path, ending, dtype, format):
    M = drawn(rng, 40, 30, dtype=dtype, format=format)
    nz.write(tmp_path / f"a{ending}", M, comment="for the test")
    A = nz.read(tmp_path / f"a{ending}", dtype=dtype)
    assert A.format == "csr" and A.dtype == dtype and A.indices.dtype == np.int32 and same(A, M)
    x = rng.standard_normal(30).astype(dtype)
    np.testing.assert_allclose(nz.plan(A) @ x, M @ x, rtol=1e-4)


def test_graphs(tmp_path):
    (tmp_path / "g").write_text("# from to weight\n0 1 5\n1 0 2\n")
    A = nz.read(f"edges:{tmp_path / 'g'}", dtype=np.float32)
    assert A.dtype == np.float32 and same(A, sp.csr_array([[0, 5], [2, 0]]))
    (tmp_path / "m").write_text("2 1\n2\n1\n")
    assert same(nz.read(f"metis:{tmp_path / 'm'}"), sp.csr_array([[0, 1], [1, 0]]))
    with pytest.raises(nz.BadInput):
        nz.read(f"edges:{tmp_path / 'missing'}")


@pytest.mark.parametrize("compressed", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.uint8, bool])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
def test_npz(rng, tmp_path, format, dtype, compressed):
    M = sp.csr_array(drawn(rng, 12, 18) * 10).astype(dtype).asformat(format)
    sp.save_npz(tmp_path / "a.npz", M, compressed=compressed)
    A, B = nz.read(tmp_path / "a.npz"), sp.csr_array(sp.load_npz(tmp_path / "a.npz")).astype(np.float64)
    assert A.nnz == B.nnz and same(A, B)


@pytest.mark.parametrize("compressed", [False, True])
def test_mat(rng, tmp_path, compressed):
    M = sp.csc_array(drawn(rng, 12, 18))
    scipy.io.savemat(tmp_path / "a.mat", {"A": M, "B": 2 * M, "x": np.ones(3)}, do_compression=compressed)
    assert same(nz.read(f"{tmp_path}/a.mat:B"), 2 * M)
    with pytest.raises(nz.BadInput, match="which variable"):
        nz.read(tmp_path / "a.mat")
    scipy.io.savemat(tmp_path / "b.mat", {"Problem": {"A": M != 0, "name": "b"}}, do_compression=compressed)
    assert same(nz.read(tmp_path / "b.mat"), (M != 0).astype(np.float64))


def test_harwell_boeing(rng, tmp_path):
    M = sp.csc_array(drawn(rng, 12, 18))
    scipy.io.hb_write(tmp_path / "a.rua", M)
    np.testing.assert_allclose(nz.read(tmp_path / "a.rua").toarray(), M.toarray(), rtol=1e-15)


def test_nan_on_request(tmp_path):
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n1 2 2\n1 1 nan\n1 2 -Inf\n")
    with pytest.raises(nz.BadInput, match="nan"):
        nz.read(tmp_path / "a.mtx")
    A = nz.read(tmp_path / "a.mtx", allow_nan=True)
    assert np.isnan(A.data[0]) and A.data[1] == -np.inf


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("spmatrix", [False, True])
def test_mmread(rng, tmp_path, symmetric, spmatrix):
    M = drawn(rng, 30, 30)
    M = sp.coo_array(M + M.T) if symmetric else sp.coo_array(M)
    scipy.io.mmwrite(tmp_path / "a.mtx", M, precision=17)
    ours, theirs = nz.mmread(tmp_path / "a.mtx", spmatrix=spmatrix), scipy.io.mmread(tmp_path / "a.mtx", spmatrix=spmatrix)
    assert type(ours) is type(theirs) and same(ours, theirs)


def test_mmread_dense(rng, tmp_path):
    D = rng.standard_normal((5, 4))
    scipy.io.mmwrite(tmp_path / "d.mtx", D, precision=17)
    np.testing.assert_array_equal(nz.mmread(tmp_path / "d.mtx"), scipy.io.mmread(tmp_path / "d.mtx"))


@pytest.mark.parametrize("name", ["a", "a.mtx", "a.mtx.gz"])
def test_mmwrite(rng, tmp_path, name):
    M = drawn(rng, 30, 20)
    nz.mmwrite(tmp_path / name, M, comment="ours")
    written = tmp_path / (name if "." in name else name + ".mtx")
    assert same(scipy.io.mmread(written), M)
    nz.mmwrite(tmp_path / name, sp.csr_array(np.eye(3, dtype=int)))
    assert same(scipy.io.mmread(written), sp.eye_array(3))


def test_broken_files(tmp_path):
    (tmp_path / "a.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n")
    with pytest.raises(nz.BadInput, match="a.mtx"):
        nz.read(tmp_path / "a.mtx")
    (tmp_path / "c.mtx").write_text("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 5 5\n")
    with pytest.raises(nz.BadInput, match="complex"):
        nz.mmread(tmp_path / "c.mtx")
    with pytest.raises(nz.Error):
        nz.read(tmp_path / "absent.mtx")
    with pytest.raises(TypeError, match="int64"):
        nz.read(tmp_path / "a.mtx", dtype=int)
    with pytest.raises(nz.InvalidArgument):
        nz.write(tmp_path / "a.txt", sp.eye_array(3, format="csr"))
    with pytest.raises(TypeError):
        nz.mmwrite(tmp_path / "a.mtx", np.eye(3))


def test_generate():
    assert nz.generate("grid:points=5,nx=4,ny=4").shape == (16, 16)
    assert any(f["name"] == "grid" for f in nz.families())
    with pytest.raises(nz.InvalidArgument, match="grid"):
        nz.generate("gird")
    with pytest.raises(nz.NoResource):
        nz.generate("grid:points=5,nx=10000,ny=10000", memory_limit=1000)


@needs_program
def test_info(rng, tmp_path):
    M = drawn(rng, 40, 30)
    said = nz.info(M)
    assert said["rows"] == 40 and said["cols"] == 30 and said["nnz"] == M.nnz
    nz.write(tmp_path / "a.nzb", M)
    assert nz.info(tmp_path / "a.nzb")["nnz"] == M.nnz
    with pytest.raises(nz.Error):
        nz.info(tmp_path / "absent.mtx")


def pixels(png):
    """The grey values of a PNG that `spy` made."""
    width, height = (int.from_bytes(png[i : i + 4], "big") for i in (16, 20))
    start = png.index(b"IDAT") + 4
    lines = np.frombuffer(zlib.decompress(png[start:]), np.uint8).reshape(height, width + 1)
    return lines[:, 1:]


@pytest.mark.parametrize("format", ["csr", "csc"])
def test_spy(tmp_path, format):
    M = sp.csr_array(([1.0, 1.0], ([0, 5], [9, 2])), shape=(6, 10)).asformat(format)
    picture = nz.spy(M, tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes() == picture
    assert sorted(zip(*np.nonzero(pixels(picture) < 255))) == [(0, 9), (5, 2)]
    assert sorted(zip(*np.nonzero(pixels(nz.spy(nz.plan(M).T)) < 255))) == [(2, 5), (9, 0)]
    assert pixels(nz.spy(M, size=4)).shape == (2, 4)
    for size in (0, 10**6):
        with pytest.raises(ValueError, match="pixels"):
            nz.spy(M, size=size)


@needs_program
def test_bench(rng):
    rows = nz.bench(drawn(rng, 200, 200), kernels="cpu/csr/serial", ops="N", threads=1, time_limit=0.01)
    assert [r["kernel"] for r in rows] == ["cpu/csr/serial"]
    assert rows[0]["status"] == "ok" and rows[0]["median_s"] > 0
    assert nz.compare(rows, rows)[0]["ratio"] == 1
    with pytest.raises(nz.Error):
        nz.bench("gen:grid", kernels="none/at/all")


def test_records(tmp_path):
    pandas = pytest.importorskip("pandas")
    record = {"schema": "nonzero-bench/1", "commit": "abc", "results": [{"kernel": "k", "median_s": 1.0}]}
    (tmp_path / "a.json").write_text(json.dumps(record))
    table = pandas.DataFrame(nz.records(tmp_path / "a.json", tmp_path / "a.json"))
    assert list(table["commit"]) == ["abc"] * 2 and table["median_s"].sum() == 2
    (tmp_path / "b.json").write_text("{}")
    with pytest.raises(ValueError, match="no record"):
        nz.records(tmp_path / "b.json")


def test_figures(tmp_path, monkeypatch):
    case = {"matrix": "a", "op": "N", "type": "f64", "status": "ok", "threads": 1}
    rows = nz.Cases([{**case, "kernel": "fast", "median_s": 1e-6}, {**case, "kernel": "slow", "median_s": 2e-6},
                     {**case, "kernel": "wrong", "status": "wrong"}, {**case, "kernel": "fast", "op": "T", "median_s": 3e-6}])  # fmt: skip
    with pytest.raises(ValueError, match="nothing to draw"):
        nz.Cases([rows[2]]).figure()
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "matplotlib.figure", None)
        with pytest.raises(ImportError, match="pip install matplotlib"):
            rows.figure()
    pytest.importorskip("matplotlib")
    n, t = rows.figure(tmp_path / "a.svg").axes
    assert [label.get_text() for label in n.get_yticklabels()] == ["slow", "fast"]  # the shortest on top
    assert [bar.get_width() for bar in n.patches] == [2, 1] and [bar.get_width() for bar in t.patches] == [3]
    assert (tmp_path / "a.svg").read_text().rstrip().endswith("</svg>")
    (both,) = nz.compare(rows[:2], [{**row, "median_s": 1e-6} for row in rows[:2]]).figure().axes
    assert sorted(bar.get_width() for bar in both.patches) == [1, 2]
