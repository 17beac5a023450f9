"""The package itself: its version, its program, and its types."""

import json
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import needs_program

import nonzero as nz
from nonzero._program import program, run_program

ROOT = pathlib.Path(__file__).parents[2]


@needs_program
def test_version():
    assert nz.__version__ == re.search(r"VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text().split("project(")[1])[1]
    assert nz.__version__ in run_program("--version")


def test_every_name_is_there():
    assert all(hasattr(nz, name) for name in nz.__all__) and sorted(nz.__all__) == nz.__all__


@needs_program
def test_program():
    said = subprocess.run([program(), "list", "nothing"], capture_output=True, text=True)
    assert said.returncode != 0
    with pytest.raises(nz.Error):
        run_program("nothing")


def test_stub_is_fresh(tmp_path):
    pytest.importorskip("nanobind")
    made = tmp_path / "_core.pyi"
    subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "nonzero._core", "-o", made], check=True)
    assert made.read_text() == (ROOT / "python" / "nonzero" / "_core.pyi").read_text()


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_tables_are_those_of_the_records(page, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import python_tables

    text = (ROOT / page).read_text()
    assert python_tables.filled(text) == text, f"run scripts/python_tables.py {page}"


def test_tables_are_written(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    import python_tables

    case = {"matrix": "a", "nnz": 9, "type": "f64", "op": "N", "right": True}
    rows = [{**case, "library": "nonzero", "median_s": 1.0}, {**case, "library": "scipy", "median_s": 3.0}]
    (tmp_path / "a.json").write_text(json.dumps({"results": rows}))
    monkeypatch.setattr(python_tables, "ROOT", tmp_path)
    mark = "<!-- python_bench a.json -->\n"
    text = python_tables.filled(f"before\n{mark}| old |\nafter\n")
    assert text.startswith(f"before\n{mark}| |") and text.endswith("|\nafter\n") and "old" not in text
    assert "| `A @ x` | f64 | SciPy | 1 | 3.00 | 3.00 (a) | 3.0 (a) |" in text
