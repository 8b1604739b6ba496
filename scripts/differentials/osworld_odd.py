"""Odd inputs for all OSWorld metrics: nothing, no file, another kind, and arguments exchanged (see `scripts/diff osworld`)."""

import pathlib
import re

import osworld_books
import osworld_slides
import osworld_texts
from osworld_packages import write

TABLE = pathlib.Path(__file__).resolve().parents[2] / "tasks/osworld/src/metrics/mod.rs"
# Those that wait for a page, or ask for what is not installed.
LEFT_OUT = {"check_mp3_meta", "is_gold_text_included_in_pdf"}


def make(to, png):
    kinds = {"docx": osworld_texts.plain(png), "pptx": osworld_slides.plain(png), "xlsx": osworld_books.plain()}
    files = {"empty.txt": b"", "words.txt": b"plain words\n", "unicode.txt": "\u00fc \U0001f600\n".encode(), "latin.txt": b"caf\xe9\n", "zero.bin": b"\0\0\0\0",
             "x.png": png, "x.json": b'{"a": [1, null]}', "x.xml": b"<a><b/></a>", "x.html": b"<html><body>x</body></html>"}
    for name, data in files.items():
        to.path(f"z/{name}").write_bytes(data)
    for ending, parts in kinds.items():
        write(to.path(f"z/x.{ending}"), parts)
    names = [f"@file:z/{name}" for name in [*files, *(f"x.{ending}" for ending in kinds)]]
    gone = "@file:z/gone.txt"
    results = [None, "", gone, "@file:z", *names]
    pairs = ["@file:z/x.docx", "@file:z/x.pptx", "@file:z/x.xlsx", "@file:z/x.png", "@file:z/words.txt"]
    table = TABLE.read_text().split("\nmetrics! {")[1].split("}")[0]
    for func in ["check_slide_orientation_Portrait", *re.findall(r"\w+(?=[\s;])", table)]:
        if func in LEFT_OUT:
            continue
        for result in results:
            to.case(func, result)
            to.case(func, result, {})
            for other in pairs:
                to.case(func, result, other)
        for name in names:
            to.case(func, name, name)
