"""Inputs for the OSWorld metrics: values and files of text of our own, the same ones at each run (see `scripts/diff osworld`)."""

import base64
import itertools
import random
import sqlite3

import osworld_books
import osworld_odd
import osworld_pages
import osworld_pictures
import osworld_slides
import osworld_texts

# How many cases of a metric are kept, where it is not ninety (of values) or three hundred (of files).
MOST = {"check_json": 250, "compare_htmls": 250, "compare_pptx_files": 900, "compare_docx_files": 400, "compare_table": 1500}
# A picture of one point.
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class Inputs:
    """Collects cases, and writes the files that they name."""

    def __init__(self, folder):
        self.folder, self.cases, self.texts = folder, [], {}

    def case(self, func, result, expected=None, **options):
        self.cases.append({"func": func, "result": result, "expected": expected, "options": options})

    def path(self, name):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def file(self, data, ending="txt"):
        """A file of this text or these bytes; equal ones once."""
        data = data.encode() if isinstance(data, str) else data
        name = self.texts.setdefault((data, ending), f"t/{len(self.texts)}.{ending}")
        if not self.path(name).exists():
            self.path(name).write_bytes(data)
        return f"@file:{name}"


WORDS = ["pear", "Pear", "plum", "a plum", "", " ", "3", "3.0", "ümlaut", "it's", 'say "no"', "two\nlines", "True"]
VALUES = [None, True, False, 0, 1, 3, -2, 2.5, 3.0, "3", "", "pear", "Pear ", "[1]", [], ["pear"], ["pear", "plum"],
          ["plum", "pear"], [1, 3], {}, {"a": 1}, {"a": "1"}, {"a": [1, 2]}]


def values(to):
    for a, b in itertools.product(VALUES, VALUES):
        to.case("exact_match", a, {"expected": b})
    for a, b in itertools.product(VALUES[::2], VALUES[1::2]):
        to.case("is_in_list", a, {"expected": b})
        to.case("match_in_list", a, {"expected": b})
        to.case("literal_match", a, b, ignore_case=True)
        to.case("literal_match", a, b, type="list")
    for a, b in itertools.product(WORDS, WORDS):
        to.case("fuzzy_match", a, {"expected": b})
        to.case("is_in_vm_clickboard", {"expected": [a, "p"]}, b)
        to.case("check_include_exclude", a, {"include": [b], "exclude": ["zz"]})
        to.case("check_include_exclude", a, {"exclude": [b, "2"]})
        to.case("is_extension_installed", a, {"type": "contain", "expected": b})
    for value in VALUES:
        to.case("fuzzy_match", value if not isinstance(value, list) else 7, {"expected": "pear"})
        to.case("is_in_vm_clickboard", {"expected": "pear"}, value)
        to.case("check_text_enlarged", str(value))
    lists = ["['a.desktop', 'b.desktop']", "['b.desktop','a.desktop']\n", "[]", "()", "('a.desktop','b.desktop')",
             "['a.desktop']", "'a.desktop', 'b.desktop'", "['it\\'s']", "[\"it's\"]", "@as []", "", "No such key",
             "[1, 'a']", "['a' 'b']", "('a')", "['a',]", "7", "None", "'ab'", "['\\x41', 'b']", "[True, 1]"]
    wanted = [["a.desktop", "b.desktop"], [], ["it's"], ["a", 1], ["ab"], ["a", "b"], ["A", "b"], [1], ["a.desktop"]]
    for text, names in itertools.product(lists, wanted):
        to.case("check_gnome_favorite_apps", text, {"expected": names})
    for lines in ["a\nb\nc\nTime zone: UTC (UTC, +0000)", "a\nb\nc\nx +0100)", "a\nb", "\n\n\n+0000)"]:
        to.case("is_utc_0", lines + "\n")
    for pair in itertools.product([None, {}, {"width": 1, "height": 2}, {"width": 1.0, "height": 2}, {"width": 2}],
                                  repeat=2):
        to.case("is_vlc_fullscreen", *pair) if pair[1] is not None else None
    for children in [["a.jpg", "b.jpg"], ["b.jpg", "a.jpg"], ["a.jpg"], []]:
        found = {"children": [{"name": name, "type": "file"} for name in children]}
        to.case("check_moved_jpgs", found, {"expected": ["a.jpg", "b.jpg"]})


def browser(to):
    names = ["Zoom Chrome Extension", "Zoom for Google Chrome", "Other"]
    subsets = [list(some) for n in range(4) for some in itertools.combinations(names, n)]
    for found, wanted in itertools.product(subsets, subsets):
        to.case("is_expected_installed_extensions", found, {"expected": wanted})
    contents = ["Name=Play\nExec=/bin/x --a\n", "Name=Play", "Name=\nExec=\n", "Exec=x\n Name=Play\n", "Name=pl\n",
                "Name=Play it now\nExec=y", "", "name=Play\nexec=x\n"]
    for content, (kind, value) in itertools.product(
            contents, [("name", "Play"), ("name", "PLAY"), ("exec", "x"), ("exec", "X"), ("exec", "/bin/x --a -b")]):
        to.case("is_shortcut_on_desktop", {"a.desktop": content}, {"type": kind, kind: value})
        to.case("is_shortcut_on_desktop", {"b.desktop": "x", "a.desktop": content}, {"type": kind, kind: value})
    for size, rule in itertools.product([12, 16, 16.0, 20], [{"type": "value", "value": 16},
                                                             {"type": "range", "min": 12, "max": 20}]):
        to.case("check_font_size", {"default_font_size": size}, rule)
    for found, wanted in itertools.product([[], ["a@1"], ["a@1", "b"], ["b@2", "a"]], [[], ["a"], ["a", "b"]]):
        to.case("check_enabled_experiments", found, {"type": "names", "names": wanted})
    link = lambda url: {"type": "url", "url": url, "name": url}
    bars = [[], [link("https://a.org/")], [link("https://a.org/"), link("https://b.org/")],
            [{"type": "folder", "name": "Liked Authors", "children": [link("https://a.org/"), link("https://b.org/")]}],
            [{"type": "folder", "name": "F", "children": []}, link("https://b.org/")]]
    rules = [{"type": "bookmark_bar_folders_names", "names": ["F"]},
             {"type": "bookmark_bar_folders_names", "names": []},
             {"type": "bookmark_bar_websites_urls", "urls": ["https://a.org/", "https://b.org/"]},
             {"type": "liked_authors_websites_urls", "urls": [["https://a.org/", "https://c.org/"], "https://b.org/"]}]
    for bar, rule in itertools.product(bars, rules):
        to.case("is_expected_bookmarks", {"bookmark_bar": {"children": bar}}, rule)
    for words in [["x"], ["a", "zz"], []]:
        to.case("check_history_deleted", [["https://a.org/x", "t", 1]], {"type": "keywords", "keywords": words})


def json_files(to):
    texts = ['{"a": {"b": [1, {"c": "text"}], "n": null}, "s": "3x", "t": true, "f": 2.5}', '["n", 2]', '"text"', "7",
             "null", "{}", "[]", "{", "", '{"n": 50}', '{"n": 50.0, "m": "x"}', '{"n": {"a": 1}}', '["n"]', '"an"']
    paths = [["a", "b", 0], ["a", "b", -1, "c"], ["a", "b", 5], ["a", "b", "x"], ["s", 0], ["s", -9], ["s", "0"],
             ["t"], ["t", 0], ["f"], ["none"], [0], [-1], ["a", "n"], ["a", "n", "x"], [], "s", "sx", [True], [1.0]]
    tests = [("eq", "text"), ("eq", 1), ("ne", 1), ("lt", 3), ("ge", 2), ("re", "^3"), ("re.I", "TEXT"),
             ("approx:0.1", 2.45), ("range.te", [0, 2]), ("str_list_eq", ["3x"]), ("nothing", 1), ("eq", None)]
    for text, path, (method, ref) in itertools.product(texts[:4], paths, tests):
        if len(to.cases) % 3 == 0 or text == texts[0]:
            rule = {"key": path, "method": method, "ref": ref}
            to.case("check_json", to.file(text), {"expect" if hash_of(path, method) else "unexpect": [rule]})
        else:
            to.case("check_json", to.file(text), {"unexpect": [{"key": path, "method": method, "ref": ref}]})
    for text, wanted in itertools.product(texts, [{"n": 50}, {}, {"n": {"a": 1}}, {"m": "x"}, {"n": None}, {"t": 1}]):
        to.case("check_json_settings", to.file(text), {"expected": wanted})
        to.case("check_json_keybindings", to.file("// x\n" + text), {"expected": wanted})
    for first, second in itertools.product(texts, texts):
        to.case("is_included_all_json_objects", to.file(first), to.file(second))
    found = [{"a": "1"}, {"a": 1, "b": [1, 2]}, {"b": [2, 1]}, "{'a': '1'}", '{"a": "x1y"}', None, [], "nothing",
             {"a": ["1", "z"]}, {"a": None}]
    wanted = [{"expected": {"a": "1"}}, {"expected": {"b": [1, 2]}}, {"expected": {}},
              {"expected": {"b": [1, 2], "ignore_list_order": True}}, {"expect_in_result": True, "expected": {"a": "1"}},
              {"expect_in_result": True, "expected": {"a": ["1", "2"]}}, {"expect_in_result": True, "expected": {"a": 1}}]
    for a, b in itertools.product(found, wanted):
        to.case("check_direct_json_object", a, b)


def hash_of(*parts):
    """One or nought, the same at each run."""
    return sum(map(ord, repr(parts))) % 2


def text_files(to):
    texts = ["", "one\n", "one\ntwo\n", "one\r\ntwo\r\n", "ONE\ntwo", " one \n\n two", "one\ttwo", "x = 1\n",
             "#!/bin/x\nx = 1  \n\n", "# -*- coding: y\nx = 1", "12:30:05 a\n1:2:3\n23:59:60", "3", "3.00000001", "a 3 b",
             "\ufeffone\ntwo\n", "name,age\nLi,3\n\"B, o\",4\n", "name,age\nLi,3,9\nBo\n", "ü,é\n1,2\n"]
    for a, b in itertools.product(texts, texts):
        first, second = to.file(a), to.file(b)
        to.case("compare_text_file", first, second)
        to.case("diff_text_file", first, second)
        to.case("compare_csv", first, second)
        to.case("compare_python_pure_text", first, second)
        to.case("compare_result_files", first, second)
    for a, b in itertools.product(texts[:12], texts[:12]):
        to.case("compare_text_file", to.file(a), to.file(b), ignore_blanks=True, ignore_case=True)
        to.case("compare_csv", to.file(a), to.file(b), strict=False, ignore_case=True)
        to.case("compare_terminal_and_txt", to.file(a), b)
        to.case("compare_config", to.file(a), {"expected": b})
    latin = to.file("caf\u00e9,1\n".encode("latin-1"), "csv")
    to.case("compare_csv", latin, to.file("caf\u00e9,1\n"))
    to.case("compare_csv", to.file("\ufeffa,b\r\n".encode()), [to.file("x"), to.file("a,b\n")])
    for text in texts:
        for expect in [["one"], ["^two$"], [r"\d"], ["^$"], []]:
            to.case("check_list", to.file(text), {"expect": expect, "unexpect": ["x ="]})
            to.case("file_contains", to.file(text), {"expected": expect})
        for row in [{"name": "Li"}, {"name": "B, o", "age": "4"}, {"age": None}, {}]:
            to.case("check_csv", to.file(text), {"expect": [row]})
            to.case("check_csv", to.file(text), {"unexpect": [row]})
        for number in ["2", 2, "x"]:
            to.case("check_line_number", to.file(text), {"expected": number})


def settings(to):
    gimp = "# note\n\n(theme \"Dark\")\n(undo-levels 100)\n(color-management\n    (mode display)\n    (x))\n"
    for text in [gimp, gimp.replace("\n", "\r\n"), "(theme \"Dark\")\n", "(color-management (mode display))\n", "",
                 "theme\n", "(\n(theme x)\n"]:
        for key, value in [("theme", '"Dark"'), ("undo-levels", "100"), (["color-management", "(mode"], "display"),
                           (["mode", "display"], "display"), (["theme", "x"], "x"), (["a", "b", "c"], "x"), ("none", "x")]:
            to.case("check_config_status", to.file(text), {"key": key, "value": value})
    filters = ["name=\"a\"\nenabled=\"yes\"\ntype=\"17\"\naction=\"Move to folder\"\n"
               "actionValue=\"mailbox://x\"\ncondition=\"AND (subject,contains,x) OR (from,is,y@z)\"\n",
               "version=\"9\"\nname=\"a\"\ncondition=\"ALL\"\nname=\"b\"\nenabled=\"no\"\ncondition=\"ALL\"\n",
               "enabled=\"yes\"\nname=\"a\"\ncondition=\"ALL\"\n", "", "version=\"9\"\n", "condition=\"ALL\"\n"]
    for text in filters:
        for rule in [{"name": "a"}, {"enabled": "no"}, {"condition": ["ALL"]}, {"action": "Move to folder", "type": "17"},
                     {"condition": ["AND (subject,contains,x)", "OR (from,is,y@z)"]}]:
            to.case("check_thunderbird_filter", to.file(text, "dat"), {"expect": [rule]})
            to.case("check_thunderbird_filter", to.file(text, "dat"), {"unexpect": [rule], "expect": []})
    prefs = 'user_pref("a.b", 3);\n// x\nuser_pref("c", "te\\"xt");\nuser_pref("a.b", true);\nuser_pref("d", -1);\n'
    for key, method, ref in itertools.product(["a.b", "c", "d", "none"], ["eq", "ne", "re", "lt"], [True, 3, "^te", -1]):
        to.case("check_thunderbird_prefs", to.file(prefs, "js"), {"expect": {key: {"method": method, "ref": ref}}})
        to.case("check_thunderbird_prefs", to.file(prefs, "js"), {"unexpect": {key: {"method": method, "ref": ref}}})
    players = ["#qt-bgcone=0\n", "qt-bgcone=0\nqt-max-volume=200\nqt-minimal-view=1\n", "",
               "qt-slider-colours=1;2;3;4;5;6\nglobal-key-play-pause=Ctrl\nplay-and-exit=1\n",
               "qt-slider-colours=1;200;3\n global-key-play-pause=\ninput-record-path=/home/user/Desktop \n",
               "#input-record-path=/x\none-instance-when-started-from-file=0\nqt-max-volume = 200\n"]
    rules = {"check_qt_bgcone": "expected_qt_bgcone", "check_qt_max_volume": "expected_qt_max_volume",
             "check_qt_minimal_view": "expected_qt_minimal_view", "check_play_and_exit": "expected_play_and_exit",
             "check_global_key_play_pause": "expected_global_key_play_pause",
             "check_one_instance_when_started_from_file": "expected_one_instance_when_started_from_file"}
    for text, (func, key), value in itertools.product(players, rules.items(), [0, "0", 1, "1", 200, "200", "125"]):
        to.case(func, to.file(text, "rc"), {key: value})
    for text in players:
        to.case("check_qt_slider_colours", to.file(text, "rc"), {"type": "blackish"})
        to.case("check_qt_slider_colours", to.file(text, "rc"),
                {"type": "match", "expected_qt_slider_colours": "1;200;3"})
        to.case("is_vlc_recordings_folder", to.file(text, "rc"), {"recording_file_path": "/home/user/Desktop"})


def pages(to):
    bodies = ["<h1 a=\"1\">T</h1><table><tr><td sdnum=\"1\">x</td><td>y</td></tr></table>"]
    changes = [("T<", "T <"), ("</h1>", "</h1>\n "), ("</h1>", "</h1><!-- c -->"), ("<td>y</td>", ""), ("sdnum=\"1\"", ""),
               ("sdnum=\"1\"", "sdnum=\"2\""), (">y<", ">z<"), ("</table>", "</table><p>more</p>"), ("a=\"1\"", "a=\"2\""),
               (">y<", "> y<"), (">y<", "><b>y</b><"), (">y<", ">y &amp; z<"), (">y<", ">y&nbsp;<"), ("td", "th"),
               ("<h1", "<h1 class=\"p q\""), ("</td><td>", "</td>\n<td>"), (">x<", "><br>x<"), ("h1", "h2"), (">y<", "> <")]
    bodies += [bodies[0].replace(*change) for change in changes]
    heads = ["<html><body>{}</body></html>", "<!DOCTYPE html>\n\n<html>\n<head>\n<title>t</title>\n</head>\n\n<body>\n{}\n"
             "</body>\n\n</html>\n"]
    whole = [head.format(body) for head in heads for body in bodies]
    for a, b in itertools.product(whole, whole[::3]):
        to.case("compare_htmls", to.file(a, "html"), to.file(b, "html"))
        to.case("compare_htmls", to.file(b, "html"), to.file(a, "html"), ignore_sdnum=True)
    style = "body { background-image: url('b.png') }"
    for page in ["<style>%s</style>", "<!-- <style>%s</style> -->", "<script><style>%s</style></script>", "<p>%s</p>",
                 "<STYLE type='a>b'>%s</STYLE>", "<style/>%s", "<style></style><style>%s</style >", "<style>x"]:
        for head in ["", "<html><head>", "<p title=\"<style>\">"]:
            text = head + (page % style if "%s" in page else page)
            for value in ["b.png", "c.png"]:
                to.case("check_html_background_image", to.file(text, "html"), {"value": value})


def database(to):
    path = to.path("d/x.db")
    connection = sqlite3.connect(path)
    connection.executescript("create table h (n integer, t text, r real);"
                             "insert into h values (3, 'x', 2.5), (0, '4', null), (null, '', -1);")
    connection.commit()
    connection.execute("vacuum")
    connection.close()
    for sql in ["select n from h", "select t from h", "select r from h", "select n from h where 0", "select count(*) from h",
                "select t from h where n = 0", "select n from h where n is null", "select t from h where n is null",
                "select x from h", "select max(r), n from h", "select n > 1 from h", "select ''"]:
        to.case("run_sqlite3", "@file:d/x.db", {"sql": sql})


def plain_values(to, _dice):
    """Values and files of text."""
    for part in [values, browser, json_files, text_files, settings, pages, database]:
        part(to)


def slides(to, dice):
    osworld_slides.make(to, dice, PNG)


def texts(to, dice):
    osworld_texts.make(to, dice, PNG)


def books(to, dice):
    osworld_books.make(to, dice)


def pictures(to, dice):
    osworld_pictures.make(to, dice)


def files(to, dice):
    osworld_pages.make(to, dice)


def odd(to, _dice):
    osworld_odd.make(to, PNG)


# The parts, each with a recording of its own.
PARTS = {"values": plain_values, "slides": slides, "texts": texts, "books": books, "pictures": pictures, "files": files,
         "odd": odd}


def make(part, folder):
    """Writes the files of a part, and gives its cases."""
    to = Inputs(folder)
    PARTS[part](to, random.Random(9))
    by_metric = {}
    for case in to.cases:
        by_metric.setdefault(case["func"], {})[repr(case)] = case
    dice, kept = random.Random(7), []
    for func, cases in by_metric.items():
        cases = list(cases.values())
        most = MOST.get(func, 300) if part not in ("values", "odd") else {"values": MOST.get(func, 90), "odd": 40}[part]
        kept += cases if len(cases) <= most else dice.sample(cases, most)
    return kept
