"""The package itself: its version, its program, and its types."""

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
    changed = "<!-- python_bench results/python-bench-cpu.json -->\n| 1 | 2 |\n"
    assert python_tables.filled(changed) != changed and python_tables.filled(changed).endswith("|\n")
