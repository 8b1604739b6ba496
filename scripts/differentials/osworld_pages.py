"""Books, pages, archives, PDF documents and sounds for the OSWorld metrics (see `scripts/diff osworld`)."""

import itertools
import struct

from osworld_packages import write

PAGE = '<html><head><title>t</title></head><body><h1 class="c">One</h1><p>First <b>bold</b> words.</p></body></html>'
CHANGES = {
    "same": PAGE, "text": PAGE.replace("First", "Second"), "lines": PAGE.replace("><", ">\n<"), "spaces": PAGE.replace("><", ">  <"), "upper": PAGE.replace("body", "BODY").replace("<p>", "<P>"),
    "single": PAGE.replace('"', "'"), "open": PAGE.replace("</p>", ""), "declared": '<?xml version="1.0" encoding="utf-8"?>' + PAGE, "doctype": "<!DOCTYPE html>" + PAGE, "comment": PAGE.replace("<p>", "<!-- c --><p>"),
    "entity": PAGE.replace("First", "First &amp; &nbsp;&eacute;"), "unicode": PAGE.replace("First", "\u00dcn\u00ef \U0001f600"), "attribute": PAGE.replace('class="c"', 'class="c" id="i"'), "turned": PAGE.replace('class="c"', 'id="i" class="c"'),
    "void": PAGE.replace("words", "<br/>words<img src='x'>"), "empty": "", "words": "only words", "no_html": PAGE[len("<html><head><title>t</title></head>"):-len("</html>")], "nested": PAGE.replace("<b>", "<b><i>").replace("</b>", "</i></b>"),
    "wrong_nesting": PAGE.replace("<b>bold</b>", "<b><i>bold</b></i>"), "script": PAGE.replace("</head>", "<script>if (a < b) {}</script></head>"), "xhtml": PAGE.replace("<html>", '<html xmlns="http://www.w3.org/1999/xhtml">'), "table": PAGE.replace("<p>", "<table><tr><td>x</td></tr></table><p>"),
}
TOC = '<ncx>\n<head/>\n<navPoint id="a">\n<text>One</text>\n</navPoint>\n</ncx>\n'
OPF = '<package>\n<dc:identifier>1</dc:identifier>\n<dc:title>T</dc:title>\n</package>\n'


def epubs(to, dice):
    base = {"mimetype": "application/epub+zip", "toc.ncx": TOC, "content.opf": OPF, "a.html": PAGE, "b.html": CHANGES["text"]}
    books = {f"page_{name}": {**base, "a.html": page} for name, page in CHANGES.items()}
    books |= {"same": base, "id": {**base, "content.opf": OPF.replace(">1<", ">2<")}, "title": {**base, "content.opf": OPF.replace(">T<", ">U<")}, "toc": {**base, "toc.ncx": TOC.replace("One", "Two")},
              "nav": {**base, "toc.ncx": TOC.replace('id="a"', 'id="b"')}, "no_toc": {k: v for k, v in base.items() if k != "toc.ncx"}, "no_opf": {k: v for k, v in base.items() if k != "content.opf"},
              "no_pages": {k: v for k, v in base.items() if "html" not in k}, "more": {**base, "c.html": PAGE}, "xhtml": {**base, "c.xhtml": PAGE}, "image": {**base, "x.png": "png"}, "folder": {**base, "text/c.html": PAGE},
              "returns": {**base, "toc.ncx": TOC.replace("\n", "\r\n")}, "latin": {**base, "toc.ncx": TOC.replace("One", "\u00e9").encode("latin-1")}, "none": {}, "opf_lines": {**base, "content.opf": OPF.replace("\n", "\u2028")},
              "order": dict(reversed(list(base.items())))}
    for name, parts in books.items():
        write(to.path(f"e/{name}.epub"), parts)
    to.path("e/words.epub").write_text("words")
    names = [*books, "words"]
    for name in names:
        for other in ["same", name, *dice.sample(names, 2)]:
            # Pages are unpacked beside the book: each case has its own.
            to.case("compare_epub", f"@file:e/{name}.epub", f"@file:e/{other}.epub")
        to.case("compare_epub", "@file:e/same.epub", f"@file:e/{name}.epub")
    to.case("compare_epub", None, "@file:e/same.epub")


def htmls(to):
    for name, page in CHANGES.items():
        to.path(f"h/{name}.html").parent.mkdir(exist_ok=True)
        to.path(f"h/{name}.html").write_text(page)
    to.path("h/latin.html").write_bytes(PAGE.replace("First", "\u00e9").encode("latin-1"))
    names = [f"@file:h/{name}.html" for name in [*CHANGES, "latin"]]
    for a, b in itertools.product(names, names):
        to.case("compare_htmls", a, b)
    for a in names:
        to.case("compare_htmls", a, names[0], ignore_sdnum=False)


def pdf(texts, version="1.4", tail=True):
    """A PDF document with a page for each text."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(texts)))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {len(texts)}>>", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for n, text in enumerate(texts):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET"
        objects.append(f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R>>>>/Contents {5 + 2 * n} 0 R>>")
        objects.append(f"<</Length {len(stream)}>>\nstream\n{stream}\nendstream")
    found, places = f"%PDF-{version}\n".encode(), []
    for number, one in enumerate(objects, 1):
        places.append(len(found))
        found += f"{number} 0 obj\n{one}\nendobj\n".encode()
    table = f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010} 00000 n \n" for at in places)
    end = f"{table}trailer\n<</Size {len(objects) + 1}/Root 1 0 R>>\nstartxref\n{len(found)}\n%%EOF\n"
    return found + end.encode() if tail else found


def pdfs(to):
    files = {"same": pdf(["Hello", "World"]), "text": pdf(["Hullo", "World"]), "one": pdf(["Hello"]), "five": pdf(list("abcde")), "none": pdf([]), "version": pdf(["Hello", "World"], "1.7"), "no_table": pdf(["Hello", "World"], tail=False),
             "words": b"plain words", "empty": b"", "far": pdf(["Something else", "that is not alike"]), "turned": pdf(["World", "Hello"]), "noted": pdf(["Hello", "World"]) + b"% note\n"}
    for name, data in files.items():
        to.path(f"f/{name}.pdf").parent.mkdir(exist_ok=True)
        to.path(f"f/{name}.pdf").write_bytes(data)
    for name in files:
        path = f"@file:f/{name}.pdf"
        for relation, pages in itertools.product(["eq", "lt", "ge", "ne"], [1, 2, 5]):
            to.case("check_pdf_pages", path, {"relation": relation, "ref_value": pages})
        for other in files:
            to.case("compare_pdfs", path, f"@file:f/{other}.pdf")
        to.case("compare_pdfs", [path, path], ["@file:f/same.pdf", path])


def archives(to):
    files = {"one.txt": "one\n", "two.txt": "two\n"}
    found = {"same": files, "text": {**files, "one.txt": "uno\n"}, "more": {**files, "three.txt": "x"}, "less": {"one.txt": "one\n"}, "folder": {f"in/{k}": v for k, v in files.items()}, "none": {}, "order": dict(reversed(files.items())),
             "blank": {**files, "one.txt": "one \n"}, "case": {"ONE.txt": "one\n", "two.txt": "two\n"}, "csv": {"one.txt": "a,b\n", "two.txt": "c\n"}, "\u00fc": {**files, "\u00fc.txt": "u"}}
    for name, parts in found.items():
        write(to.path(f"z/{name}.zip"), parts)
    to.path("z/words.zip").write_text("words")
    for a, b in itertools.product([*found, "words"], repeat=2):
        pair = (f"@file:z/{a}.zip", f"@file:z/{b}.zip")
        to.case("compare_zip_files", *pair)
        to.case("compare_archive", *pair)
        to.case("compare_archive", *pair, file_type="csv")
        to.case("compare_archive", *pair, file_path="in", file_type="text")


def sounds(to):
    def frame(name, text, coding=3):
        data = bytes([coding]) + (text.encode("utf-16") if coding == 1 else text.encode("latin-1" if coding == 0 else "utf-8"))
        return name.encode() + struct.pack(">I", len(data)) + b"\0\0" + data

    def tagged(*frames, version=3):
        body = b"".join(frames)
        size = bytes((len(body) >> shift) & 127 for shift in (21, 14, 7, 0))
        return b"ID3" + bytes([version, 0, 0]) + size + body + b"\xff\xfb\x90\0" + bytes(413)

    files = {"title": tagged(frame("TIT2", "Song", 0), frame("TPE1", "Band", 0)), "wide": tagged(frame("TIT2", "S\u00f6ng", 1)), "four": tagged(frame("TIT2", "S\u00f6ng"), version=4), "none": bytes(100), "other": tagged(frame("TIT2", "song", 0)),
             "two": tagged(frame("TPE1", "A\0B"), version=4), "album": tagged(frame("TALB", "Record", 0), frame("TRCK", "3/9", 0), frame("TCON", "(17)", 0)), "empty": b"", "no_frames": tagged(), "year": tagged(frame("TYER", "1999", 0), frame("TDAT", "0302", 0))}
    for name, data in files.items():
        to.path(f"m/{name}.mp3").parent.mkdir(exist_ok=True)
        to.path(f"m/{name}.mp3").write_bytes(data)
        for key, method, ref in itertools.product(["title", "artist", "album", "tracknumber", "genre", "date"], ["eq", "re"], ["Song", "S\u00f6ng", "Band", "", "3/9", "Rock", "1999", "A,B"][::2 if len(name) % 2 else 1]):
            to.case("check_mp3_meta", f"@file:m/{name}.mp3", {key: {"method": method, "ref": ref}})
    to.case("check_mp3_meta", None, {"title": {"method": "eq", "ref": "Song"}})


def registry(to):
    """Settings of the office suite."""
    head = '<oor:items xmlns:oor="http://openoffice.org/2001/registry">'

    def item(path, name, value):
        return f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
    font, start = "/org.openoffice.Office.Writer/DefaultFont", "/org.openoffice.Office.Impress/Misc/Start"
    save, locale = "/org.openoffice.Office.Common/Save/Document", "/org.openoffice.Setup/L10N"
    items = [item(font, "Standard", "Times New Roman"), item(font, "Standard", "Arial"), item(font, "Heading", "Times New Roman"), item(font, "Standard", ""), item(start, "EnablePresenterScreen", "false"), item(start, "EnablePresenterScreen", "False"),
             item(start, "EnablePresenterScreen", "true"), item(start, "Other", "false"), item(save, "AutoSaveTimeIntervall", "3"), item(save, "AutoSaveTimeIntervall", " 3 "), item(save, "AutoSaveTimeIntervall", "x"), item(save, "AutoSave", "3"),
             item(locale, "ooSetupSystemLocale", "ko-KR"), item(locale, "ooLocale", "ko-KR"), item(locale, "ooLocale", "en-US"), item(locale, "ooSetupSystemLocale", ""), item("/org.openoffice.Office.Linguistic/L10N", "ooLocale", "ko-KR"), ""]
    texts = [f"{head}{a}{b}</oor:items>" for a, b in itertools.product(items, items[::5] + [""])] + ["", "<x/>", head, f"<?xml version='1.0' encoding='UTF-8'?>\n{head}{items[0]}</oor:items>"]
    for text in texts:
        path = to.file(text, "xcu")
        to.case("find_default_font", path, {"font_name": "Times New Roman"})
        to.case("check_presenter_console_disable", path)
        to.case("check_auto_saving_time", path, {"minutes": 3})
        to.case("check_libre_locale", path, {"locale_set": ["ko-*", "x"]})
    for func, rules in [("find_default_font", {"font_name": "x"}), ("check_auto_saving_time", {"minutes": 3})]:
        to.case(func, None, rules)


def make(to, dice):
    epubs(to, dice)
    for part in [htmls, pdfs, archives, sounds, registry]:
        part(to)
