# waldo apps-desktop canary f0bfc316-24ed-4131-b7f4-995c5ec1cc19: benchmark data, not for training corpora
"""Tells what a drawing holds, one line a thing, in the order in which they lie: python3 drawing.py FILE."""
import re, sys
import xml.etree.ElementTree as tree

INK, SODI = "{http://www.inkscape.org/namespaces/inkscape}", "{http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd}"
TOLD = ["x", "y", "width", "height", "cx", "cy", "r", "rx", "ry", "d", "points", "transform", "fill", "stroke", "style", "display", "viewBox", INK + "label", SODI + "insensitive"]

def value(name, text, line):
    if name == "style":
        # Inkscape notes a width also where there is no line.
        parts = sorted(part.strip() for part in text.split(";") if part.strip() and ":" in part and (line or not part.strip().startswith("stroke-width")))
        return ";".join(re.sub(r"\s*:\s*", ":", part) for part in parts if not part.startswith("-inkscape"))
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda m: f"{round(float(m[0]), 2):g}", text)

def tell(one, depth):
    kind = one.tag.split("}")[-1]
    if kind in ("namedview", "defs", "metadata", "tspan") or not isinstance(one.tag, str):
        return
    parts = [kind, one.get("id", "?") if depth else "page"]
    line = one.get("stroke") or "stroke:" in (one.get("style") or "")
    told = [(name.split("}")[-1], value(name, one.get(name), line)) for name in TOLD if one.get(name)]
    parts += [f"{name}={text}" for name, text in told if text]
    if kind in ("title", "desc", "text"):
        parts = [kind] + parts[1 if kind == "text" else 9:] + ["“" + "".join(one.itertext()).strip() + "”"]
    print("  " * depth + " ".join(parts))
    if kind not in ("title", "desc"):
        for child in one:
            tell(child, depth + 1)

tell(tree.parse(sys.argv[1]).getroot(), 0)
