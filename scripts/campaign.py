#!/usr/bin/env python3
"""Fuzzes for hours in turns, and adds up what was done: scripts/campaign.py HOURS [RECORD]

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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    end = time.monotonic() + 3600 * float(sys.argv[1])
    record = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else home / "results/fuzz-campaign.json"
    whole = {"schema": "nonzero-fuzz-campaign/1", "sanitizers": "address, undefined", "commits": [],
             "cpu_seconds": 0, "inputs": 0, "findings": 0, "targets": {}}
    if record.exists():
        whole = json.loads(record.read_text())
    found = 0
    turn = int(os.environ.get("NZ_FUZZ_TURN", "600"))
    while (left := end - time.monotonic()) > 5:
        told = home / "build/fuzz/last.json"
        told.unlink(missing_ok=True)
        subprocess.run([home / "scripts/fuzz.sh", str(max(5, min(turn, int(left))))], cwd=home)
        if not told.exists():
            sys.exit("campaign: scripts/fuzz.sh ran nothing")
        last = json.loads(told.read_text())
        if commit() not in whole["commits"]:
            whole["commits"].append(commit())
        for name, now in last.items():
            t = whole["targets"].setdefault(name, {"cpu_seconds": 0, "inputs": 0, "edges": 0,
                                                   "features": 0, "findings": 0})
            t["cpu_seconds"] = round(t["cpu_seconds"] + now["cpu_seconds"], 1)
            t["inputs"] += now["inputs"]
            t["edges"] = max(t["edges"], now["edges"])
            t["features"] = max(t["features"], now["features"])
            t["findings"] += now["exit"] != 0
        for key in ("cpu_seconds", "inputs", "findings"):
            whole[key] = round(sum(t[key] for t in whole["targets"].values()), 1)
        whole["date"] = time.strftime("%Y-%m-%d", time.gmtime())
        beside = record.with_suffix(".tmp")
        beside.write_text(json.dumps(whole, indent=1) + "\n")
        beside.replace(record)
        print(f"campaign: {whole['cpu_seconds'] / 3600:.2f} CPU hours, {whole['inputs']} inputs, "
              f"{whole['findings']} findings", flush=True)
        found += sum(now["exit"] != 0 for now in last.values())
    sys.exit(1 if found else 0)


main()
