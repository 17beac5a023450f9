"""Writes the tables of records into documents, below lines such as <!-- python_bench results/python-bench-cpu.json -->.

    python scripts/python_tables.py docs/python.md README.md

A test of the package (`make python`) fails where a document and its record differ.
"""

import importlib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MARK = re.compile(r"^<!-- (python_bench|python_overhead) (\S+\.json) -->\n(?:\|.*\n)*", re.MULTILINE)


def filled(text):
    """A document with the tables that its records have now."""

    def table(mark):
        script, record = mark.group(1), json.loads((ROOT / mark.group(2)).read_text(encoding="utf-8"))
        return f"<!-- {script} {mark.group(2)} -->\n{importlib.import_module(script).table(record)}\n"

    return MARK.sub(table, text)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
