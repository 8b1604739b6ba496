"""Documents of text (DOCX, ODT) for the OSWorld metrics (see `scripts/diff osworld`)."""

import itertools

from osworld_packages import broken, changed, relations, types, write

HEAD = ('xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/'
        'officeDocument/2006/relationships" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
        'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"')
BODY, FOOT, STYLES = "word/document.xml", "word/footer1.xml", "word/styles.xml"


def words(text, properties="", run=""):
    return f'<w:p>{properties}<w:r>{run}<w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def cell(text):
    return f"<w:tc><w:tcPr/>{words(text)}</w:tc>"


ROWS = "".join("<w:tr>" + cell(f"a{row}") + cell(f"b{row}") + "</w:tr>" for row in range(2))
TABLE = f'<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w="3000"/><w:gridCol w:w="3000"/></w:tblGrid>{ROWS}</w:tbl>'
SECTION = ('<w:sectPr><w:footerReference w:type="default" r:id="rId1"/><w:pgSz w:w="12240" w:h="15840"/>'
           '<w:pgMar w:top="1440" w:right="1800" w:bottom="1440" w:left="1800"/></w:sectPr>')
LINES = ["First line of text.", "Second line with\tsome more words", "", "Last H2O line"]
DRAWING = ('<w:r><w:drawing><wp:inline><a:graphic><a:graphicData uri="x"><a:blip r:embed="rId3"/></a:graphicData></a:graphic>'
           "</wp:inline></w:drawing></w:r>")


def plain(png, lines=LINES):
    body = "".join(words(line) if line else "<w:p/>" for line in lines)
    return {
        "[Content_Types].xml": types([(BODY, "wordprocessingml.document.main"), (FOOT, "wordprocessingml.footer"),
                                      (STYLES, "wordprocessingml.styles")]),
        "_rels/.rels": relations(("officeDocument", BODY)),
        BODY: f"<w:document {HEAD}><w:body>{body}{TABLE}{SECTION}</w:body></w:document>",
        FOOT: f"<w:ftr {HEAD}>{words('page 1')}</w:ftr>",
        STYLES: f'<w:styles {HEAD}><w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>'
                f'<w:style w:type="paragraph" w:styleId="Wide"><w:name w:val="Wide"/><w:pPr><w:spacing w:line="480" '
                'w:lineRule="auto"/><w:jc w:val="center"/></w:pPr><w:rPr><w:i/><w:strike/><w:sz w:val="28"/></w:rPr></w:style></w:styles>',
        "word/_rels/document.xml.rels": relations(("footer", "footer1.xml"), ("styles", "styles.xml"), ("image", "media/image1.png")),
        "word/media/image1.png": png,
    }


RUN, LAST = '<w:r><w:t xml:space="preserve">Second', '<w:r><w:t xml:space="preserve">Last'
SPLIT = LAST + " H2O line</w:t></w:r>"


def of_run(properties, run=RUN):
    return [(BODY, run, run.replace("<w:r>", f"<w:r><w:rPr>{properties}</w:rPr>"))]


def of_paragraph(properties, text="First"):
    run = f'<w:p><w:r><w:t xml:space="preserve">{text}'
    return [(BODY, run, run.replace("<w:p>", f"<w:p><w:pPr>{properties}</w:pPr>"))]


def of_body(old, new):
    return [(BODY, old, new)]


def tabs(*stops):
    return of_paragraph("<w:tabs>" + "".join(f'<w:tab w:val="{kind}" w:pos="{at}"/>' for kind, at in stops) + "</w:tabs>", "Second")


def spacing(first, second, third):
    def line(value):
        return f"<w:pPr><w:spacing {value}/></w:pPr>" if value else ""
    old = words(LINES[0]) + words(LINES[1]) + "<w:p/>"
    new = "".join(words(text, line(value)) for text, value in zip(["One", "Two", "Three"], [first, second, third]))
    return of_body(old, new)


AUTO = 'w:line="{}" w:lineRule="auto"'
RUNS = {"bold": "<w:b/>", "strike": "<w:strike/>", "strike_off": '<w:strike w:val="0"/>', "strike_false": '<w:strike w:val="false"/>',
        "double_strike": "<w:dstrike/>", "yellow": '<w:highlight w:val="yellow"/>', "none": '<w:highlight w:val="none"/>',
        "green": '<w:highlight w:val="green"/>', "sub": '<w:vertAlign w:val="subscript"/>', "super": '<w:vertAlign w:val="superscript"/>',
        "base": '<w:vertAlign w:val="baseline"/>', "roman": '<w:rFonts w:ascii="Times New Roman"/>', "roman_high": '<w:rFonts w:hAnsi="Times New Roman"/>',
        "size": '<w:sz w:val="28"/>', "italic": "<w:i/>", "italic_size": '<w:i/><w:sz w:val="28"/>', "italic_odd": '<w:i/><w:sz w:val="29"/>',
        "italic_off": '<w:i w:val="off"/>', "italic_on": '<w:i w:val="on"/><w:sz w:val="28"/>', "red": '<w:color w:val="FF0000"/>',
        "shade": '<w:shd w:val="clear" w:fill="FFFF00"/>', "style": '<w:rStyle w:val="Wide"/>', "italic_bad": '<w:i w:val="maybe"/>',
        "size_bad": '<w:i/><w:sz w:val="x"/>'}
CHANGES = {
    "same": [], **{name: of_run(one) for name, one in RUNS.items()}, **{f"last_{name}": of_run(one, LAST) for name, one in RUNS.items()},
    "text": of_body("First", "Fürst"), "case": of_body("First line", "FIRST LINE"), "upper": of_body("First line of text.", "FIRST"),
    "blank": of_body("line with", " line  with "), "wide_blank": of_body("line with", "line\u00a0with"), "tab": of_body("with\t", "with</w:t><w:tab/><w:t>"),
    "zero_blank": of_body("line with", "line\u200bwith"), "unit_blank": of_body("line with", "line\u001fwith".replace("\u001f", "\u0085") + ""),
    "ideographic": of_body("line with", "line\u3000with"),
    "break": of_body("line of", "line</w:t><w:br/><w:t>of"), "page": of_body("line of", 'line</w:t><w:br w:type="page"/><w:t>of'),
    "pages": of_body("line of", 'line</w:t><w:br w:type="page"/><w:br w:type="page"/><w:t>of'), "column": of_body("line of", 'line</w:t><w:br w:type="column"/><w:t>of'),
    "page_before": of_paragraph("<w:pageBreakBefore/>"), "last_page": of_body("line of", "line</w:t><w:lastRenderedPageBreak/><w:t>of"),
    "page_inside": of_body("b1", 'b1</w:t><w:br w:type="page"/><w:t>'), "return": of_body("line of", "line</w:t><w:cr/><w:t>of"),
    "hyphen": of_body("line of", "line</w:t><w:noBreakHyphen/><w:t>of"), "position_tab": of_body("line of", "line</w:t><w:ptab/><w:t>of"),
    "soft": of_body("line of", "line</w:t><w:softHyphen/><w:t>of"), "sign": of_body("line of", 'line</w:t><w:sym w:char="F020"/><w:t>of'),
    "link": of_body(RUN, f'<w:hyperlink w:anchor="x">{RUN}')[:0] + of_body(SPLIT, f'<w:hyperlink w:anchor="x">{SPLIT}</w:hyperlink>'),
    "inserted": of_body(SPLIT, f"<w:ins>{SPLIT}</w:ins>"), "deleted": of_body(SPLIT, f"{SPLIT}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"),
    "smart": of_body(SPLIT, f"<w:smartTag>{SPLIT}</w:smartTag>"), "field": of_body(SPLIT, f'<w:fldSimple w:instr="PAGE">{SPLIT}</w:fldSimple>'),
    "held": of_body(words(LINES[3]), f"<w:sdt><w:sdtContent>{words(LINES[3])}</w:sdtContent></w:sdt>"),
    "held_run": of_body(SPLIT, f"<w:sdt><w:sdtContent>{SPLIT}</w:sdtContent></w:sdt>"), "instruction": of_body(SPLIT, SPLIT + "<w:r><w:instrText>PAGE</w:instrText></w:r>"),
    "two_texts": of_body("Last H2O", "Last</w:t><w:t> H2O"), "two_runs": of_body("Last H2O", "Last</w:t></w:r><w:r><w:t> H2O"),
    "sub_run": of_body("Last H2O", 'Last H</w:t></w:r><w:r><w:rPr><w:vertAlign w:val="subscript"/></w:rPr><w:t>2</w:t></w:r><w:r><w:t>O'),
    "no_space": of_body('<w:t xml:space="preserve">Last', "<w:t>\n  Last"), "empty_run": of_body(SPLIT, SPLIT + "<w:r/>"), "no_paragraphs": [
        (BODY, None, f"<w:document {HEAD}><w:body>{SECTION}</w:body></w:document>")],
    "no_section": of_body(SECTION, ""), "no_body": [(BODY, None, f"<w:document {HEAD}/>")], "more": of_body(TABLE, TABLE + words("More")),
    "empty_more": of_body(TABLE, TABLE + "<w:p/>"), "blank_more": of_body(TABLE, words("  ") + TABLE), "gone": of_body(words(LINES[0]), ""),
    "order": of_body(words(LINES[0]) + words(LINES[1]), words(LINES[1]) + words(LINES[0])), "twice": of_body(words(LINES[0]), words(LINES[0]) * 2),
    "cell": of_body("b1", "x"), "cell_blank": of_body("b1", " b1 "), "cell_two": of_body(cell("b1"), f"<w:tc>{words('b1')}{words('x')}</w:tc>"),
    "cell_empty": of_body(cell("b1"), "<w:tc><w:p/></w:tc>"), "cell_bare": of_body(cell("b1"), "<w:tc/>"), "row": of_body("</w:tbl>", f"<w:tr>{cell('c')}{cell('d')}</w:tr></w:tbl>"),
    "row_gone": of_body(f"<w:tr>{cell('a1')}{cell('b1')}</w:tr>", ""), "row_short": of_body(cell("b1"), ""), "grid": of_body('<w:gridCol w:w="3000"/></w:tblGrid>', "</w:tblGrid>"),
    "span": of_body(cell("a1") + cell("b1"), f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{words("a1")}</w:tc>'),
    "down": [(BODY, cell("a0"), f'<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>{words("a0")}</w:tc>'),
             (BODY, cell("a1"), "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>")], "nested": of_body(words("b1"), TABLE.replace("b1", "n") + words("b1")),
    "skip": of_body("<w:tr>" + cell("a1"), '<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>'), "span_wide": of_body(cell("b1"), f'<w:tc><w:tcPr><w:gridSpan w:val="3"/></w:tcPr>{words("b1")}</w:tc>'),
    "down_first": of_body(cell("a0"), "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"), "no_table": of_body(TABLE, ""), "two_tables": of_body(TABLE, TABLE + "<w:p/>" + TABLE),
    "centre": of_paragraph('<w:jc w:val="center"/>'), "jc_left": of_paragraph('<w:jc w:val="left"/>'), "jc_both": of_paragraph('<w:jc w:val="both"/>'), "jc_start": of_paragraph('<w:jc w:val="start"/>'),
    "jc_bad": of_paragraph('<w:jc w:val="x"/>'), "styled": of_paragraph('<w:pStyle w:val="Wide"/>'), "last_styled": of_paragraph('<w:pStyle w:val="Wide"/>', "Last"),
    **{f"line_{name}": of_paragraph(f"<w:spacing {one}/>") for name, one in {
        "double": AUTO.format(480), "bare": 'w:line="240"', "exact": 'w:line="240" w:lineRule="exact"', "least": 'w:line="240" w:lineRule="atLeast"', "single": AUTO.format(240),
        "rule": 'w:lineRule="auto"', "before": 'w:before="100"', "points": 'w:line="12pt" w:lineRule="exact"', "float": AUTO.format("240.0")}.items()},
    **{f"spaced{n}": spacing(*one) for n, one in enumerate([
        (AUTO.format(240), AUTO.format(480), AUTO.format(360)), ('w:line="240"', 'w:line="480"', 'w:line="360"'), ("", AUTO.format(480), AUTO.format(360)),
        (AUTO.format(240), AUTO.format(480), AUTO.format(361)), ('w:line="240" w:lineRule="exact"', AUTO.format(480), AUTO.format(360)), ("", "", "")])},
    "foot_words": [(FOOT, "page 1", "page")], "foot_gone": of_body('<w:footerReference w:type="default" r:id="rId1"/>', ""), "foot_first": of_body('w:type="default"', 'w:type="first"'),
    "foot_field": [(FOOT, words("page 1"), '<w:p><w:fldSimple w:instr="PAGE"><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p>')],
    "foot_long_field": [(FOOT, words("page 1"), '<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>2</w:t></w:r></w:p>')],
    "foot_second": [(FOOT, words("page 1"), "<w:p/>" + words("1"))], "foot_none": [(FOOT, words("page 1"), "")], "foot_arabic": [(FOOT, "page 1", "\u0663")], "foot_power": [(FOOT, "page 1", "\u00b2")],
    "foot_half": [(FOOT, "page 1", "\u00bd")], "foot_table": [(FOOT, words("page 1"), TABLE + words("x"))],
    "foot_sections": of_body("<w:p/>", f"<w:p><w:pPr>{SECTION}</w:pPr></w:p>"), "foot_sections_bare": of_body("<w:p/>", f"<w:p><w:pPr>{SECTION.replace(SECTION[8:SECTION.index('<w:pgSz')], '')}</w:pPr></w:p>"),
    "picture": of_body(SPLIT, SPLIT + DRAWING), "picture_first": of_body(SPLIT, DRAWING + SPLIT), "picture_alone": of_body("<w:p/>", f"<w:p>{DRAWING}</w:p>"),
    "image_other": [("word/media/image1.png", None, b"no picture")], "image_gone": [("word/_rels/document.xml.rels", "/image\"", "/other\"")],
    "image_twice": [("word/_rels/document.xml.rels", "</Relationships>", relations(*[("x", "x")] * 3, ("image", "media/image1.png")).split("/>")[3] + "/></Relationships>")],
    "object": of_body(SPLIT, "<w:r><w:object/></w:r>" + SPLIT), "object_run": of_body(LAST, LAST.replace("<w:r>", "<w:r><w:object/>")), "maths": of_body(SPLIT, SPLIT + '<m:oMath xmlns:m="x"/>'),
    "choice": of_body(SPLIT, f"<w:r><mc:AlternateContent><mc:Choice>{DRAWING}</mc:Choice><mc:Fallback/></mc:AlternateContent></w:r>" + SPLIT),
    "tab_left": tabs(("left", 2000)), "tab_near": tabs(("left", 2100)), "tab_right": tabs(("right", 2000)), "tab_clear": tabs(("clear", 2000)), "tab_nought": tabs(("left", 0), ("left", 2000)),
    "tab_two": tabs(("left", 2000), ("center", 4000)), "tab_turned": tabs(("center", 4000), ("left", 2000)), "tab_start": tabs(("start", 2000)), "tab_odd": tabs(("other", 2000)),
    "margin_gone": of_body('w:right="1800" ', ""), "comment": of_body("First", "Fi<!-- c -->rst"), "data": of_body("First", "<![CDATA[First]]>"), "sentences": of_body("First line of text.", "One two. Three  four five. Six seven eight nine"),
    "sentence_tab": of_body("First line of text.", "One two three\tfour five"), "sentence_wide": of_body("First line of text.", "One two  three four five."),
    "styles_gone": [("word/_rels/document.xml.rels", "/styles\"", "/other\"")], "default_italic": [(STYLES, '<w:name w:val="Normal"/>', '<w:name w:val="Normal"/><w:rPr><w:i/><w:strike/></w:rPr>')],
    "styles_no_default": [(STYLES, ' w:default="1"', "")],
}
PAIRS = ["compare_docx_files", "compare_docx_tables", "compare_docx_images", "compare_docx_lines", "compare_init_lines", "compare_line_spacing", "compare_insert_equation",
         "compare_subscript_contains", "compare_contains_image", "evaluate_strike_through_last_paragraph", "check_italic_font_size_14",
         "compare_docx_files_and_ignore_new_lines", "compare_highlighted_text", "check_tabstops", "evaluate_colored_words_in_tables"]
ALONE = ["has_page_numbers_in_footers", "is_first_line_centered", "evaluate_spacing", "evaluate_alignment", "evaluate_conversion"]
FILES = [{"ignore_blanks": False}, {"ignore_case": True}, {"ignore_order": True}, {"content_only": True}, {"fuzzy_match": True}, {"delete_empty_lines": True},
         {"ignore_blanks": False, "fuzzy_match": True}, {"ignore_blanks": False, "ignore_case": True}, {"content_only": True, "ignore_case": True}]


def trains(to, png):
    """Lists of trains, and of places."""
    initial = ["10:00:00, A1, S1, 2", "10:00:01, A1, S2, 3", "10:05:00, B2, S1, 1", "words"]
    lists = [initial, initial[::2] + initial[3:], initial[1:], initial[:1] + initial[2:], initial[2:], [*initial[:1], initial[2], "words", ""],
             [initial[0], initial[2].replace("B2", "C3"), "words"], [], ["x,y", *initial[:1]], [initial[0] + " ", initial[2], "words"]]
    for nth, lines in enumerate(lists):
        write(to.path(f"w/trains{nth}.docx"), plain(png, lines))
    names = [f"@file:w/trains{nth}.docx" for nth in range(len(lists))]
    for a, b in itertools.product(names, names):
        to.case("check_no_duplicates", a, b)
        for c in names[:4:3]:
            to.case("compare_unique_train_records", a, [b, c])
    sources = [["Body", "References", "Li, A. (2001). Rivers.", "", "Ba, B. (2002). Seas."], ["References", "Li, A. (2001). Rivers.", "Ba, B. (2002). Sea"],
               ["References"], ["Body"], ["References", "x", "y"], ["References", "Li, A. (2001). Rivers."], ["Literature", "x"], ["References", "L\u00ef A 2001 Rivers", "Ba, B. 2002 Seas"],
               [" References", "x"], ["References", "References", "x"], ["References", "\U0001f600 a", "b"]]
    for nth, lines in enumerate(sources):
        write(to.path(f"w/sources{nth}.docx"), plain(png, lines))
    for a, b in itertools.product(range(len(sources)), repeat=2):
        for options in [{}, {"reference_base_result": 0.2}, {"reference_indicator": "Literature"}][(a + b) % 2::2]:
            to.case("compare_references", f"@file:w/sources{a}.docx", f"@file:w/sources{b}.docx", **options)
    to.case("fuzzy_place_math", "@file:w/sources0.docx", {"expected": [["x"]]})


def colored(to, png):
    """Tables with coloured words."""
    colors = ["FF0000", "0000FF", "FE0102", "F00808", "auto", None, "000000", "0000EE", "xyz", "0808FF"]
    for nth, (vowel, other) in enumerate(itertools.product(colors, colors)):
        def run(text, color):
            look = f'<w:rPr><w:color w:val="{color}"/></w:rPr>' if color else ""
            return f'<w:r>{look}<w:t xml:space="preserve">{text}</w:t></w:r>'
        inner = run(["Apple ", "\u00c4pfel ", "\u0130s "][nth % 3 and nth % 7 % 3], vowel) + run(["pear", " x", "1"][nth % 5 % 3], other)
        write(to.path(f"w/color{nth}.docx"), changed(plain(png), [(BODY, f"<w:tc><w:tcPr/>{words(one)}</w:tc>", f"<w:tc><w:p>{inner}</w:p></w:tc>")
                                                                  for one in ["a0", "a1", "b0", "b1"]]))
        to.case("evaluate_colored_words_in_tables", f"@file:w/color{nth}.docx", "@file:w/same.docx", **([{}, {"threshold": 20}][nth % 2]))


ODF = "urn:oasis:names:tc:opendocument:xmlns:"
ODT_HEAD = " ".join(f'xmlns:{name}="{ODF}{name}:1.0"' for name in ["office", "style", "text", "table"]) + f' xmlns:fo="{ODF}xsl-fo-compatible:1.0"'
CONTENT = "content.xml"
ODT = {
    "same": [], "text": [(CONTENT, "Hello", "Hullo")], "span": [(CONTENT, ">plain<", "><text:span text:style-name=\"T1\">plain</text:span><")],
    "white": [(CONTENT, "#ffff00", "#ffffff")], "upper": [(CONTENT, "#ffff00", "#FFFF00")], "used": [(CONTENT, '"T2"', '"T1"')], "unknown": [(CONTENT, '"T2"', '"T9"')],
    "clear": [(CONTENT, "#ffff00", "transparent")], "tab": [(CONTENT, "Hello", "He<text:tab/>llo")], "spaces": [(CONTENT, "Hello", "Hel<text:s text:c=\"3\"/>lo")],
    "nested": [(CONTENT, ">world<", "><text:span text:style-name=\"T1\">world</text:span><")], "heading": [(CONTENT, "<text:p>plain</text:p>", "<text:h>plain</text:h>")],
    "blank": [(CONTENT, "Hello", " Hello  ")], "line": [(CONTENT, "Hello", "Hello\n  x")], "cell": [(CONTENT, "<text:p>plain</text:p>", "<table:table><table:table-row><table:table-cell><text:p>plain</text:p></table:table-cell></table:table-row></table:table>")],
    "more": [(CONTENT, "<text:p>plain</text:p>", "<text:p>plain</text:p><text:p/><text:p>x</text:p>")], "link": [(CONTENT, ">plain<", "><text:a>plain</text:a><")],
    "no_name": [(CONTENT, ' text:style-name="T2"', "")], "common": [(CONTENT, "office:automatic-styles", "office:font-face-decls")], "note": [(CONTENT, ">plain<", ">pl<text:note><text:note-body><text:p>n</text:p></text:note-body></text:note>ain<")],
    "no_properties": [(CONTENT, '<style:text-properties fo:background-color="#ffff00"/>', "")], "paragraph_yellow": [(CONTENT, "text-properties", "paragraph-properties")], "unicode": [(CONTENT, "Hello", "\U0001f600 \u00fc")],
    "order": [(CONTENT, "<text:p>plain</text:p>", ""), (CONTENT, "<office:text>", "<office:text><text:p>plain</text:p>")], "break": [(CONTENT, "Hello", "Hel<text:line-break/>lo")],
}


def open_documents(to, dice):
    name = "application/vnd.oasis.opendocument.text"
    parts = {"mimetype": name, "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{ODF}manifest:1.0"><manifest:file-entry '
             f'manifest:full-path="/" manifest:media-type="{name}"/><manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml"/></manifest:manifest>',
             CONTENT: f'<office:document-content {ODT_HEAD} office:version="1.2"><office:automatic-styles><style:style style:name="T1" style:family="text"/>'
                      '<style:style style:name="T2" style:family="text"><style:text-properties fo:background-color="#ffff00"/></style:style></office:automatic-styles>'
                      '<office:body><office:text><text:p>Hello <text:span text:style-name="T2">world</text:span></text:p><text:p>plain</text:p></office:text></office:body></office:document-content>'}
    for change, changes in ODT.items():
        write(to.path(f"o/{change}.odt"), changed(parts, changes))
    write(to.path("o/no_content.odt"), changed(parts, [(CONTENT, None, None)]))
    write(to.path("o/no_manifest.odt"), changed(parts, [("META-INF/manifest.xml", None, None)]))
    write(to.path("o/no_mimetype.odt"), changed(parts, [("mimetype", None, None)]))
    to.path("o/words.odt").write_text("plain words")
    for change in [*ODT, "no_content", "no_manifest", "no_mimetype", "words"]:
        path = f"@file:o/{change}.odt"
        to.case("check_highlighted_words", path, path)
        to.case("check_highlighted_words", path, "@file:o/same.odt")
        to.case("check_highlighted_words", "@file:o/same.odt", path)
        to.case("compare_docx_files", path, "@file:o/same.odt")
        for options in dice.sample(FILES, 3):
            to.case("compare_docx_files", path, "@file:o/same.odt", **options)
        to.case("compare_docx_files", path, "@file:w/same.docx")


def make(to, dice, png):
    parts = plain(png)
    for name, changes in CHANGES.items():
        write(to.path(f"w/{name}.docx"), changed(parts, changes))
    bad = broken(to, "w", "docx", parts)
    same = "@file:w/same.docx"
    for name in [*CHANGES, *bad]:
        path = f"@file:w/{name}.docx"
        for func in PAIRS:
            to.case(func, path, same)
            if name not in bad or func not in ("evaluate_colored_words_in_tables",):
                to.case(func, path, path)
            if name not in bad:
                to.case(func, same, path)
                to.case(func, path, f"@file:w/{dice.choice(sorted(CHANGES))}.docx")
        for func in ALONE:
            to.case(func, path)
        for options in dice.sample(FILES, 4):
            to.case("compare_docx_files", path, same, **options)
        to.case("compare_docx_files_and_ignore_new_lines", path, same, ignore_blanks=False)
        to.case("compare_font_names", path, {"font_name": "Times New Roman"})
        to.case("contains_page_break", path, {"page_break_count": dice.choice([0, 1, 2])})
        to.case("contains_page_break", path, {})
        to.case("check_tabstops", path, dice.choice([same, path]), word_number_split_by_tabstop=dice.choice([1, 3, 4]), index=dice.choice([0, 0, 1]))
    roman = changed(parts, [(BODY, "<w:r><w:t", '<w:r><w:rPr><w:rFonts w:ascii="Times New Roman"/></w:rPr><w:t')])
    write(to.path("w/all_roman.docx"), roman)
    to.case("compare_font_names", "@file:w/all_roman.docx", {"font_name": "Times New Roman"})
    trains(to, png)
    colored(to, png)
    open_documents(to, dice)
