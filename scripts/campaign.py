#!/usr/bin/env python3
"""Fuzzes for hours in turns, and adds up what was done: scripts/campaign.py HOURS [RECORD]
With --add OTHER-RECORD [RECORD] it adds what a campaign did on another machine.

Every turn runs all targets of scripts/fuzz.sh for ten minutes and adds CPU seconds, inputs and findings to the
record (results/fuzz-campaign.json where none is named), with the widest coverage seen. What was found stays in
build/fuzz; the corpus grows in build/fuzz/corpus. Stop it at any time and go on later: the record is whole after
every turn. The environment of scripts/fuzz.sh holds, NZ_FUZZ_TURN makes turns of so many seconds, and NZ_COMMIT
names the commit where git cannot.
"""
import json
import os
import pathlib
import subprocess
import sys
import time

home = pathlib.Path(__file__).resolve().parent.parent


def commit():
    if named := os.environ.get("NZ_COMMIT"):
        return named
    said = subprocess.run(["git", "-C", home, "describe", "--always", "--dirty", "--abbrev=40"],
                          capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def add(whole, targets, commits):
    """Adds what targets did, each {exit or findings, cpu_seconds, inputs, edges, features}, to the record."""
    whole["commits"] += [c for c in commits if c not in whole["commits"]]
    for name, now in targets.items():
        t = whole["targets"].setdefault(name, {"cpu_seconds": 0, "inputs": 0, "edges": 0, "features": 0,
                                               "findings": 0})
        t["cpu_seconds"] = round(t["cpu_seconds"] + now["cpu_seconds"], 1)
        t["inputs"] += now["inputs"]
        t["edges"] = max(t["edges"], now["edges"])
        t["features"] = max(t["features"], now["features"])
        t["findings"] += now["findings"] if "findings" in now else now["exit"] != 0
    for key in ("cpu_seconds", "inputs", "findings"):
        whole[key] = round(sum(t[key] for t in whole["targets"].values()), 1)


def keep(whole, record):
    whole["date"] = time.strftime("%Y-%m-%d", time.gmtime())
    beside = record.with_suffix(".tmp")
    beside.write_text(json.dumps(whole, indent=1) + "\n")
    beside.replace(record)
    print(f"campaign: {whole['cpu_seconds'] / 3600:.2f} CPU hours, {whole['inputs']} inputs, "
          f"{whole['findings']} findings", flush=True)


def main():
    other = None
    words = sys.argv[1:]
    if words[:1] == ["--add"]:
        words = words[1:]
        other = json.loads(pathlib.Path(words[0]).read_text()) if words else None
    if not words:
        sys.exit(__doc__)
    record = pathlib.Path(words[1]) if len(words) > 1 else home / "results/fuzz-campaign.json"
    whole = {"schema": "nonzero-fuzz-campaign/1", "sanitizers": "address, undefined", "commits": [],
             "cpu_seconds": 0, "inputs": 0, "findings": 0, "targets": {}}
    if record.exists():
        whole = json.loads(record.read_text())
    if other is not None:
        if pathlib.Path(words[0]).resolve() == record.resolve():
            sys.exit("campaign: a record is not added to itself")
        add(whole, other["targets"], other["commits"])
        keep(whole, record)
        return
    end = time.monotonic() + 3600 * float(words[0])
    found = 0
    turn = int(os.environ.get("NZ_FUZZ_TURN", "600"))
    while (left := end - time.monotonic()) > 5:
        told = home / "build/fuzz/last.json"
        told.unlink(missing_ok=True)
        subprocess.run([home / "scripts/fuzz.sh", str(max(5, min(turn, int(left))))], cwd=home)
        if not told.exists():
            sys.exit("campaign: scripts/fuzz.sh ran nothing")
        last = json.loads(told.read_text())
        # A program that tried nothing could not start, which is no finding.
        started = {name: now for name, now in last.items() if now["inputs"]}
        for name in sorted(last.keys() - started.keys()):
            print(f"campaign: fuzz_{name} did not run", flush=True)
        add(whole, started, [commit()])
        keep(whole, record)
        found += len(last) - len(started) + sum(now["exit"] != 0 for now in started.values())
    sys.exit(1 if found else 0)


main()
