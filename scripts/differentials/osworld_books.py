"""Workbooks for the OSWorld metrics (see `scripts/diff osworld`)."""

import itertools

from osworld_packages import broken, changed, relations, types, write

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
HEAD = (f'xmlns="{MAIN}" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" '
        'xmlns:x14="http://schemas.microsoft.com/office/spreadsheetml/2009/9/main" xmlns:xm="http://schemas.microsoft.com/office/excel/2006/main"')
BOOK, SHEET, SECOND, STYLES = "xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", "xl/styles.xml"
STRINGS = "xl/sharedStrings.xml"
SHARED = ["Name", "Qty", "Price", "Date", "Pen", "Ink", "\u00dcn\u00ef ", "3"]


def cell(name, value="", kind="", style=0, formula=""):
    return (f'<c r="{name}"' + (f' s="{style}"' if style else "") + (f' t="{kind}"' if kind else "") + ">"
            + (f"<f>{formula}</f>" if formula else "") + (f"<v>{value}</v>" if value != "" else "") + "</c>")


ROWS = [[cell("A1", 0, "s"), cell("B1", 1, "s"), cell("C1", 2, "s"), cell("D1", 3, "s")],
        [cell("A2", 4, "s"), cell("B2", 3), cell("C2", 1.25), cell("D2", 45322, style=1)],
        [cell("A3", 5, "s"), cell("C3", 2.00004), cell("D3", 45351.5625, style=2)],
        [cell("A4", 6, "s"), cell("B4", 7), cell("C4", 7, "s")]]
DATA = "<sheetData>" + "".join(f'<row r="{at}">{"".join(row)}</row>' for at, row in enumerate(ROWS, 1)) + "</sheetData>"
VIEW = '<sheetViews><sheetView workbookViewId="0"/></sheetViews>'


def plain(data=DATA):
    return {
        "[Content_Types].xml": types([(BOOK, "spreadsheetml.sheet.main"), (SHEET, "spreadsheetml.worksheet"), (SECOND, "spreadsheetml.worksheet"),
                                      (STYLES, "spreadsheetml.styles"), (STRINGS, "spreadsheetml.sharedStrings")]),
        "_rels/.rels": relations(("officeDocument", BOOK)),
        BOOK: f'<workbook {HEAD}><workbookPr/><bookViews><workbookView/></bookViews><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/>'
              '<sheet name="Second" sheetId="2" r:id="rId2"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relations(("worksheet", "worksheets/sheet1.xml"), ("worksheet", "worksheets/sheet2.xml"),
                                                ("styles", "styles.xml"), ("sharedStrings", "sharedStrings.xml")),
        SHEET: f"<worksheet {HEAD}>{VIEW}{data}</worksheet>",
        SECOND: f'<worksheet {HEAD}><sheetData><row r="1">{cell("A1", 9)}</row></sheetData></worksheet>',
        STRINGS: f"<sst {HEAD}>" + "".join(f'<si><t xml:space="preserve">{one}</t></si>' for one in SHARED) + "</sst>",
        STYLES: f'<styleSheet {HEAD}><fonts count="3"><font><sz val="11"/><color rgb="FF000000"/><name val="Sans"/><family val="2"/></font>'
                '<font><b/><i/><u/><sz val="14"/><color rgb="FFFF0000"/><name val="Serif"/></font><font><b val="0"/><u val="double"/><sz val="11"/><color theme="1"/></font></fonts>'
                '<fills count="4"><fill><patternFill/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF00FF00"/>'
                '<bgColor indexed="64"/></patternFill></fill><fill><gradientFill degree="90"><stop position="0"><color rgb="FF0000FF"/></stop></gradientFill></fill></fills>'
                '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="8"><xf/><xf numFmtId="14"/><xf numFmtId="22"/>'
                '<xf fontId="1"/><xf fontId="2"/><xf fillId="2"/><xf fillId="3"/><xf numFmtId="2" fontId="1" fillId="2"/></cellXfs></styleSheet>',
    }


def put(name, new):
    """Another cell in place of one of the plain ones."""
    old = next(one for row in ROWS for one in row if f'"{name}"' in one)
    return [(SHEET, old, new)]


def view(inner="", attributes=""):
    return [(SHEET, VIEW, f'<sheetViews><sheetView{attributes} workbookViewId="0">{inner}</sheetView></sheetViews>')]


def after(text):
    return [(SHEET, "</sheetData>", "</sheetData>" + text)]


def before(text):
    return [(SHEET, "<sheetData>", text + "<sheetData>")]


def validation(attributes='type="list"', formula='"a,b"', place="B2:B9"):
    return f'<dataValidation {attributes} sqref="{place}"><formula1>{formula}</formula1></dataValidation>'


def validations(*all_of):
    return after(f'<dataValidations count="{len(all_of)}">{"".join(all_of)}</dataValidations>')


def filtered(inner="", place="A1:D4"):
    return after(f'<autoFilter ref="{place}">{inner}</autoFilter>')


def column(inner, number=0, more=""):
    return f'<filterColumn colId="{number}"{more}>{inner}</filterColumn>'


def sparklines(*pairs):
    lines = "".join(f"<x14:sparkline><xm:f>{f}</xm:f><xm:sqref>{at}</xm:sqref></x14:sparkline>" for f, at in pairs)
    return after('<extLst><ext uri="{05C60535-1F16-4fd2-B633-F4F36F0B64E0}"><x14:sparklineGroups><x14:sparklineGroup><x14:sparklines>'
                 f"{lines}</x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>")


DRAWING = ('xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
           'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"')


def title(text):
    return f"<c:title><c:tx><c:rich><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></c:rich></c:tx></c:title>" if text else ""


def series(values="Sheet1!$C$2:$C$3", names="Sheet1!$A$2:$A$3", kind="str"):
    cat = f"<c:cat><c:{kind}Ref><c:f>{names}</c:f></c:{kind}Ref></c:cat>" if names else ""
    return f'<c:ser><c:idx val="0"/><c:order val="0"/>{cat}<c:val><c:numRef><c:f>{values}</c:f></c:numRef></c:val></c:ser>'


def charted(kind="barChart", head="Prices", inner=None, direction="col", legend='<c:legend><c:legendPos val="r"/></c:legend>', x="", y="",
            anchor="twoCell", edit="", extent=(9, 20)):
    """A sheet with a chart."""
    barred = f'<c:barDir val="{direction}"/>' if kind == "barChart" else ""
    axes = "" if kind == "pieChart" else '<c:axId val="1"/><c:axId val="2"/>'
    first, second = ("valAx", "valAx") if kind == "scatterChart" else ("catAx", "valAx")

    def axis(name, own, other, words, side):
        return (f'<c:{name}><c:axId val="{own}"/><c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/><c:axPos val="{side}"/>{title(words)}'
                f'<c:crossAx val="{other}"/></c:{name}>')
    area = f"<c:{kind}>{barred}{series() if inner is None else inner}{axes}</c:{kind}>"
    if axes:
        area += axis(first, 1, 2, x, "b") + axis(second, 2, 1, y, "l")
    chart = f"<c:chartSpace {DRAWING}><c:chart>{title(head)}<c:plotArea>{area}</c:plotArea>{legend}</c:chart></c:chartSpace>"
    start = "<xdr:from><xdr:col>5</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>1</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:from>"
    end = f"<xdr:to><xdr:col>{extent[0]}</xdr:col><xdr:colOff>0</xdr:colOff><xdr:row>{extent[1]}</xdr:row><xdr:rowOff>0</xdr:rowOff></xdr:to>"
    frame = ('<xdr:graphicFrame><xdr:nvGraphicFramePr><xdr:cNvPr id="2" name="c"/><xdr:cNvGraphicFramePr/></xdr:nvGraphicFramePr><xdr:xfrm><a:off x="0" y="0"/>'
             '<a:ext cx="0" cy="0"/></xdr:xfrm><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart r:id="rId1"/>'
             "</a:graphicData></a:graphic></xdr:graphicFrame><xdr:clientData/>")
    places = {"twoCell": start + end, "oneCell": start + '<xdr:ext cx="5000000" cy="2700000"/>', "absolute": '<xdr:pos x="0" y="0"/><xdr:ext cx="1" cy="2"/>'}
    drawing = f"<xdr:wsDr {DRAWING}><xdr:{anchor}Anchor{edit}>{places[anchor]}{frame}</xdr:{anchor}Anchor></xdr:wsDr>"
    return [*after('<drawing r:id="rId1"/>'), ("xl/worksheets/_rels/sheet1.xml.rels", None, relations(("drawing", "../drawings/drawing1.xml"))),
            ("xl/drawings/drawing1.xml", None, drawing), ("xl/drawings/_rels/drawing1.xml.rels", None, relations(("chart", "../charts/chart1.xml"))),
            ("xl/charts/chart1.xml", None, chart), ("[Content_Types].xml", "</Types>", types([("xl/drawings/drawing1.xml", "drawing"), (
                "xl/charts/chart1.xml", "drawingml.chart")]).split('"application/xml"/>')[1].split('"image/png"/>')[1])]


VALUES = {
    "same": [], "number": put("B2", cell("B2", 4)), "float": put("B2", cell("B2", "3.0")), "exponent": put("B2", cell("B2", "3E0")), "text": put("B2", cell("B2", 7, "s")),
    "near": put("C3", cell("C3", 2.00001)), "far": put("C3", cell("C3", 2.0002)), "half": put("C3", cell("C3", 2.00005)), "half_even": put("C3", cell("C3", 2.00015)),
    "long": put("C3", cell("C3", "2.0000400000000001")), "case": put("A2", cell("A2", "pen", "str")), "blank": put("A4", cell("A4", "\u00dcn\u00ef", "str")),
    "inline": put("A2", '<c r="A2" t="inlineStr"><is><t>Pen</t></is></c>'), "inline_runs": put("A2", '<c r="A2" t="inlineStr"><is><r><t>P</t></r><r><t>en</t></r></is></c>'),
    "inline_space": put("A2", '<c r="A2" t="inlineStr"><is><t xml:space="preserve">Pen</t></is></c>'), "inline_empty": put("A2", '<c r="A2" t="inlineStr"><is><t/></is></c>'),
    "inline_bare": put("A2", '<c r="A2" t="inlineStr"/>'), "inline_blank": put("A2", '<c r="A2" t="inlineStr"><is><t> Pen </t></is></c>'),
    "inline_two": put("A2", '<c r="A2" t="inlineStr"><is><t>P</t><t>en</t></is></c>'), "inline_coded": put("A2", '<c r="A2" t="inlineStr"><is><t xml:lang="en">Pen</t></is></c>'),
    "formula": put("B2", cell("B2", 3, formula="1+2")), "formula_other": put("B2", cell("B2", 4, formula="1+2")), "formula_none": put("B2", cell("B2", formula="1+2")),
    "formula_text": put("B2", cell("B2", "3", "str", formula='"3"')), "formula_shared": put("B2", '<c r="B2"><f t="shared" ref="B2:B3" si="0">1+2</f><v>3</v></c>'),
    "formula_array": put("B2", '<c r="B2"><f t="array" ref="B2">1+2</f><v>3</v></c>'), "truth": put("B2", cell("B2", 1, "b")), "untruth": put("B4", cell("B4", 0, "b")),
    "error": put("B2", cell("B2", "#N/A", "e")), "div": put("B2", cell("B2", "#DIV/0!", "e")), "iso": put("D2", cell("D2", "2024-01-31", "d")), "iso_time": put("D3", cell("D3", "2024-02-29T13:30:00", "d")),
    "nan": put("A2", cell("A2", "NaN", "str")), "na": put("A2", cell("A2", "NA", "str")), "null": put("A2", cell("A2", "null", "str")), "none_text": put("A2", cell("A2", "None", "str")),
    "empty_text": put("A2", cell("A2", "", "str")), "number_text": put("A2", cell("A2", "12", "str")), "gone": put("A3", ""), "styled_gone": put("A3", cell("A3", style=3)),
    "more": [(SHEET, "</sheetData>", f'<row r="5">{cell("A5", "x", "str")}</row></sheetData>')], "more_empty": [(SHEET, "</sheetData>", f'<row r="5">{cell("A5", style=3)}</row></sheetData>')],
    "wide": put("D1", cell("D1", 3, "s") + cell("E1", "x", "str")), "wide_empty": put("D1", cell("D1", 3, "s") + cell("E1", style=3)), "gap": [(SHEET, '<row r="4">', '<row r="6">')][:0] + [
        (SHEET, "</sheetData>", f'<row r="7">{cell("B7", 1)}</row></sheetData>')],
    "header": put("A1", cell("A1", "Name ", "str")), "header_twice": put("B1", cell("B1", 0, "s")), "header_gone": put("B1", ""), "header_number": put("B1", cell("B1", 5)), "header_float": put("B1", cell("B1", 5.5)),
    "header_truth": put("B1", cell("B1", 1, "b")), "header_date": put("B1", cell("B1", 45322, style=1)), "date": put("D2", cell("D2", 45323, style=1)), "date_plain": put("D2", cell("D2", 45322)),
    "date_near": put("D3", cell("D3", 45351.5625001, style=2)), "date_time": put("D3", cell("D3", 0.5, style=2)), "date_zero": put("D2", cell("D2", 0, style=1)), "date_leap": put("D2", cell("D2", 60, style=1)), "date_old": put("D2", cell("D2", -5, style=1)),
    "date_1904": [(BOOK, "<workbookPr/>", '<workbookPr date1904="1"/>')], "large": put("B2", cell("B2", 12345678901234567890)), "integer": put("B2", cell("B2", "9007199254740993")), "tiny": put("C2", cell("C2", "1e-7")),
    "rich": [(STRINGS, '<si><t xml:space="preserve">Pen</t></si>', "<si><r><t>P</t></r><r><rPr><b/></rPr><t>en</t></r></si>")], "phonetic": [(STRINGS, 'Pen</t></si>', "Pen</t><rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></si>")],
    "escaped": [(STRINGS, ">Pen<", ">P_x000D_en<")], "lines": [(STRINGS, ">Pen<", ">P\nen<")], "returns": [(STRINGS, ">Pen<", ">P&#13;en<")], "empty_string": [(STRINGS, '<t xml:space="preserve">Pen</t>', "<t/>")], "bare_string": [(STRINGS, '<t xml:space="preserve">Pen</t>', "")],
    "trimmed": [(STRINGS, '<t xml:space="preserve">Pen</t>', "<t> Pen</t>")], "strings_gone": [(STRINGS, None, None), ("xl/_rels/workbook.xml.rels", "/sharedStrings\"", "/other\"")], "like": put("A2", cell("A2", "Pens", "str")),
    "emoji": put("A2", cell("A2", "P\U0001f600n", "str")), "row_height": [(SHEET, '<row r="2">', '<row r="2" ht="30" customHeight="1">')], "row_hidden": [(SHEET, '<row r="2">', '<row r="2" hidden="1">')],
    "row_collapsed": [(SHEET, '<row r="2">', '<row r="2" collapsed="1" outlineLevel="1">')], "row_spans": [(SHEET, '<row r="2">', '<row r="2" spans="1:4">')], "row_styled": [(SHEET, '<row r="2">', '<row r="2" s="3" customFormat="1">')],
    "row_unnumbered": [(SHEET, '<row r="2">', "<row>")], "cell_unnumbered": put("B2", "<c><v>3</v></c>"), "row_empty": [(SHEET, "</sheetData>", '<row r="9"/></sheetData>')], "row_empty_hidden": [(SHEET, "</sheetData>", '<row r="9" hidden="1"/></sheetData>')],
    **{f"cols_{n}": before(f"<cols>{one}</cols>") for n, one in enumerate([
        '<col min="2" max="2" width="30" customWidth="1"/>', '<col min="2" max="4" width="30" customWidth="1"/>', '<col min="2" max="2" hidden="1" width="9"/>', '<col min="1" max="1024" width="11.5"/>',
        '<col min="2" max="2" width="30"/><col min="3" max="3" width="30"/>', '<col min="2" max="2" collapsed="1" outlineLevel="1"/>', '<col min="2" max="2" bestFit="1" width="13"/>', '<col min="2" max="2" style="3"/>'])},
    "merged": after('<mergeCells count="1"><mergeCell ref="A3:B3"/></mergeCells>'), "merged_more": after('<mergeCells count="1"><mergeCell ref="A2:B3"/></mergeCells>'), "merged_out": after('<mergeCells><mergeCell ref="F8:G9"/></mergeCells>'),
    "linked": after('<hyperlinks><hyperlink ref="A2" location="Sheet1!A1" display="x"/></hyperlinks>'), "linked_other": after('<hyperlinks><hyperlink ref="A2" location="Sheet1!A2"/></hyperlinks>'),
    "renamed": [(BOOK, 'name="Sheet1"', 'name="Other"')], "turned": [(BOOK, '<sheet name="Sheet1" sheetId="1" r:id="rId1"/><sheet name="Second" sheetId="2" r:id="rId2"/>',
                                                                     '<sheet name="Second" sheetId="2" r:id="rId2"/><sheet name="Sheet1" sheetId="1" r:id="rId1"/>')],
    "one_sheet": [(BOOK, '<sheet name="Second" sheetId="2" r:id="rId2"/>', "")], "sheet_hidden": [(BOOK, 'name="Second"', 'name="Second" state="hidden"')], "sheet_id": [(BOOK, 'sheetId="1"', 'sheetId="7"')],
    "sheet_turned_ids": [(BOOK, 'sheetId="1"', 'sheetId="3"'), (BOOK, 'sheetId="2"', 'sheetId="1"')], "no_cells": [(SHEET, DATA, "<sheetData/>")], "only_header": [(SHEET, DATA, f'<sheetData><row r="1">{"".join(ROWS[0])}</row></sheetData>')],
    "dimension": [(SHEET, VIEW, f'<dimension ref="A1:B2"/>{VIEW}')], "prefixed": [(SHEET, None, None), (SHEET, None, f'<m:worksheet xmlns:m="{MAIN}"><m:sheetData><m:row r="1"><m:c r="A1"><m:v>9</m:v></m:c></m:row></m:sheetData></m:worksheet>')],
    "zoom": view(attributes=' zoomScale="150"'), "zoom_normal": view(attributes=' zoomScaleNormal="150"'), "zoom_100": view(attributes=' zoomScale="100"'), "zoom_0": view(attributes=' zoomScale="0"'), "no_view": [(SHEET, VIEW, "")],
    **{f"pane_{n}": view(f"<pane {one}/>") for n, one in enumerate([
        'xSplit="1" ySplit="1" topLeftCell="B2" activePane="bottomRight" state="frozen"', 'ySplit="1" topLeftCell="A2" state="frozen"', 'xSplit="1" ySplit="1" topLeftCell="D9" state="frozen"', 'xSplit="1" ySplit="1" topLeftCell="B2" state="split"',
        'xSplit="1200" topLeftCell="B2" state="split"', 'xSplit="1" topLeftCell="B1" state="frozenSplit"', 'xSplit="1" topLeftCell="B1" state="frozen"', 'xSplit="1200" topLeftCell="C2"', "", 'ySplit="1" state="frozen"', 'xSplit="1.5" state="frozen"', 'xSplit="1" state="odd"'])},
    **{f"valid_{n}": validations(*one) for n, one in enumerate([
        [validation()], [validation(formula='"a,c"')], [validation(), validation(place="C2")], [validation('type="list" allowBlank="1"')], [validation('type="whole" operator="greaterThan"', "3")], [validation(place="B2:B5 B6:B9")],
        [validation('type="list" showDropDown="1" error="no" errorTitle="t" promptTitle="p"')], [validation("")], [], [validation(formula="$A$2:$A$4")], [validation(place="B2:B4")], [validation(formula='" a, b "')]])},
    **{f"filter_{n}": filtered(one) for n, one in enumerate([
        "", column('<filters><filter val="Pen"/></filters>'), column('<filters><filter val="Pen"/><filter val="Ink"/></filters>'), column('<filters><filter val="Ink"/><filter val="Pen"/></filters>'), column('<filters blank="1"/>'),
        column('<customFilters and="1"><customFilter operator="greaterThan" val="2"/></customFilters>', 1), column('<customFilters><customFilter operator="greaterThan" val="2"/><customFilter val="1"/></customFilters>', 1),
        column("", 1, ' hiddenButton="1"'), column('<top10 val="3"/>', 1), column('<filters><filter val="Pen"/></filters>') + column('<filters><filter val="3"/></filters>', 1),
        '<sortState ref="A2:D4"><sortCondition ref="B2:B4"/></sortState>', column('<filters><filter val="Pen"/></filters>', 0, ' showButton="0"')])},
    "filter_place": filtered("", "A1:C4"), **{f"spark_{n}": sparklines(*one) for n, one in enumerate([[("Sheet1!B2:C2", "E2")], [("Sheet1!B2:C2", "E2"), ("Sheet1!B3:C3", "E3")], [("Sheet1!B3:C3", "E3"), ("Sheet1!B2:C2", "E2")], [("Sheet1!B2:D2", "E2")], []])},
    **{f"chart_{n}": charted(**one) for n, one in enumerate([
        {}, {"head": "Other"}, {"head": None}, {"kind": "lineChart"}, {"direction": "bar"}, {"kind": "pieChart"}, {"kind": "scatterChart", "inner": ""}, {"legend": ""}, {"legend": '<c:legend><c:legendPos val="b"/></c:legend>'}, {"legend": "<c:legend/>"},
        {"x": "Things", "y": "Money"}, {"x": "Things"}, {"inner": series(names=None)}, {"inner": series(kind="num")}, {"inner": series() * 2}, {"inner": series("Sheet1!$B$2:$B$4")}, {"edit": ' editAs="oneCell"'}, {"extent": (12, 20)},
        {"extent": (9, 30)}, {"anchor": "oneCell"}, {"anchor": "absolute"}, {"inner": ""}, {"kind": "areaChart"}])},
    **{f"style_{n}": put("A2", cell("A2", 4, "s", n)) for n in range(3, 8)}, **{f"number_style_{n}": put("B2", cell("B2", 3, style=n)) for n in [1, 3, 7]}, "style_far": put("A2", cell("A2", 4, "s", 99)),
    "style_empty": put("A3", cell("A3", style=5)), "style_merged": [*put("B2", cell("B2", 3, style=5)), *after('<mergeCells><mergeCell ref="A2:B2"/></mergeCells>')], "indexed": [(STYLES, '<fgColor rgb="FF00FF00"/>', '<fgColor indexed="3"/>'), *put("A2", cell("A2", 4, "s", 5))],
    "theme": [(STYLES, '<fgColor rgb="FF00FF00"/>', '<fgColor theme="4" tint="0.4"/>'), *put("A2", cell("A2", 4, "s", 5))], "six": [(STYLES, 'rgb="FF00FF00"', 'rgb="00FF00"'), *put("A2", cell("A2", 4, "s", 5))],
    "custom_format": [(STYLES, "<fonts", '<numFmts><numFmt numFmtId="164" formatCode="0.00 &quot;x&quot;"/></numFmts><fonts'), (STYLES, '<xf numFmtId="14"/>', '<xf numFmtId="164"/>')],
    "format_30": [(STYLES, '<xf numFmtId="14"/>', '<xf numFmtId="30"/>')], "format_red": [(STYLES, "<fonts", '<numFmts><numFmt numFmtId="164" formatCode="[Red]0"/></numFmts><fonts'), (STYLES, '<xf numFmtId="14"/>', '<xf numFmtId="164"/>')],
    "format_time": [(STYLES, '<xf numFmtId="14"/>', '<xf numFmtId="20"/>')], "format_hours": [(STYLES, '<xf numFmtId="14"/>', '<xf numFmtId="46"/>')], "no_font_color": [(STYLES, '<color rgb="FF000000"/>', "")], "no_styles": [(STYLES, None, None), ("xl/_rels/workbook.xml.rels", "/styles\"", "/other\"")],
    "conditional": after('<conditionalFormatting sqref="B2:B4"><cfRule type="cellIs" operator="greaterThan" priority="1" dxfId="0"><formula>2</formula></cfRule></conditionalFormatting>'),
    "declared": [(SHEET, "<worksheet ", '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet ')], "marked": [(SHEET, "<worksheet ", "\ufeff<worksheet ")], "note": [(SHEET, "<sheetData>", "<!-- c --><sheetData>")],
}
TWO = {"sheet_idx0": 0, "sheet_idx1": "EI0"}
STYLE = ["font_name", "font_family", "font_color", "font_bold", "font_italic", "font_underline", "font_size", "fill_type", "bgcolor", "fgcolor", "hyperlink", "merge", "number_format"]
CHART = ["title", "anchor", "legend", "width", "height", "type", "direction", "xtitle", "ytitle"]


def fuzzy(**more):
    return {"type": "sheet_fuzzy", "rules": [{"range": ["A1:B4", "C2:D3"], **more}], **TWO}


def general(nth):
    """Rules that are asked of every book."""
    places = [(0, "EI0"), ("RI0", "ENSheet1"), ("RNSheet1", "EI0"), (1, "EI1"), ("RI9", "EI0"), (0, "RI1"), ("EI0", 0), (7, "EI0"), ("RNNone", "EI0"), (0, "EI9")]
    two = dict(zip(["sheet_idx0", "sheet_idx1"], places[nth % len(places)]))
    return [{"type": "sheet_data", **TWO}, {"type": "sheet_data", "precision": nth % 6, **two}, {"type": "sheet_name"}, fuzzy(type="exact_match"),
            fuzzy(**[{"type": "includes"}, {"type": "included_by"}, {"type": "fuzzy_match", "threshold": 60}, {"type": "fuzzy_match"}, {"type": "exact_match", "ignore_case": True, "trim_leadings": " 0P"},
                     {"type": "exact_match", "ignore_chars": " s0.", "normalization": [["\u00dcn", "Un"], ["Pen", "Ink"]]}, {"type": "exact_match", "trim_trailings": " 0.sn"}][nth % 7]),
            {"type": "check_cell", "sheet_idx": 0, "coordinate": ["A2", "B2", "C3", "A4", "D2"][nth % 5], "props": {"value": [
                {"method": "eq", "ref": "Pen"}, {"method": "eq", "ref": 3}, {"method": "approx:0.001", "ref": 2.0}, {"method": "ne", "ref": None}, {"method": "gt", "ref": 2}, {"method": "re.I", "ref": "^p"}][nth % 6]}},
            {"type": "check_cell", "sheet_idx": ["RI0", 0, 1, 5, "RNSheet1"][nth % 5], "coordinate": "A2", "props": {STYLE[nth % len(STYLE)]: {"method": "eq", "ref": [True, "FFFF0000", "solid", None, 14, ""][nth % 6]}}},
            {"type": "style", "props": [STYLE[nth % len(STYLE)], STYLE[(nth + 5) % len(STYLE)]], **TWO}]


RULES = {
    "pane": [{"type": "freeze", **TWO}, {"type": "freeze", "sheet_idx0": 1, "sheet_idx1": "EI1"}, {"type": "freeze", "sheet_idx0": "RNNone", "sheet_idx1": "EI0"}],
    "zoom": [{"type": "zoom", "sheet_idx": 0, "method": method, "ref": ref} for method, ref in [("eq", 150), ("gt", 100), ("le", 100), ("ne", 100), ("approx:1", 100)]],
    "chart": [{"type": "chart", "chart_props": [one], **TWO} for one in CHART] + [{"type": "chart", **TWO}, {"type": "chart", "chart_props": ["type", "title", "legend"], **TWO}],
    "row": [{"type": "row_props", "props": [one], **TWO} for one in ["hidden", "height", "collapsed", "outlineLevel"]], "cols": [
        {"type": "col_props", "props": [one], **TWO} for one in ["width", "hidden", "min", "max", "collapsed", "bestFit"]],
    "filter": [{"type": "filter", **TWO}], "spark": [{"type": "sparkline", **TWO}], "style": [{"type": "style", "props": STYLE, **TWO}, *({"type": "style", "props": [one], **TWO} for one in STYLE)],
    "valid": [{"type": "data_validation", "sheet_idx": 0, "dv_props": [props]} for props in [
        {"type": {"method": "eq", "ref": "list"}, "formula1": {"method": "eq", "ref": '"a,b"'}}, {"formula1": {"method": "str_set_eq", "ref": ["b", "a"]}}, {"ranges": {"method": "spreadsheet_range", "ref": ["B2:B4", "B2:B9"]}},
        {"allowBlank": {"method": "eq", "ref": True}}, {"operator": {"method": "eq", "ref": "greaterThan"}}, {"error": {"method": "eq", "ref": None}, "errorTitle": {"method": "re", "ref": "t"}}, {"showDropDown": {"method": "ne", "ref": True}},
        {"type": {"method": "eq", "ref": None}}]],
}
RULES["merged"] = RULES["linked"] = RULES["number"] = RULES["indexed"] = RULES["theme"] = RULES["six"] = RULES["format"] = RULES["style"]


def cities(to):
    """Lists of cities, twenty from the third row on."""
    names = ["Ven\u00e8ce", "S\u00e3o Paulo, Brazil", "New-York", "Tokyo"]
    for at, change in enumerate([None, "venece", "Sao Paulo", "Lyon", "", 7, "TOKYO", "S\u00e3o  Paulo", "Sa\u0303o Paulo"]):
        rows = ""
        for row in range(22):
            name = change if row == 1 and change is not None else names[row % 4]
            rows += f'<row r="{row + 1}">' + (cell(f"C{row + 1}", name) if isinstance(name, int) else cell(f"C{row + 1}", name, "str")) + "</row>"
        write(to.path(f"x/cities{at}.xlsx"), plain(f"<sheetData>{rows}</sheetData>"))
        for shift, first in itertools.product(range(2), ["venece", "Venece!", "sao paulo", ["x", "S\u00c3O  PAULO"], "paulo brazil", "", 7]):
            wanted = [["Venece", "sao paulo", "new york", "tokyo"][(row + shift) % 4] for row in range(22)]
            wanted[1 - shift] = first
            to.case("compare_conference_city_in_order", f"@file:x/cities{at}.xlsx", {"expected": wanted})


def printed(to):
    """Sheets as text beside the books."""
    texts = {"one": "Name,Qty\nPen,3\n", "blank": " Name,Qty \nPen,3\n\n\n", "case": "name,QTY\nPen,3", "other": "Name,Qty\nPen,4\n", "order": "Pen,3\nName,Qty\n", "empty": ""}
    for name, text in texts.items():
        write(to.path(f"c/{name}.xlsx"), plain())
        to.path(f"c/{name}-Sheet1.csv").write_text(text)
    write(to.path("c/none.xlsx"), plain())
    for a, b in itertools.product([*texts, "none"], repeat=2):
        for more in [{}, {"ignore_case": True}]:
            to.case("compare_table", f"@file:c/{a}.xlsx", f"@file:c/{b}.xlsx", rules=[{"type": "sheet_print", **TWO, **more}])


def make(to, dice):
    parts = plain()
    for name, changes in VALUES.items():
        write(to.path(f"x/{name}.xlsx"), changed(parts, changes))
    bad = broken(to, "x", "xlsx", parts)
    same = "@file:x/same.xlsx"
    families = {}
    for name in VALUES:
        families.setdefault(name.split("_")[0], []).append(name)
    for nth, name in enumerate([*VALUES, *bad]):
        path = f"@file:x/{name}.xlsx"
        rules = general(nth) if name in VALUES else general(nth)[:2]
        rules += RULES.get(name.split("_")[0], [])
        for rule in rules:
            to.case("compare_table", path, same, rules=[rule])
        if name in VALUES:
            to.case("compare_table", same, path, rules=[dice.choice(rules)])
            for rule in rules[:1] + rules[8:10]:
                to.case("compare_table", path, path, rules=[rule])
            for other in dice.sample(families[name.split("_")[0]], min(3, len(families[name.split("_")[0]]))):
                to.case("compare_table", path, f"@file:x/{other}.xlsx", rules=[dice.choice(rules[8:] or rules)])
            to.case("compare_table", path, f"@file:x/{dice.choice(sorted(VALUES))}.xlsx", rules=dice.sample(rules, 2))
    for a, b in itertools.permutations(families["pane"], 2):
        to.case("compare_table", f"@file:x/{a}.xlsx", f"@file:x/{b}.xlsx", rules=RULES["pane"][:1])
    to.case("compare_table", None, same, rules=general(0)[:1])
    to.case("compare_table", same, None, rules=[general(0)[5]])
    cities(to)
    printed(to)
