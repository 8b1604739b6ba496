"""Presentations for the OSWorld metrics (see `scripts/diff osworld`)."""

import itertools

from osworld_packages import broken, changed, relations, types, write

HEAD = ('xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/'
        'presentationml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"')
TREE = '<p:nvGrpSpPr><p:cNvPr id="1" name=""/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr/>'


def place(x, y, width, height, space="a"):
    return f'<{space}:xfrm><a:off x="{x}" y="{y}"/><a:ext cx="{width}" cy="{height}"/></{space}:xfrm>'


def shape(number, name, holder, frame, paragraphs, box=""):
    return (f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name}"/><p:cNvSpPr{box}/><p:nvPr>{holder}</p:nvPr></p:nvSpPr>'
            f'<p:spPr>{frame}</p:spPr><p:txBody><a:bodyPr/>{paragraphs}</p:txBody></p:sp>')


def words(text, properties="", run=""):
    return f'<a:p>{properties}<a:r><a:rPr lang="en"{run}/><a:t>{text}</a:t></a:r></a:p>'


def part(kind, shapes, before="", after=""):
    return f'<p:{kind} {HEAD}><p:cSld>{before}<p:spTree>{TREE}{shapes}</p:spTree></p:cSld>{after}</p:{kind}>'


CELLS = "".join('<a:tr h="300000">' + "".join(f'<a:tc><a:txBody><a:bodyPr/>{words(f"c{row}{column}")}</a:txBody><a:tcPr/></a:tc>'
                                            for column in range(2)) + "</a:tr>" for row in range(2))
TABLE = ('<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="3" name="table"/><p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr>'
         + place(900000, 1800000, 5000000, 600000, "p") + '<a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/'
         'drawingml/2006/table"><a:tbl><a:tblPr/><a:tblGrid><a:gridCol w="2500000"/><a:gridCol w="2500000"/></a:tblGrid>'
         + CELLS + "</a:tbl></a:graphicData></a:graphic></p:graphicFrame>")
PICTURE = ('<p:pic><p:nvPicPr><p:cNvPr id="5" name="pic"/><p:cNvPicPr/><p:nvPr/></p:nvPicPr><p:blipFill><a:blip r:embed="rId2"/>'
           '<a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>' + place(6000000, 4000000, 900000, 600000)
           + '<a:prstGeom prst="rect"/></p:spPr></p:pic>')
GROUP = ('<p:grpSp><p:nvGrpSpPr><p:cNvPr id="6" name="group"/><p:cNvGrpSpPr/><p:nvPr/></p:nvGrpSpPr><p:grpSpPr><a:xfrm>'
         '<a:off x="1" y="2"/><a:ext cx="30" cy="40"/><a:chOff x="1" y="2"/><a:chExt cx="30" cy="40"/></a:xfrm></p:grpSpPr>'
         + shape(7, "inner", "", place(5, 6, 7, 8) + '<a:prstGeom prst="rect"/>', words("inside")) + "</p:grpSp>")
LINE = ('<p:cxnSp><p:nvCxnSpPr><p:cNvPr id="8" name="line"/><p:cNvCxnSpPr/><p:nvPr/></p:nvCxnSpPr><p:spPr>'
        + place(10, 20, 30, 0) + '<a:prstGeom prst="line"/></p:spPr></p:cxnSp>')
BOX = shape(4, "box", "", place(900000, 4000000, 3000000, 600000) + '<a:prstGeom prst="rect"/>', words("box"), ' txBox="1"')
TITLE = '<p:ph type="title"/>'


def plain(png):
    """The parts of the plain presentation: three slides, one with notes."""
    number = '<p:ph type="sldNum" sz="quarter" idx="4"/>'
    master = (shape(2, "t", TITLE, place(500000, 300000, 8000000, 1000000), words("Title"))
              + shape(3, "b", '<p:ph type="body" idx="1"/>', place(500000, 1600000, 8000000, 4000000), words("Body"))
              + shape(4, "n", number, place(6000000, 6300000, 2000000, 300000),
                      '<a:p><a:pPr><a:defRPr/></a:pPr><a:fld type="slidenum" id="{0}"><a:rPr lang="en"/><a:t>&lt;number&gt;</a:t></a:fld></a:p>'))
    layout = (shape(2, "t", TITLE, "", words("")) + shape(3, "b", '<p:ph idx="1"/>', "", words(""))
              + shape(4, "n", number, "", words("")))
    first = (shape(2, "title", TITLE, "", words("Harbour"))
             + shape(3, "body", '<p:ph idx="1"/>', "", words("One") + words("Two", '<a:pPr lvl="1"/>')))
    second = shape(2, "title", TITLE, "", words("Table")) + TABLE + BOX + PICTURE + GROUP + LINE
    third = shape(2, "title", TITLE, "", words("Third")) + TABLE + BOX + shape(9, "number", number, "", words("3"))
    note = part("notes", shape(2, "note", '<p:ph type="body" idx="1"/>', "", words("note")))
    names = [f"ppt/slides/slide{n}.xml" for n in (1, 2, 3)]
    kinds = [("ppt/presentation.xml", "presentationml.presentation.main"),
             ("ppt/slideMasters/slideMaster1.xml", "presentationml.slideMaster"),
             ("ppt/slideLayouts/slideLayout1.xml", "presentationml.slideLayout"),
             ("ppt/notesSlides/notesSlide1.xml", "presentationml.notesSlide"),
             *((name, "presentationml.slide") for name in names)]
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n + 1}"/>' for n in (1, 2, 3))
    to_layout = ("slideLayout", "../slideLayouts/slideLayout1.xml")
    return {
        "[Content_Types].xml": types(kinds), "_rels/.rels": relations(("officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f'<p:presentation {HEAD}><p:sldMasterIdLst><p:sldMasterId id="2147483648" r:id="rId1"/>'
                                f'</p:sldMasterIdLst><p:sldIdLst>{ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>'
                                '<p:notesSz cx="6858000" cy="9144000"/></p:presentation>',
        "ppt/_rels/presentation.xml.rels": relations(("slideMaster", "slideMasters/slideMaster1.xml"),
                                                     *(("slide", name[4:]) for name in names)),
        "ppt/slideMasters/slideMaster1.xml": part("sldMaster", master, after='<p:clrMap bg1="lt1"/><p:sldLayoutIdLst>'
                                                  '<p:sldLayoutId id="2147483649" r:id="rId1"/></p:sldLayoutIdLst>'),
        "ppt/slideMasters/_rels/slideMaster1.xml.rels": relations(to_layout),
        "ppt/slideLayouts/slideLayout1.xml": part("sldLayout", layout),
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": relations(("slideMaster", "../slideMasters/slideMaster1.xml")),
        names[0]: part("sld", first), names[1]: part("sld", second), names[2]: part("sld", third),
        "ppt/slides/_rels/slide1.xml.rels": relations(to_layout),
        "ppt/slides/_rels/slide2.xml.rels": relations(to_layout, ("image", "../media/image1.png"),
                                                      ("notesSlide", "../notesSlides/notesSlide1.xml")),
        "ppt/slides/_rels/slide3.xml.rels": relations(to_layout),
        "ppt/notesSlides/notesSlide1.xml": note,
        "ppt/notesSlides/_rels/notesSlide1.xml.rels": relations(("slide", "../slides/slide2.xml")),
        "ppt/media/image1.png": png,
    }


ONE, TWO, THREE = (f"ppt/slides/slide{n}.xml" for n in (1, 2, 3))
MASTER, LAYOUT = "ppt/slideMasters/slideMaster1.xml", "ppt/slideLayouts/slideLayout1.xml"
FIRST = '<a:rPr lang="en"/><a:t>One<'


def runs(inner="", attributes=""):
    """The first run of the body with other properties."""
    return [(ONE, FIRST, f'<a:rPr lang="en"{attributes}>{inner}</a:rPr><a:t>One<')]


def fill(color):
    return f'<a:solidFill><a:srgbClr val="{color}"/></a:solidFill>'


def properties(text):
    return [(ONE, "<a:p><a:r>" + FIRST, f"<a:p><a:pPr{text}<a:r>" + FIRST)]


def behind(slide, inner):
    return [(slide, "<p:cSld><p:spTree>", f"<p:cSld><p:bg><p:bgPr>{inner}<a:effectLst/></p:bgPr></p:bg><p:spTree>")]


def at(old, new, slide=TWO):
    return [(slide, old, new)]


RUNS = {
    "bold": ("", ' b="1"'), "not_bold": ("", ' b="0"'), "bold_true": ("", ' b="true"'), "bold_odd": ("", ' b="on"'),
    "italic": ("", ' i="1"'), "not_italic": ("", ' i="0"'), "size": ("", ' sz="3100"'), "size_odd": ("", ' sz="1850"'),
    "underline": ("", ' u="sng"'), "no_underline": ("", ' u="none"'), "double": ("", ' u="dbl"'), "u_odd": ("", ' u="other"'),
    "struck": ("", ' strike="sngStrike"'), "no_strike": ("", ' strike="noStrike"'), "struck_twice": ("", ' strike="dblStrike"'),
    "red": (fill("FF0000"), ""), "red_small": (fill("ff0000"), ""), "blue": (fill("0000FF"), ""),
    "theme": ('<a:solidFill><a:schemeClr val="accent1"/></a:solidFill>', ""), "no_fill": ("<a:noFill/>", ""),
    "other_theme": ('<a:solidFill><a:schemeClr val="tx1"/></a:solidFill>', ""), "empty_fill": ("<a:solidFill/>", ""),
    "preset": ('<a:solidFill><a:prstClr val="red"/></a:solidFill>', ""), "system": ('<a:solidFill><a:sysClr val="window"/></a:solidFill>', ""),
    "gradient": ("<a:gradFill/>", ""), "shaded": (fill("FF0000").replace("/></", '><a:lumMod val="50000"/></a:srgbClr></'), ""),
    "serif": ('<a:latin typeface="Serif"/>', ""), "no_face": ('<a:latin typeface=""/>', ""), "language": ("", ' dirty="0"'),
}
PARAGRAPHS = {
    "left": ' algn="l"/>', "centre": ' algn="ctr"/>', "right": ' algn="r"/>', "just": ' algn="just"/>', "algn_odd": ' algn="x"/>',
    "level1": ' lvl="1"/>', "level2": ' lvl="2"/>', "level0": ' lvl="0"/>', "indented": ' marL="100" indent="-50"/>',
    "bullet": '><a:buChar char="-"/></a:pPr>', "star": '><a:buChar char="*"/></a:pPr>', "dot": '><a:buChar char="\u2022"/></a:pPr>',
    "bullet1": ' lvl="1"><a:buChar char="-"/></a:pPr>', "no_bullet": "><a:buNone/></a:pPr>", "spaced": "><a:lnSpc><a:spcPct val=\"90000\"/></a:lnSpc></a:pPr>",
    "numbered": '><a:buAutoNum type="arabicPeriod"/></a:pPr>', "bullet2": ' lvl="2"><a:buChar char="-"/></a:pPr>',
    "coloured": '><a:buClr><a:srgbClr val="FF0000"/></a:buClr><a:buChar char="-"/></a:pPr>',
    "bullet_face": '><a:buFont typeface="X"/><a:buChar char="\u2013"/></a:pPr>',
}
CHANGES = {
    "same": [], **{name: runs(*one) for name, one in RUNS.items()}, **{name: properties(one) for name, one in PARAGRAPHS.items()},
    "text": at(">One<", ">Uno<", ONE), "text_blank": at(">One<", "> One <", ONE), "text_none": at(">One<", "><", ONE),
    "wide_blank": at(">One<", ">One\u00a0<", ONE), "entity": at(">One<", ">&lt;1&gt; &#233;<", ONE),
    "field": at("<a:r>" + FIRST, '<a:fld id="{1}" type="slidenum"><a:rPr/><a:t>One<', ONE)[:0] + at(
        "</a:r></a:p>" + words("Two", '<a:pPr lvl="1"/>'), '</a:r><a:fld id="{1}" type="x"><a:t>9</a:t></a:fld></a:p>'
        + words("Two", '<a:pPr lvl="1"/>'), ONE),
    "break": at("<a:r>" + FIRST, "<a:br/><a:r>" + FIRST, ONE), "two_runs": at(
        ">One</a:t></a:r>", ">O</a:t></a:r><a:r><a:t>ne</a:t></a:r>", ONE),
    "blank_run": at(">One</a:t></a:r>", ">One</a:t></a:r><a:r><a:t> </a:t></a:r>", ONE),
    "bare_run": at(">One</a:t></a:r>", ">One</a:t></a:r><a:r/>", ONE), "no_text": at(words("One"), "<a:p/>", ONE),
    "end": at(">One</a:t></a:r>", '>One</a:t></a:r><a:endParaRPr b="1"/>', ONE),
    "more_paragraphs": at("</a:t></a:r></a:p></p:txBody></p:sp></p:spTree>",
                          "</a:t></a:r></a:p><a:p/></p:txBody></p:sp></p:spTree>", ONE),
    "tab": at(">One<", ">On\te<", ONE), "level_gone": at('<a:pPr lvl="1"/>', "", ONE), "level_far": at('lvl="1"', 'lvl="4"', ONE),
    "notes": [("ppt/notesSlides/notesSlide1.xml", ">note<", ">other<")],
    "notes_blank": [("ppt/notesSlides/notesSlide1.xml", ">note<", "> note\u00a0<")],
    "notes_empty": [("ppt/notesSlides/notesSlide1.xml", words("note"), "<a:p/>")],
    "notes_two": [("ppt/notesSlides/notesSlide1.xml", words("note"), words("note") + words("x"))],
    "notes_no_holder": [("ppt/notesSlides/notesSlide1.xml", '<p:ph type="body" idx="1"/>', "")],
    "notes_gone": [("ppt/slides/_rels/slide2.xml.rels", "notesSlide\"", "other\"")],
    "background": behind(ONE, fill("0A781E")), "background_small": behind(ONE, fill("0a781e")),
    "background_none": behind(ONE, "<a:noFill/>"), "background_theme": behind(ONE, '<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'),
    "background_gradient": behind(ONE, "<a:gradFill/>"), "background_picture": behind(ONE, '<a:blipFill><a:blip r:embed="rId1"/></a:blipFill>'),
    "background_group": behind(ONE, "<a:grpFill/>"), "background_pattern": behind(ONE, '<a:pattFill prst="pct5"/>'),
    "background_ref": at("<p:cSld>", '<p:cSld><p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>', ONE),
    "background_empty": behind(ONE, ""), "background_all": [*behind(ONE, fill("0A781E")), *behind(TWO, fill("0A781E")), *behind(THREE, fill("0A781F"))],
    "master_behind": behind(MASTER, fill("0A781E")), "master_behind_none": [*behind(MASTER, fill("0A781E")), *behind(ONE, "<a:noFill/>")],
    "master_behind_group": [*behind(MASTER, fill("0A781E")), *behind(ONE, "<a:grpFill/>")], "master_gradient": behind(MASTER, "<a:gradFill/>"),
    "master_theme": [*behind(MASTER, '<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'), *behind(ONE, "<a:noFill/>")],
    "slide_gone": [("ppt/presentation.xml", '<p:sldId id="259" r:id="rId4"/>', "")],
    "slides_turned": [("ppt/presentation.xml", '<p:sldId id="257" r:id="rId2"/><p:sldId id="258" r:id="rId3"/>',
                       '<p:sldId id="258" r:id="rId3"/><p:sldId id="257" r:id="rId2"/>')],
    "no_slides": [("ppt/presentation.xml", '<p:sldId id="257" r:id="rId2"/><p:sldId id="258" r:id="rId3"/><p:sldId id="259" r:id="rId4"/>', "")],
    "tall": [("ppt/presentation.xml", 'cx="9144000" cy="6858000"', 'cx="6858000" cy="9144000"')],
    "square": [("ppt/presentation.xml", 'cx="9144000" cy="6858000"', 'cx="6858000" cy="6858000"')],
    "no_size": [("ppt/presentation.xml", '<p:sldSz cx="9144000" cy="6858000"/>', "")],
    "cell": at("c00", "x"), "cell_bold": at('<a:rPr lang="en"/><a:t>c01', '<a:rPr lang="en" b="1"/><a:t>c01'),
    "cell_red": at('<a:rPr lang="en"/><a:t>c01', f'<a:rPr lang="en">{fill("FF0000")}</a:rPr><a:t>c01'),
    "cell_size": at('<a:rPr lang="en"/><a:t>c01', '<a:rPr lang="en" sz="900"/><a:t>c01'),
    "cell_runs": at("c01</a:t></a:r>", "c01</a:t></a:r><a:r><a:t>y</a:t></a:r>"), "cell_centre": at(words("c11"), words("c11", '<a:pPr algn="ctr"/>')),
    "cell_empty": at(words("c10"), "<a:p/>"), "cell_bare": at(f"<a:tc><a:txBody><a:bodyPr/>{words('c10')}</a:txBody><a:tcPr/></a:tc>", "<a:tc/>"),
    "cell_merged": at('<a:tr h="300000"><a:tc>', '<a:tr h="300000"><a:tc gridSpan="2">'), "row_gone": at(
        CELLS[CELLS.index("<a:tr", 5):], ""), "column_gone": at('<a:gridCol w="2500000"/></a:tblGrid>', "</a:tblGrid>"),
    "row_short": at(f"<a:tc><a:txBody><a:bodyPr/>{words('c11')}</a:txBody><a:tcPr/></a:tc>", ""),
    "table_down": at('x="900000" y="1800000"', 'x="900000" y="3800000"'), "table_third": at('y="1800000"', 'y="3800000"', THREE),
    "table_third_near": at('y="1800000"', 'y="1805000"', THREE), "box_moved": at('x="900000" y="4000000"', 'x="1400000" y="4000000"'),
    "box_near": at('x="900000" y="4000000"', 'x="903000" y="4000000"'), "box_nought": at('x="900000" y="4000000"', 'x="0" y="4000000"'),
    "box_negative": at('x="900000" y="4000000"', 'x="-900000" y="4000000"'), "box_empty": at(words("box"), "<a:p/>"),
    "box_empty_moved": at(BOX, BOX.replace(words("box"), "<a:p/>").replace("4000000", "4400000")),
    "box_no_body": at(BOX, BOX[:BOX.index("<p:txBody>")] + "</p:sp>"), "box_no_frame": at(place(900000, 4000000, 3000000, 600000), ""),
    "box_shape": at(' txBox="1"', ""), "box_free": at('<a:prstGeom prst="rect"/></p:spPr><p:txBody><a:bodyPr/>' + words("box"),
                                                     '<a:custGeom/></p:spPr><p:txBody><a:bodyPr/>' + words("box")),
    "box_no_kind": at(BOX, BOX.replace(' txBox="1"', "").replace('<a:prstGeom prst="rect"/>', "")),
    "box_tall": at('cx="3000000" cy="600000"', 'cx="3000000" cy="900000"'), "box_gone": at(BOX, ""), "box_last": at(BOX + PICTURE, PICTURE + BOX),
    "picture_moved": at('x="6000000"', 'x="5000000"'), "picture_right": at('x="6000000"', 'x="7000000"'), "picture_up": at('x="6000000" y="4000000"', 'x="6000000" y="900000"'),
    "picture_wide": at('cx="900000" cy="600000"', 'cx="1200000" cy="600000"'), "picture_other": [("ppt/media/image1.png", None, b"\x89PNG other")],
    "picture_place": at('<p:cNvPicPr/><p:nvPr/>', '<p:cNvPicPr/><p:nvPr><p:ph type="pic" idx="1"/></p:nvPr>'),
    "video": at("<p:cNvPicPr/><p:nvPr/>", '<p:cNvPicPr/><p:nvPr><a:videoFile r:link="rId2"/></p:nvPr>'), "picture_gone": at(PICTURE, ""),
    "group_text": at(">inside<", ">outside<"), "group_centre": at(words("inside"), words("inside", '<a:pPr algn="ctr"/>')),
    "group_moved": at('<a:off x="1" y="2"/>', '<a:off x="100" y="2"/>'), "group_inner_moved": at('<a:off x="5" y="6"/>', '<a:off x="50" y="6"/>'),
    "group_open": at(GROUP, GROUP[GROUP.index("<p:sp>"):-len("</p:grpSp>")]), "line_moved": at('<a:off x="10" y="20"/>', '<a:off x="11" y="20"/>'),
    "line_gone": at(LINE, ""), "title_own": at('<p:spPr></p:spPr><p:txBody><a:bodyPr/>' + words("Table"),
                                             f'<p:spPr>{place(500000, 4000000, 8000000, 1000000)}</p:spPr><p:txBody><a:bodyPr/>' + words("Table")),
    "title_product": at(">Table<", ">Product Comparison<"), "title_product_down": at(
        '<p:spPr></p:spPr><p:txBody><a:bodyPr/>' + words("Table"),
        f'<p:spPr>{place(500000, 4000000, 8000000, 1000000)}</p:spPr><p:txBody><a:bodyPr/>' + words("Product Comparison")),
    "discuss": at(words("box"), words("Elaborate on what you want to discuss.")),
    "discuss_moved": at(BOX, BOX.replace(words("box"), words("Elaborate on what you want to discuss.")).replace("4000000", "4400000")),
    "body_moved": [(MASTER, 'y="1600000"', 'y="1700000"')], "layout_moved": [(LAYOUT, '<p:spPr></p:spPr>', f"<p:spPr>{place(7, 8, 9, 10)}</p:spPr>")],
    "holder_kind": at('<p:ph idx="1"/>', '<p:ph type="body" idx="1"/>', ONE), "holder_lost": at('<p:ph idx="1"/>', '<p:ph idx="7"/>', ONE),
    "holder_centre": at('type="title"', 'type="ctrTitle"', ONE), "holder_sub": at('<p:ph idx="1"/>', '<p:ph type="subTitle" idx="1"/>', ONE),
    "partial": at("<p:spPr></p:spPr>", '<p:spPr><a:xfrm><a:off x="1" y="1"/></a:xfrm></p:spPr>', ONE),
    "named": at('name="box"', 'name="other"'), "hidden": at("<p:sld ", '<p:sld show="0" ', TWO), "comment": at(FIRST, f"<!-- c -->{FIRST}", ONE),
    "transition": at("</p:cSld>", '</p:cSld><p:transition><p:dissolve/></p:transition>', ONE),
    "transition_other": at("</p:cSld>", '</p:cSld><p:transition><p:fade/></p:transition>', ONE),
    "transition_empty": at("</p:cSld>", "</p:cSld><p:transition/>", ONE), "number_text": at(">3<", ">x<", THREE), "number_arabic": at(">3<", ">\u0663<", THREE),
    "number_power": at(">3<", ">\u00b3<", THREE), "number_half": at(">3<", ">\u00bd<", THREE), "number_blank": at(">3<", ">3 <", THREE),
    "master_red": [(MASTER, "<a:defRPr/>", f'<a:defRPr>{fill("FF0000")}</a:defRPr>')],
    "master_blue": [(MASTER, "<a:defRPr/>", f'<a:defRPr>{fill("0000ff")}</a:defRPr>')],
    "master_scheme": [(MASTER, "<a:defRPr/>", '<a:defRPr><a:solidFill><a:schemeClr val="tx1"/></a:solidFill></a:defRPr>')],
    "master_unfilled": [(MASTER, "<a:defRPr/>", "<a:defRPr><a:noFill/></a:defRPr>")],
    "master_words": [(MASTER, "&lt;number&gt;", "#")], "master_box": [(MASTER, '<p:ph type="sldNum" sz="quarter" idx="4"/>', "")],
    "text_code": at(">One<", ">O_x000B_e<", ONE), "quote": at(">One<", '>"One" &amp; \'two\'<', ONE), "declared": [(ONE, "<p:sld ", '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<p:sld ')],
}
OPTIONS = [{}, {"examine_shape": False}, {"examine_run_count": False, "examine_shape": False}, {"examine_text": False, "examine_shape": False},
           {"examine_image_size": True, "examine_shape": False}, {"examine_alignment": False}, {"examine_indent": False, "examine_bullets": False},
           {"examine_table_bottom_position": True}, {"examine_title_bottom_position": True}, {"examine_right_position": True, "examine_shape": False},
           {"examine_top_position": True, "examine_shape": False}, {"examine_shape_for_shift_size": True}, {"approximately_tolerance": 0.2},
           {"examine_modify_height": True, "examine_shape": False}, {"enable_debug": False}, {"examine_strike_through": False},
           {"examine_number_of_slides": False, "examine_note": False, "examine_background_color": False},
           {"examine_font_bold": False, "examine_font_italic": False, "examine_font_size": False, "examine_font_name": False,
            "examine_color_rgb": False, "examine_font_underline": False}]


def numbers(to, parts):
    """Masters with other colours for the page number."""
    colors = ["FF0000", "#0000FF", "00ff00", "000000", "303030", "FFFFFF", "12345", "GG0000", "+10000", "\u06610000\u0661", ""]
    for nth, (first, last) in enumerate(itertools.product(colors, [None, *colors])):
        if nth % 2:
            continue
        fills = [f'<a:r><a:rPr lang="en">{fill(one)}</a:rPr><a:t>x</a:t></a:r>' for one in [first, last] if one is not None]
        changes = [(MASTER, "<a:fld ", "".join(fills) + "<a:fld ")]
        if nth % 3 == 0:
            changes.append((MASTER, 'idx="4"/>', f'idx="4"><a:ln>{fill(last or first)}</a:ln></p:ph>'))
        if nth % 5 == 0:
            changes.append((MASTER, '<a:defRPr/>', f'<a:defRPr>{fill("0000FF")}</a:defRPr>'))
        write(to.path(f"p/number{nth}.pptx"), changed(parts, changes))
        for color in ["red", "blue", "green", "black", "other"][nth % 2::2]:
            to.case("check_page_number_colors", f"@file:p/number{nth}.pptx", {"color": color})
    scheme = changed(parts, [(MASTER, "<a:defRPr/>", '<a:defRPr><a:solidFill><a:schemeClr val="tx1"/></a:solidFill></a:defRPr>')])
    write(to.path("p/number_scheme.pptx"), scheme)
    write(to.path("p/number_gone.pptx"), changed(parts, [(MASTER, None, None)]))
    for name in ["number_scheme", "number_gone", "same"]:
        to.case("check_page_number_colors", f"@file:p/{name}.pptx", {"color": "black"})


def stretched(to, parts):
    """First slides with the picture at many places."""
    frames = [(0, 0, 9144000, 6858000), (457200, 0, 9144000, 6858000), (457201, 0, 9144000, 6858000), (0, 0, 8686800, 6858000),
              (228600, 0, 8686800, 6858000), (0, -457201, 9144000, 6858000), (3, 3, 8686799, 6858000), (0, 0, 900000, 600000)]
    png = parts["ppt/media/image1.png"]
    for nth, frame in enumerate(frames):
        picture = PICTURE.replace(place(6000000, 4000000, 900000, 600000), place(*frame))
        one = [(ONE, "</p:spTree>", picture + "</p:spTree>"), ("ppt/slides/_rels/slide1.xml.rels", "</Relationships>",
               relations(("x", "x"), ("image", "../media/image1.png")).partition("/>")[2])]
        for kind, more in {"": [], "_other": [("ppt/media/image1.png", None, png + b"x")], "_twice": [
                (ONE, "</p:spTree>", PICTURE + "</p:spTree>")], "_bare": [(ONE, place(*frame), "")]}.items():
            write(to.path(f"p/wide{nth}{kind}.pptx"), changed(parts, one + more))
            to.case("check_image_stretch_and_center", f"@file:p/wide{nth}{kind}.pptx", "@file:p/wide7.pptx")
            to.case("check_image_stretch_and_center", f"@file:p/wide{nth}{kind}.pptx", "@file:p/same.pptx")


def make(to, dice, png):
    parts = plain(png)
    for name, changes in CHANGES.items():
        write(to.path(f"p/{name}.pptx"), changed(parts, changes))
    bad = broken(to, "p", "pptx", parts)
    same = "@file:p/same.pptx"
    for name in [*CHANGES, *bad]:
        path = f"@file:p/{name}.pptx"
        for options in [{}, *dice.sample(OPTIONS[1:], 3)]:
            to.case("compare_pptx_files", path, same, **options)
        if name not in bad:
            for options in dice.sample(OPTIONS, 2):
                to.case("compare_pptx_files", same, path, **options)
            to.case("compare_pptx_files", path, path, **dice.choice(OPTIONS))
            to.case("compare_pptx_files", path, f"@file:p/{dice.choice(sorted(CHANGES))}.pptx", **dice.choice(OPTIONS))
        to.case("check_slide_orientation_Portrait", path)
        to.case("check_slide_numbers_color", path)
        to.case("check_page_number_colors", path, {"color": "red"})
        to.case("check_strikethrough", path, {"slide_index_s": [0], "shape_index_s": [1], "paragraph_index_s": [0]})
        to.case("check_strikethrough", path, {"slide_index_s": dice.choice([[0], [-1], [1], [9], [], [0, 1]]),
                                              "shape_index_s": dice.choice([[0], [1], [-1], [3], [0, 1]]),
                                              "paragraph_index_s": dice.choice([[0], [1], [-1], [0, 1], []])})
        for rules in [{"rgb": [10, 120, 30], "original_rgb": [1, 2, 3]}, {"rgb": [255, 0, 0]},
                      {"rgb": [0, 0, 0], "original_rgb": [10, 120, 30]}]:
            to.case("evaluate_presentation_fill_to_rgb_distance", path, rules)
        to.case("check_transition", path, {"slide_idx": dice.choice([0, 0, 1, 7, -1]), "transition_type": "dissolve"})
    for kind in ["dissolve", "fade", "wipe"]:
        for name in ["transition", "transition_other", "transition_empty"]:
            to.case("check_transition", f"@file:p/{name}.pptx", {"slide_idx": 0, "transition_type": kind})
    to.case("compare_pptx_files", None, same)
    numbers(to, parts)
    stretched(to, parts)
