"""The part of Markdown that the documents use, as HTML: headings, paragraphs, lists, tables, code, links, pictures."""

import html
import re


def anchor(heading):
    """As the code hosts make it: small letters, digits, - and _; spaces become -."""
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return "".join(c.lower() if c.isalnum() or c in "-_" else "-" if c == " " else "" for c in text)


def inline(text, link):
    """Spans of a line; `link` makes an address of this site of one of the documents."""
    kept = []

    def keep(piece):
        kept.append(piece)
        return f"\0{len(kept) - 1}\0"

    text = re.sub(r"``(.+?)``|`([^`]+)`", lambda m: keep(f"<code>{html.escape(m[1] or m[2])}</code>"), text)
    text = re.sub(r"<(https?://[^>]+)>", lambda m: keep(f'<a href="{m[1]}">{html.escape(m[1])}</a>'), text)
    text = re.sub(r"<br>", lambda m: keep("<br>"), text)
    text = html.escape(text, quote=False)
    text = re.sub(r"!\[([^\]]*)\]\(([^)]+)\)",
                  lambda m: keep(f'<img src="{link(m[2])}" alt="{html.escape(m[1])}" loading="lazy">'), text)
    text = re.sub(r"\[([^\]]+)\]\(([^)\s]+)\)", lambda m: keep(f'<a href="{link(m[2])}">') + m[1] + keep("</a>"), text)
    text = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", text)
    text = re.sub(r"(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])", r"<em>\1</em>", text)
    while "\0" in text:
        text = re.sub(r"\0(\d+)\0", lambda m: kept[int(m[1])], text)
    return text


def cells(line):
    """Of a row of a table; a bar within code is none."""
    line = re.sub(r"`[^`]*`", lambda m: m[0].replace("|", "\1"), line.strip())
    return [c.strip().replace("\1", "|") for c in line.strip("|").replace("\\|", "\2").split("|")]


def page(text, link):
    """The HTML of a page, and its headings: (level, title, anchor)."""
    lines, out, headings, i = text.splitlines(), [], [], 0
    item = re.compile(r"^( *)([-*]|\d+\.) +(.*)$")

    def is_new(k):
        return (not lines[k].strip() or lines[k].startswith(("#", "```", "|", ">")) or item.match(lines[k]))

    while i < len(lines):
        line = lines[i]
        if line.startswith("```"):
            end = next((k for k in range(i + 1, len(lines)) if lines[k].startswith("```")), len(lines))
            out.append(f'<pre class="{html.escape(line[3:].strip())}"><code>{html.escape(chr(10).join(lines[i + 1:end]))}</code></pre>')
            i = end + 1
        elif re.match(r"#{1,6} ", line):
            level, title = len(line) - len(line.lstrip("#")), line.lstrip("#").strip()
            headings.append((level, re.sub(r"[`*]", "", title), anchor(title)))
            out.append(f'<h{level} id="{anchor(title)}">{inline(title, link)}</h{level}>')
            i += 1
        elif line.startswith("|") and i + 1 < len(lines) and re.match(r"^\|[ :|-]+\|$", lines[i + 1].strip()):
            rows = [f"<tr>{''.join(f'<th>{inline(c, link)}</th>' for c in cells(line))}</tr>"]
            i += 2
            while i < len(lines) and lines[i].startswith("|"):
                rows.append(f"<tr>{''.join(f'<td>{inline(c, link)}</td>' for c in cells(lines[i]))}</tr>")
                i += 1
            out.append('<div class="wide"><table>' + "\n".join(rows) + "</table></div>")
        elif item.match(line):
            tag = "ol" if item.match(line)[2][0].isdigit() else "ul"
            items = []
            while i < len(lines) and item.match(lines[i]):
                words = [item.match(lines[i])[3]]
                i += 1
                while i < len(lines) and lines[i].strip() and not is_new(i):
                    words.append(lines[i].strip())
                    i += 1
                items.append(f"<li>{inline(' '.join(words), link)}</li>")
            out.append(f"<{tag}>{''.join(items)}</{tag}>")
        elif line.startswith(">"):
            words = []
            while i < len(lines) and lines[i].startswith(">"):
                words.append(lines[i].lstrip("> "))
                i += 1
            out.append(f"<blockquote>{inline(' '.join(words), link)}</blockquote>")
        elif line.strip():
            words = [line.strip()]
            i += 1
            while i < len(lines) and not is_new(i):
                words.append(lines[i].strip())
                i += 1
            out.append(f"<p>{inline(' '.join(words), link)}</p>")
        else:
            i += 1
    return "\n".join(out), headings
