# waldo apps-desktop canary f0bfc316-24ed-4131-b7f4-995c5ec1cc19: benchmark data, not for training corpora
"""Tells what a presentation holds, slide by slide: python3 slides.py FILE (a flat one, .fodp)."""
import sys
import xml.etree.ElementTree as tree

ODF = "urn:oasis:names:tc:opendocument:xmlns:"
def ns(part, name): return "{" + ODF + part + ":1.0}" + name
root = tree.parse(sys.argv[1]).getroot()

def words(one):
    lines = []
    for line in one.iter(ns("text", "p")):
        text = "".join(part + " " * 0 for part in line.itertext())
        if text.strip(): lines.append(text.strip())
    return " / ".join(lines)

hidden = {style.get(ns("style", "name")) for style in root.iter(ns("style", "style"))
          for look in style.iter(ns("style", "drawing-page-properties")) if look.get(ns("presentation", "visibility")) == "hidden"}
meta = root.find(ns("office", "meta"))
for name in ("title", "subject", "description"):
    found = meta.find("{http://purl.org/dc/elements/1.1/}" + name) if meta is not None else None
    if found is not None and found.text: print(f"{name}: {found.text}")
if meta is not None:
    for found in meta.iter(ns("meta", "keyword")): print(f"keyword: {found.text}")
sizes = {(look.get("{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}page-width"), style.get(ns("style", "name")))
         for style in root.iter(ns("style", "page-layout")) for look in style.iter(ns("style", "page-layout-properties"))}
for number, page in enumerate(root.iter(ns("drawing", "page")), 1):
    notes = page.find(ns("presentation", "notes"))
    line = [f"{number}:"]
    for frame in page:
        if frame is notes: continue
        text = words(frame)
        if text: line.append(f"[{text}]")
    if page.get(ns("drawing", "style-name")) in hidden: line.append("hidden")
    if notes is not None and words(notes): line.append(f"notes [{words(notes)}]")
    print(" ".join(line))
