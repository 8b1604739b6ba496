# waldo apps-desktop canary f0bfc316-24ed-4131-b7f4-995c5ec1cc19: benchmark data, not for training corpora
"""Tells what a flat text document holds, paragraph by paragraph: python3 letter.py FILE (.fodt)."""
import sys
import xml.etree.ElementTree as tree

ODF = "urn:oasis:names:tc:opendocument:xmlns:"
FO = "{" + ODF + "xsl-fo-compatible:1.0}"
def ns(part, name): return "{" + ODF + part + ":1.0}" + name
root = tree.parse(sys.argv[1]).getroot()

styles = {(one.get(ns("style", "family")), one.get(ns("style", "name"))): one for one in root.iter(ns("style", "style"))}
own = {id(one) for part in root.findall(ns("office", "automatic-styles")) for one in part}

def plain(name): return (name or "").replace("_20_", " ")

def look(style):
    """What a style sets that can be seen."""
    told = []
    for part in style.iter():
        for name in ("font-weight", "font-style", "text-align", "break-before", "font-size", "color"):
            value = part.get(FO + name)
            if value not in (None, "normal", "start"): told.append(f"{name}={value}")
        line = part.get(ns("style", "text-underline-style"))
        if line not in (None, "none"): told.append("underline")
    return sorted(set(told))

def named(family, name):
    style = styles.get((family, name))
    if style is None or id(style) not in own: return plain(name), []
    return plain(style.get(ns("style", "parent-style-name")) or "Standard"), look(style)

def words(one, family="paragraph"):
    """The text of a paragraph, and the comments in it."""
    text, notes = one.text or "", []
    for part in one:
        if part.tag == ns("office", "annotation"):
            by = part.find("{http://purl.org/dc/elements/1.1/}creator")
            notes.append(f"<{by.text}: " + " / ".join(words(p)[0] for p in part.iter(ns("text", "p"))) + ">")
        elif part.tag == ns("text", "s"): text += " " * int(part.get(ns("text", "c"), "1"))
        elif part.tag == ns("text", "tab"): text += "\t"
        elif part.tag == ns("text", "line-break"): text += "\n"
        elif part.tag == ns("text", "note"): notes.append("<note " + " ".join("".join(part.itertext()).split()) + ">")
        elif part.tag != ns("text", "soft-page-break") and part.tag != ns("text", "bookmark"):
            inner, more = words(part)
            about = named("text", part.get(ns("text", "style-name")))[1] if part.tag == ns("text", "span") else []
            text += f"{{{' '.join(about)}: {inner}}}" if about and inner.strip() else inner
            notes += more
        text += part.tail or ""
    return text, notes

def tell(one, before=""):
    for part in one:
        if part.tag in (ns("text", "p"), ns("text", "h")):
            style, about = named("paragraph", part.get(ns("text", "style-name")))
            text, notes = words(part)
            print(before + f"[{' '.join([style, *about])}] " + " ".join([text, *notes]).rstrip())
        elif part.tag == ns("table", "table-row"):
            cells = [c for c in part if c.tag == ns("table", "table-cell")]
            print(before + "| " + " | ".join(" / ".join(words(p)[0] for p in c.iter(ns("text", "p"))) for c in cells))
        elif part.tag == ns("text", "tracked-changes"):
            for change in part:
                kind = [c.tag.rsplit("}", 1)[1] for c in change]
                if kind: print("tracked " + " ".join(kind))
        else: tell(part, before)

for page in root.iter(ns("style", "master-page")):
    if page.get(ns("style", "name")) != "Standard": continue
    for style in root.iter(ns("style", "page-layout")):
        if style.get(ns("style", "name")) != page.get(ns("style", "page-layout-name")): continue
        for about in style.findall(ns("style", "page-layout-properties")):
            size = [round(float(about.get(FO + side)[:-2]) * (2.54 if about.get(FO + side).endswith("in") else 1), 1) for side in ("page-width", "page-height")]
            print(f"page {size[0]} x {size[1]} {about.get(ns('style', 'print-orientation'))}")
    for part in ("header", "footer"):
        for found in page.findall(ns("style", part)): tell(found, part + " ")
tell(root.find(ns("office", "body")).find(ns("office", "text")))
