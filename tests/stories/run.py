#!/usr/bin/env python3
"""User stories: what people type, and what they must see, in a terminal of 80 columns.

    run.py PROGRAM BUILD SOURCE [--only WORDS] [--show]

Every *.story file of this folder has stories. A line of one begins with

    ==      the story's title
    $       a command, for bash, in a folder that is empty when the story begins
    >       a text that must be seen, behind the one before it; a space may be where a line was folded
    ~       the same, as a regular expression
    !       a text that must not be seen at all
    exit N  the exit status; without it, 0
    file F  a file that must be there now and hold something; its name may be a pattern
    ^C      Ctrl-C is pressed when this, a regular expression, is seen
    wide    lines may be wider than the terminal: the command says so itself
    #       a remark

No line of what is seen may be wider than 80 columns.
"""

import argparse
import concurrent.futures
import fcntl
import glob
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import tempfile
import termios
import time
import unicodedata
from pathlib import Path

columns, patience = 80, 60
parser = argparse.ArgumentParser()
parser.add_argument("program", type=Path)
parser.add_argument("build", type=Path)
parser.add_argument("source", type=Path)
parser.add_argument("--only", default="", help="stories whose title has these words")
parser.add_argument("--show", action="store_true", help="print what is seen, and judge nothing")
args = parser.parse_args()
args.program, args.build, args.source = args.program.resolve(), args.build.resolve(), args.source.resolve()


def read(path):
    """The stories of a file: title, and steps of command and expectations."""
    stories = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        mark, _, rest = line.partition(" ")
        if mark == "==":
            stories.append({"title": rest, "file": path.name, "steps": []})
            continue
        steps = stories[-1]["steps"]
        if mark == "$":
            steps.append({"command": rest, "line": number, "texts": [], "not": [], "files": [], "exit": 0,
                          "interrupt": None, "wide": False})
            continue
        step = steps[-1]
        if mark == ">":
            step["texts"].append(re.escape(rest).replace("\\ ", r"\s+"))
        elif mark == "~":
            step["texts"].append(rest)
        elif mark == "!":
            step["not"].append(rest)
        elif mark == "exit":
            step["exit"] = int(rest)
        elif mark == "file":
            step["files"].append(rest)
        elif mark == "^C":
            step["interrupt"] = rest.encode()
        elif mark == "wide":
            step["wide"] = True
        else:
            sys.exit(f"{path.name}:{number}: what is '{mark}'?")
    return stories


def environment(folder):
    kept = {k: v for k, v in os.environ.items() if k in ("HOME", "OMP_WAIT_POLICY", "OMP_NUM_THREADS", "TMPDIR")}
    kept.update(PATH=f"{args.program.parent}:{os.environ['PATH']}", TERM="xterm", LC_ALL="C.UTF-8", PS1="$ ",
                BUILD=str(args.build), SOURCE=str(args.source), NONZERO_TUNING="off",
                XDG_CACHE_HOME=str(folder / ".cache"), OMP_WAIT_POLICY="PASSIVE")
    return kept


def typed(command, folder, interrupt):
    """Runs it in a terminal of its own; what was seen, and the exit status."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.execvpe("bash", ["bash", "--norc", "-c", command], environment(folder))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    seen, start, pressed = b"", time.time(), interrupt is None
    while True:
        if select.select([terminal], [], [], 0.05)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break  # the other side has closed
            if not part:
                break
            seen += part
        if not pressed and re.search(interrupt, seen):
            os.write(terminal, b"\x03")
            pressed = True
        if time.time() - start > patience:
            os.kill(pid, signal.SIGKILL)
            break
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(terminal)
    return seen.decode("utf-8", "replace"), status if status >= 0 else 128 - status


def as_seen(text):
    """What stays on the screen: bars that were erased again and colours taken away."""
    text = re.sub(r"[^\n]*\r\x1b\[K", "", text)
    text = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
    return re.sub(r"\r+\n", "\n", text).replace("\r", "")


def width(line):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def told(story):
    """The problems of a story."""
    problems = []
    folder = Path(tempfile.mkdtemp(prefix="story-"))
    try:
        # The first lines of a command may come before the terminal has its size: bash is slower than we are.
        for step in story["steps"]:
            raw, status = typed(step["command"], folder, step["interrupt"])
            text = as_seen(raw)
            if args.show:
                print(f"$ {step['command']}\n{text}[{status}]")
                continue
            where = f"{story['file']}:{step['line']}: {step['command']}"
            wrong = []
            if status != step["exit"]:
                wrong.append(f"exit {status}, not {step['exit']}")
            at = 0
            for pattern in step["texts"]:
                found = re.compile(pattern, re.M).search(text, at)
                if found:
                    at = found.end()
                else:
                    wrong.append(f"not seen: {pattern}")
            wrong += [f"seen: {t}" for t in step["not"] if t in text]
            for name in step["files"]:
                found = glob.glob(str(folder / name))
                if not found or not all(os.path.isdir(f) or os.path.getsize(f) for f in found):
                    wrong.append(f"no file {name}")
            if not step["wide"]:
                wrong += [f"{width(line)} columns: {line}" for line in text.splitlines() if width(line) > columns]
            if wrong:
                problems.append("\n    ".join([where, *wrong, "seen:", *text.splitlines()[-40:]]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return problems


def main():
    stories = [s for f in sorted(Path(__file__).parent.glob("*.story")) for s in read(f)]
    titles = [s["title"] for s in stories]
    if len(set(titles)) != len(titles):
        sys.exit("two stories have one title")
    for s in stories:
        if not any(step["texts"] or step["files"] for step in s["steps"]):
            sys.exit(f"{s['title']}: it expects nothing")
    chosen = [s for s in stories if args.only.lower() in s["title"].lower()]
    with concurrent.futures.ThreadPoolExecutor(1 if args.show else 2) as pool:
        results = list(pool.map(told, chosen))
    bad = [p for r in results for p in r]
    for p in bad:
        print(p)
    print(f"{len(chosen) - sum(bool(r) for r in results)} of {len(chosen)} stories are true")
    return bool(bad)


sys.exit(main())
