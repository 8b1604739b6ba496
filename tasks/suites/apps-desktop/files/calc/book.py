# waldo apps-desktop canary f0bfc316-24ed-4131-b7f4-995c5ec1cc19: benchmark data, not for training corpora
"""Tells what a flat workbook holds, sheet by sheet: python3 book.py FILE (.fods)."""
import sys
import xml.etree.ElementTree as tree

ODF = "urn:oasis:names:tc:opendocument:xmlns:"
def ns(part, name): return "{" + ODF + part + ":1.0}" + name
root = tree.parse(sys.argv[1]).getroot()

hidden = {style.get(ns("style", "name")) for style in root.iter(ns("style", "style"))
          for look in style.iter(ns("style", "table-properties")) if look.get(ns("table", "display")) == "false"}

def cell(one):
    formula = one.get(ns("table", "formula"))
    text = " / ".join("".join(p.itertext()) for p in one.findall(ns("text", "p")))
    return formula if formula else one.get(ns("office", "value")) or text

for sheet in root.iter(ns("table", "table")):
    print(f"sheet {sheet.get(ns('table', 'name'))}" + (" hidden" if sheet.get(ns("table", "style-name")) in hidden else ""))
    for row in sheet.iter(ns("table", "table-row")):
        cells = []
        for one in row:
            if one.tag == ns("table", "table-cell"):
                times = int(one.get(ns("table", "number-columns-repeated"), "1"))
                cells += [cell(one)] * min(times, 50)
        while cells and not cells[-1]: cells.pop()
        if cells: print("  " + " | ".join(cells))
