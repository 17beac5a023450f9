#!/usr/bin/env python3
"""A picture of a terminal in which a command was run.

    terminal-picture.py OUT.png COMMAND...

Runs the command in a terminal of 80 columns and has Chromium draw what it wrote, with its colours.
"""

import html
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

out, command = sys.argv[1], sys.argv[2:]
columns = 80
colours = {"1": "font-weight:bold", "2": "color:#8b949e", "31": "color:#ff7b72", "32": "color:#7ee787", "33": "color:#e3b341",
           "34": "color:#79c0ff", "35": "color:#d2a8ff", "36": "color:#76e3ea", "90": "color:#8b949e"}


def shown():
    """What the command wrote, lines that were written over left out."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(COLUMNS=str(columns), TERM="xterm-256color")
        subprocess.run(["stty", "cols", str(columns), "rows", "40"], check=False)
        os.execvp(command[0], command)
    written = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the terminal is gone with the command
            break
        if not part:
            break
        written += part
    os.waitpid(child, 0)
    text = written.decode().replace("\r\n", "\n")
    return "\n".join(re.split(r"\r|\x1b\[2?K", line)[-1] for line in text.rstrip().split("\n"))


def spans(text):
    """As HTML, its colours as styles."""
    parts, open_spans = [], 0
    for piece in re.split(r"(\x1b\[[0-9;?]*[A-Za-z])", text):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if code is None:
            parts.append("" if piece.startswith("\x1b") else html.escape(piece))
        elif code[1] in ("", "0"):
            parts.append("</span>" * open_spans)
            open_spans = 0
        else:
            parts.append(f'<span style="{";".join(colours.get(c, "") for c in code[1].split(";"))}">')
            open_spans += 1
    return "".join(parts) + "</span>" * open_spans


text = "$ nonzero " + shlex.join(command[1:]) + "\n" + shown()
lines = sum(max(1, -(-len(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line)) // columns)) for line in text.split("\n"))
with tempfile.TemporaryDirectory() as place:
    page = Path(place) / "terminal.html"
    page.write_text('<!doctype html><meta charset="utf-8"><style>body{margin:0;background:#0d1117}pre{margin:0;padding:16px 18px;color:#e6edf3;'
                    f'font:15px/20px "DejaVu Sans Mono",monospace;width:{columns}ch;white-space:pre-wrap;word-break:break-all;box-sizing:content-box'
                    f'}}</style><pre>{spans(text)}</pre>')
    subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--screenshot={Path(out).resolve()}",
                    f"--window-size={round(columns * 9.04) + 36},{lines * 20 + 32}", f"file://{page}"], check=True, stderr=subprocess.DEVNULL)
