#!/usr/bin/env python3
"""The documents as pages to read in a browser, from the file system too, with a page for each kernel of the registry.

    build.py PROGRAM OUT

Needs Python alone. Where a kernel wins is counted in the records of results/.
"""

import collections
import html
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import markdown  # noqa: E402  (the one beside this file)
import schedules  # noqa: E402

here = Path(__file__).resolve().parent
root = here.parent.parent
program, out = sys.argv[1], Path(sys.argv[2])

chapters = [
    ("Begin", ["README.md", "docs/install.md", "docs/tutorials.md", "docs/command-line.md", "docs/glossary.md"]),
    ("Use", ["docs/plans.md", "docs/solvers.md", "docs/files.md", "docs/generators.md", "docs/kernels.md", "docs/gpu.md",
             "docs/distributed.md"]),
    ("Languages", ["docs/api.md", "docs/python.md", "docs/c-api.md"]),
    ("Measure", ["docs/bench.md", "docs/methodology.md", "docs/peers.md", "docs/results-gpu.md", "docs/results-cpu.md",
                 "docs/results-bsr.md", "docs/papers.md"]),
    ("Inside", ["docs/architecture.md", "docs/reliability.md", "docs/experiments.md", "CONTRIBUTING.md", "CHANGELOG.md"]),
]


# Pages that are made by the program, beside the documents of a chapter.
reports = {"Measure": ["docs/report/h200.html"]}


def title_of(text):
    return re.search(r"^# (.+)$", text, re.M).group(1)


def address(source):
    """Where a page lies in the site."""
    name = str(source)
    if name == "README.md":
        return "index.html"
    return re.sub(r"\.md$", ".html", name.removeprefix("docs/"))


def sources():
    listed = [Path(p) for _, pages in chapters for p in pages]
    rest = sorted(p.relative_to(root) for p in root.glob("docs/**/*.md"))
    return listed + [p for p in rest if p not in listed]


def records():
    """Records of the bench: name, device, and the best of our kernels of each product."""
    for path in sorted(root.glob("results/**/*.json")):
        try:
            record = json.loads(path.read_text())
        except ValueError:
            continue
        if not isinstance(record, dict) or not str(record.get("schema", "")).startswith("nonzero-bench/"):
            continue
        machine = record.get("machine") or {}
        gpu = (machine.get("gpu") or {}).get("name") if isinstance(machine.get("gpu"), dict) else None
        best = {}
        tried = collections.defaultdict(set)
        for r in record["results"]:
            if r.get("status") != "ok" or not r.get("median_s") or r["kernel"].startswith(("peer/", "plan")):
                continue
            product = (r["matrix"], r["type"], r["op"], r.get("vectors", 1), r.get("layout", ""))
            tried[r["kernel"]].add(product)
            if product not in best or r["median_s"] < best[product][1]:
                best[product] = (r["kernel"], r["median_s"])
        several = {k for products in tried.values() for k in products}
        if len(tried) < 2 or not several:
            continue
        yield path.relative_to(root), gpu or machine.get("cpu", "a CPU"), best, tried


def kernel_pages():
    listed = json.loads(subprocess.run([program, "list", "--json", "-"], capture_output=True, text=True, check=True).stdout)
    kernels = {}  # a plan is listed for each device
    for k in listed:
        k["runs_on"] = list(dict.fromkeys(kernels.get(k["id"], k)["runs_on"] + k["runs_on"]))
        kernels[k["id"]] = k
    counted = list(records())
    for k in kernels.values():
        lines = [f"# {k['id']}", "", k["summary"][:1].upper() + k["summary"][1:] + ".", "",
                 "| | |", "|---|---|",
                 f"| runs on | {', '.join(k['runs_on'])} |", f"| format | {k['format']} |",
                 f"| products | {', '.join(k['ops'])}{'; several vectors' if k['several_vectors'] else ''} |",
                 f"| types | {', '.join(k['types'])} |",
                 f"| the same bits every time | {'yes' if k['deterministic'] else 'no'} |", f"| source | {k['source']} |"]
        lines += ["", "## Schedule", "", "@schedule@"]
        if k["parameters"]:
            lines += ["", "## Parameters", "", "| name | default | range | what it is |", "|---|---|---|---|"]
            lines += [f"| `{p['name']}` | {p['initial']} | {p['min']} to {p['max']} | {p['summary']} |" for p in k["parameters"]]
        rows = []
        for path, device, best, tried in counted:
            products = tried.get(k["id"])
            if not products:
                continue
            won = sorted(p for p in products if best[p][0] == k["id"])
            names = sorted({p[0] for p in won})
            shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
            rows.append(f"| [`{path}`]({path}) | {device} | {len(won)} of {len(products)} | {shown} |")
        lines += ["", "## Where it wins", ""]
        if rows:
            lines += ["Products on which it was the fastest of our kernels that the record has, of those it was timed on.", "",
                      "| record | device | fastest on | matrices |", "|---|---|---|---|", *rows]
        else:
            lines += ["No record of the bench in the repository has it."]
        lines += ["", "## Try it", "", "```sh", f"nonzero list {k['id']}",
                  f"nonzero check gen:grid:nx=50,ny=50 --kernels {k['id']}"
                  + ("" if "cpu" in k["runs_on"] else " --device emu"), "```", ""]
        inserts = {"<p>@schedule@</p>": schedules.page_part(k["id"])}
        yield f"kernels/{k['id'].replace('/', '-')}.html", k, "\n".join(lines), inserts


def plain(markup):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", markup))).strip()


class Site:
    def __init__(self):
        self.sections = []
        self.titles = {}
        self.pages = 0

    def navigation(self, at, up):
        parts = ['<input id="search" type="search" placeholder="Search" aria-label="Search"><ul id="found"></ul>',
                 '<input id="menu" type="checkbox"><label for="menu">Contents</label><div class="contents">']
        for name, pages in chapters:
            parts.append(f"<h2>{name}</h2><ul>")
            for page in pages:
                there = address(page)
                mark = ' class="here"' if there == at else ""
                parts.append(f'<li><a{mark} href="{up}{there}">{html.escape(self.titles[page])}</a></li>')
            for report in reports.get(name, []):
                title = re.search(r"<title>(.*?)</title>", (root / report).read_text())[1]
                parts.append(f'<li><a href="{up}files/{report}">Report: {title}</a></li>')
            parts.append("</ul>")
        parts.append(f'<h2>Kernels</h2><ul><li><a href="{up}kernels/index.html">All, a page each</a></li></ul></div>')
        return "".join(parts)

    def write(self, at, text, link, inserts=None):
        up = "../" * at.count("/")
        body, headings = markdown.page(text, link)
        for place, what in (inserts or {}).items():
            body = body.replace(place, what)
        title = headings[0][1]
        # What is searched for: each heading with what stands beneath it.
        for part in re.split(r"(?=<h[1-3] id=)", body):
            found = re.match(r'<h[1-3] id="([^"]*)">(.*?)</h', part)
            if found:
                name = plain(found[2])
                self.sections.append({"t": name if name == title else f"{title}: {name}", "u": f"{at}#{found[1]}",
                                      "x": plain(part)})
        target = out / at
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f'<title>{html.escape(title)}</title><link rel="stylesheet" href="{up}style.css"></head>'
            f'<body data-up="{up}"><nav>{self.navigation(at, up)}</nav><main>{body}</main>'
            f'<script src="{up}sections.js"></script><script src="{up}search.js"></script></body></html>\n')
        self.pages += 1


def main():
    # Only a site is replaced by one.
    if out.exists() and any(out.iterdir()) and not (out / "sections.js").exists():
        sys.exit(f"{out} is not empty and no site")
    if out.exists():
        shutil.rmtree(out)
    out.mkdir(parents=True)
    site = Site()
    known = {p: address(p) for p in sources()}
    site.titles = {str(p): title_of((root / p).read_text()) for p in known}
    copied = {Path(r) for pages in reports.values() for r in pages}

    def linker(source, at):
        def link(to):
            if re.match(r"[a-z]+:", to) or to.startswith("#"):
                return to
            path, mark, part = to.partition("#")
            there = ((root / source).parent / path).resolve()
            relative = there.relative_to(root)
            up = "../" * at.count("/")
            if relative in known:
                return up + known[relative] + mark + part
            if there.is_dir():
                return up + "files/" + str(relative) + "/"
            copied.add(relative)
            return up + "files/" + str(relative)
        return link

    for source, at in known.items():
        site.write(at, (root / source).read_text(), linker(source, at))
    listing = ["# A page for each kernel", "", "| kernel | source | summary |", "|---|---|---|"]
    for at, k, text, inserts in kernel_pages():
        site.write(at, text, linker(Path("kernels.md"), at), inserts)
        listing.append(f"| [`{k['id']}`]({Path(at).name}) | {k['source']} | {k['summary']} |")
    site.write("kernels/index.html", "\n".join(listing), lambda to: to)
    # What pages show or lead to that is no page: records, figures, sources.
    for relative in copied:
        target = out / "files" / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / relative, target)
    for page in out.rglob("*.html"):
        for folder in re.findall(r'href="(?:\.\./)*files/([^"]*)/"', page.read_text()):
            target = out / "files" / folder
            target.mkdir(parents=True, exist_ok=True)
            names = sorted(p.name for p in (root / folder).iterdir() if p.is_file())
            for name in names:
                shutil.copyfile(root / folder / name, target / name)
            (target / "index.html").write_text("<!doctype html><meta charset=utf-8><ul>" + "".join(
                f'<li><a href="{n}">{n}</a></li>' for n in names) + "</ul>\n")
            page.write_text(page.read_text().replace(f'files/{folder}/"', f'files/{folder}/index.html"'))
    for name in ("style.css", "search.js"):
        shutil.copyfile(here / name, out / name)
    (out / "sections.js").write_text("const SECTIONS = " + json.dumps(site.sections, ensure_ascii=False) + ";\n")
    print(f"{site.pages} pages; begin with {out / 'index.html'}")


main()
