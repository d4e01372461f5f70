#!/usr/bin/env python3
"""Puts the manual of a C header in the place of a line {{#header PATH}}.

    c_reference.py PAGE        prints the page

Each constant, type and function gets a heading, its description and its declaration. References ::name become links.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PLACE = re.compile(r"^\{\{#header (\S+)\}\}$", re.M)
# What is code in a description: references, names with underscores, arrays, outputs such as *count, calls such as fork().
CODE = re.compile(r"(`[^`]*`)|::(\w+)|(\*?\b\w+\[[^]]*\]|\*\w+\b|\b\w+_\w+\b(?:\(\))?|\b\w+\(\))")


def items(header):
    """The parts of a header: ("opening", text), ("section", title), or ("item", name, description, declaration)."""
    opening, rest = header.split("*/", 1)
    yield "opening", opening
    description, declaration = [], []
    for line in rest.split("\n"):
        section = re.fullmatch(r"/\* ([A-Z][a-z ]*)\. \*/", line)
        if section and not declaration:
            yield "section", section.group(1)
        elif line.startswith("/// ") or line == "///":
            description.append(line[4:])
        elif description or declaration:
            declaration.append(line)
            text = "\n".join(declaration)
            # The alias of an enumeration stands behind it.
            ends = line.endswith(";") and text.count("{") == text.count("}") and text.count("(") == text.count(")")
            if line.startswith("#define") or ends and not (text.startswith("enum") and line == "};"):
                yield "item", name(text), description, text
                description, declaration = [], []
    assert not description and not declaration, (description, declaration)


def name(declaration):
    """What a declaration declares."""
    patterns = [r"#define (\w+)", r"typedef \w+ \(\*(\w+)\)", r"\b(mks_\w+)\(", r"(\w+);$"]
    found = (re.search(pattern, declaration) for pattern in patterns)
    return next(match.group(1) for match in found if match)


def inline(text, declared):
    """A line of a description in Markdown."""
    def code(match):
        literal, reference, other = match.groups()
        if reference in declared:
            return f"[`{reference}`](#{declared[reference].lower()})"
        return literal or f"`{reference or other}`"

    def plain(text):
        return re.sub(r"([*_<\[\]|])", r"\\\1", text)

    parts, end = [], 0
    for match in CODE.finditer(text):
        parts += [plain(text[end:match.start()]), code(match)]
        end = match.end()
    return "".join(parts) + plain(text[end:])


def prose(lines, declared):
    """A description in Markdown."""
    paragraphs = " ".join(line or "\n\n" for line in lines).split("\n\n")
    return "\n\n".join(inline(paragraph.strip(), declared) for paragraph in paragraphs)


def overview(opening, declared):
    """The comment that opens the header: headings in capitals, lists, calls."""
    def rendered(line):
        if re.fullmatch(r"[A-Z ]{4,}", line):
            return f"## {line.capitalize()}"
        return line if line.startswith("    ") else inline(line, declared)

    # The first lines are name and licence.
    text = opening[opening.index("\n *\n"):]
    return "\n".join(rendered(line[3:]) for line in text.split("\n"))


def manual(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        parts = list(items(file.read()))
    declared = {}
    for part in parts:
        if part[0] == "item":
            # Constants are described with their enumeration.
            for inner in [part[1], *re.findall(r"^    (MKS_\w+)", part[3], re.M)]:
                declared[inner] = part[1]
    text = []
    for kind, *part in parts:
        if kind == "opening":
            text += [overview(part[0], declared), "## Constants and types"]
        elif kind == "section":
            text.append(f"## {part[0]}")
        else:
            title, description, declaration = part
            # Pages are narrower than the header: comments behind fields go before them.
            declaration = re.sub(r"^( +)(\S.*?) +///<(.*)$", r"\1///\3\n\1\2", declaration, flags=re.M)
            text += [f"### {title}", prose(description, declared), f"```c\n{declaration}\n```"]
    return "\n\n".join(text)


def main():
    with open(os.path.join(ROOT, sys.argv[1]), encoding="utf-8") as file:
        print(PLACE.sub(lambda place: manual(place.group(1)), file.read()), end="")


if __name__ == "__main__":
    main()
