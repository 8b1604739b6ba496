"""What adaptors read of actions that agents write; `python3 tests/suite/adaptors.py`, with the folder `python` on PYTHONPATH."""
import json
import time
import unittest

import waldo
from waldo import literal
from waldo.browsergym_actions import Translation as OfBrowserGym
from waldo.browsergym_page import axtree, dom, extra_properties
from waldo.hand import Hand
from waldo.literal import CodeError
from waldo.osworld import tree
from waldo.osworld_actions import Translation as OfOSWorld
from waldo.osworld_actions import special

HOSTILE = [
    "__import__('os').system('touch hostile')",
    "click(__import__('os').system('touch hostile'))",
    "click(open('hostile', 'w'))",
    "pyautogui.click(*[1, 2])",
    "pyautogui.typewrite(f'{open(\"hostile\", \"w\")}')",
    "pyautogui.write(''.join(['a']))",
    "import os; os.system('touch hostile')",
    "from os import system as click\nclick('touch hostile')",
    "exec('open(\"hostile\", \"w\")')",
    "pyautogui.click(x=(lambda: open('hostile', 'w'))())",
    "[pyautogui.click(n, n) for n in range(9)]",
    "while True: pyautogui.click(1, 1)",
    "pyautogui.click(9 ** 9 ** 9, 1)",
    "pyautogui.click('a' * 1000000000, 1)",
    "pyautogui.click(1000000000 * 1000000000 * 1000000000, 1)",
    "pyautogui.click(1e999, 1)",
    "pyautogui.click(1 / 0, 1)",
    "pyautogui.click(1j, 1)",
    "pyautogui.click(" + "9" * 100_000 + ", 1)",
    "pyautogui.click(" + "(" * 10_000_000,
    "pyautogui.click(" + "(" * 90 + "1" + ")" * 90_000 + ", 1)",
    "pyautogui.click(" + "-" * 100_000 + "1, 1)",
    "pyautogui.click(" + "-" * 990 + "1, 1)",
    "pyautogui.click(" + "1+" * 100_000 + "1, 1)",
    "click(" * 50_000 + "'5'" + ")" * 50_000,
    "click('" * 50_000,
    "pyautogui.click(1, 1);" * 10_000,
    "press click('1') " * 10_000,
    "pyautogui.typewrite('\ud800')",
    "pyautogui.typewrite('\\ud800')",
    "pyautogui.click(1, \0)",
    "pyautogui.press('a', presses=1000000)",
    "pyautogui.click(1, 2",
    "",
    "click",
]

TURN = waldo.Turn(
    {"step": 1, "steps_left": 9, "last": [], "untrusted": {
        "location": "http://a/", "title": "Shop <1>", "tabs": ["Help", "Shop <1>"], "list": "", "dialog": ["prompt", "Your name?", "x"],
        "elements": [
            {"tag": 1, "role": "textbox", "name": "Name", "value": "Ada & \x01Co", "box": [10, 50, 80, 20], "can": ["click", "edit"],
             "states": {"focused": True}},
            {"tag": 2, "role": "combobox", "name": "Size", "value": "L", "box": [10, 80, 80, 20], "can": ["click", "select"],
             "states": {}, "options": ["S", "L"]},
            {"tag": 3, "role": "checkbox", "name": "Terms", "box": [10, 110, 20, 20], "can": ["click"], "states": {"checked": True}},
            {"tag": 4, "role": "button", "name": "File", "box": [200, 110, 20, 20], "can": ["click", "upload"], "states": {}},
        ],
        "texts": [{"text": "Welcome", "box": [10, 10, 80, 20]}],
    }},
    {"goal": "Order", "device": {"platform": "web", "screen": [300, 200], "actions": []}},
)


def gym(code, hand=None, turn=TURN):
    return OfBrowserGym(turn, hand or Hand((0, 0)), "").of(code)


def desk(action, hand=None):
    return OfOSWorld(hand or Hand((640, 400)), True).of(action)


def at(x, y):
    return {"x": x, "y": y}


class Adaptors(unittest.TestCase):
    def test_hostile_code_is_refused_soon_and_never_run(self):
        for code in HOSTILE:
            for read in (gym, desk):
                begun = time.monotonic()
                try:
                    made = read(code)
                except CodeError:
                    made = []
                json.dumps(made).encode()
                self.assertLess(len(made), 5, code[:80])
                # No machine is so slow: what is meant is that none of it takes minutes.
                self.assertLess(time.monotonic() - begun, 60, code[:80])
                told = [one for one in made if one["do"] not in ("wait", "tap")]
                self.assertFalse(told, f"{code[:80]}: {made}")
        with self.assertRaises(FileNotFoundError):
            open("hostile")

    def test_actions_of_browsergym(self):
        for code, calls in [
            ("click('1')", [{"do": "tap", "element": 1}]),
            ("click('4', button='right')", [{"do": "right_tap", "element": 4}]),
            ("dblclick('4')", [{"do": "double_tap", "element": 4}]),
            ("click('4', 'left', ['ControlOrMeta', 'Shift'])", [
                {"do": "tap_at", "element": {"element": 4, "x": 50, "y": 50}, "clicks": "single", "button": "left",
                 "modifiers": "ctrl+shift"}]),
            ("I press it. click('4')\n# click('1')\nThen noop(500) noop(9e6)", [
                {"do": "tap", "element": 4}, {"do": "wait", "seconds": 0.5}, {"do": "wait", "seconds": 10.0}]),
            ("fill('1', \"it's (\")\nfill(bid='1', value='ab', enable_autocomplete_menu=True)", [
                {"do": "fill", "element": 1, "text": "it's ("}, {"do": "fill", "element": 1, "text": "a"},
                {"do": "type", "text": "b"}]),
            ("select_option('2', ['S', 'L'])", [
                {"do": "select", "element": 2, "option": "S"}, {"do": "select", "element": 2, "option": "L"}]),
            ("check('3')", [{"do": "wait", "seconds": 0}]),
            ("uncheck('3')", [{"do": "tap", "element": 3}]),
            ("press('1', 'Control+KeyA')", [{"do": "key", "key": "ctrl+a"}]),
            ("press('4', 'Enter')", [{"do": "tap", "element": 4}]),
            ("keyboard_press('Control++')", [{"do": "key", "key": "ctrl++"}]),
            ("keyboard_down('Shift')\nmouse_click(5, 6)\nkeyboard_up('Shift')", [
                {"do": "tap_at", "element": at(5, 6), "clicks": "single", "button": "left", "modifiers": "shift"}]),
            ("scroll(0, 600)", [{"do": "scroll", "direction": "down", "notches": 5}]),
            ("scroll_at(5, 6, -1, -9e8)", [
                {"do": "scroll", "direction": "up", "notches": 100, "element": at(5, 6)},
                {"do": "scroll", "direction": "left", "notches": 1, "element": at(5, 6)}]),
            ("drag_and_drop('3', '4')", [{"do": "drag", "from": 3, "to": 4}]),
            ("mouse_drag_and_drop(1, 2, 3.5, 4)", [{"do": "drag", "from": at(1, 2), "to": at(3.5, 4)}]),
            ("upload_file('4', '/home/a/photo.png')", [{"do": "upload", "element": 4, "file": ["photo.png"]}]),
            ("mouse_upload_file(205, 115, ['a.txt', 'b.txt'])", [{"do": "upload", "element": 4, "file": ["a.txt", "b.txt"]}]),
            ("tab_focus(0)", [{"do": "switch_tab", "tab": 1}]),
            ("goto('/help')", [{"do": "navigate", "url": "/help"}]),
            ("click('dialog-ok')", [{"do": "dialog", "reply": "accept"}]),
            ("fill('dialog-text', 'Bo')\npress('dialog-text', 'Enter')", [{"do": "dialog", "reply": "accept", "text": "Bo"}]),
            ("click('dialog-cancel')", [{"do": "dialog", "reply": "dismiss"}]),
            ("send_msg_to_user('42')\nclick('1')", [{"do": "answer", "text": "42"}]),
            ("report_infeasible(\"no\")", [{"do": "infeasible", "reason": "no"}]),
        ]:
            self.assertEqual(gym(code), calls, code)
        for code in ["click('9')", "click(1)", "clikc('1')", "click()", "click('1', 'left', [], 4)", "click('1', bid='1')", "focus('4')",
                     "tab_focus(-1)", "keyboard_down('a')", "click('dialog-text')", "fill('1')", "scroll('a', 1)"]:
            with self.assertRaises(CodeError, msg=code):
                gym(code)

    def test_code_of_osworld(self):
        click = {"do": "tap", "element": at(3, 4)}
        held = {"element": at(3, 4), "clicks": "single", "button": "left", "modifiers": "ctrl"}
        for code, calls in [
            ("import pyautogui\nimport time\npyautogui.PAUSE = 1\npyautogui.click(3, 4)\ntime.sleep(0.5)", [click]),
            ("import pyautogui as pg; pg.moveTo(3, 4, duration=1, tween=pg.easeInQuad); pg.click()", [click]),
            ("from pyautogui import click\nclick(x=3, y=8 / 2)", [{"do": "tap", "element": at(3, 4.0)}]),
            ("tag_1=(3, 4)\nx, y = 1, 2\npyautogui.click(tag_1)", [click]),
            ("pyautogui.click(3, 4, 2)", [{"do": "double_tap", "element": at(3, 4)}]),
            ("pyautogui.rightClick(3, 4)", [{"do": "right_tap", "element": at(3, 4)}]),
            ("pyautogui.middleClick(3, 4)", [{"do": "tap_at", "element": at(3, 4), "clicks": "single", "button": "middle"}]),
            ("pyautogui.tripleClick()", [{"do": "triple_tap", "element": at(640, 400)}]),
            ("pyautogui.keyDown('ctrl'); pyautogui.click(3, 4); pyautogui.keyUp('ctrl')", [{"do": "tap_at", **held}]),
            ("pyautogui.keyDown('alt'); pyautogui.keyUp('alt')", [{"do": "key", "key": "alt"}]),
            ("pyautogui.keyDown('ctrl'); pyautogui.keyDown('c'); pyautogui.keyUp('c'); pyautogui.keyUp('ctrl')",
             [{"do": "key", "key": "ctrl+c"}]),
            ("pyautogui.moveTo(3, 4)\npyautogui.moveRel(2, -1)", [
                {"do": "hover", "element": at(3, 4)}, {"do": "hover", "element": at(5, 3)}]),
            ("pyautogui.moveTo(3, 4); pyautogui.dragTo(5, 6, button='left')", [{"do": "drag", "from": at(3, 4), "to": at(5, 6)}]),
            ("pyautogui.mouseDown(3, 4); pyautogui.moveTo(5, 6); pyautogui.mouseUp()", [
                {"do": "mouse_down", "element": at(3, 4)}, {"do": "mouse_up", "element": at(5, 6)}]),
            ("pyautogui.write('it\\'s\\n', interval=0.1)", [{"do": "type", "text": "it's\n"}]),
            ("pyautogui.press(['down', ' '], presses=2)", [
                {"do": "key", "key": "down"}, {"do": "key", "key": "space"}] * 2),
            ("pyautogui.press('down', presses=60)", [
                {"do": "key", "key": "down", "times": 50}, {"do": "key", "key": "down", "times": 10}]),
            ("pyautogui.hotkey('ctrl', 'shift', 't')", [{"do": "key", "key": "ctrl+shift+t"}]),
            ("import pyperclip\npyperclip.copy('é\\n')\npyautogui.hotkey('ctrl', 'v')", [{"do": "paste", "text": "é\n"}]),
            ("pyautogui.scroll(-3, x=3, y=4)", [
                {"do": "scroll", "direction": "down", "notches": 3, "element": at(3, 4)}]),
            ("pyautogui.hscroll(2)", [{"do": "scroll", "direction": "right", "notches": 2, "element": at(640, 400)}]),
            ("time.sleep(99)", [{"do": "wait", "seconds": 10.0}]),
            ({"action_type": "CLICK", "parameters": {"x": 3, "y": 4, "num_clicks": 2}}, [{"do": "double_tap", "element": at(3, 4)}]),
            ({"action_type": "CLICK", "x": 3, "y": 4}, [click]),
            ({"action_type": "TYPING", "parameters": {"text": "a'b"}}, [{"do": "type", "text": "a'b"}]),
            ({"action_type": "HOTKEY", "parameters": {"keys": ["ctrl", "a"]}}, [{"do": "key", "key": "ctrl+a"}]),
            ({"action_type": "SCROLL", "parameters": {"dx": 0, "dy": -2}}, [
                {"do": "scroll", "direction": "down", "notches": 2, "element": at(640, 400)}]),
            ({"command": "pyautogui.click(3, 4)"}, [click]),
        ]:
            self.assertEqual(desk(code), calls, code)
        for code in ["pyautogui.screenshot()", "pyautogui.keyDown('a')", "pyautogui.click(button='side')", "pyautogui.dragTo('a', 1)",
                     "pyautogui.hotkey()", "pyperclip.copy('a')", "pyautogui.keyDown('shift'); pyautogui.write('a')",
                     "with pyautogui.hold('shift'): pyautogui.press('a')", {"action_type": "FLY"}, {"action_type": "SCROLL"}, None,
                     {"action_type": "CLICK", "x": float("nan"), "y": 1}]:
            with self.assertRaises(CodeError, msg=code):
                desk(code)
        self.assertEqual([special(one) for one in (" DONE\n", {"action_type": "FAIL"}, "pyautogui.click()")], ["DONE", "FAIL", None])

    def test_a_screen_is_shown_as_the_others_show_theirs(self):
        nodes = axtree(TURN)["nodes"]
        self.assertEqual([node["role"]["value"] for node in nodes[:7]],
                         ["RootWebArea", "dialog", "textbox", "button", "button", "StaticText", "textbox"])
        self.assertEqual({child for node in nodes for child in node["childIds"]}, {node["nodeId"] for node in nodes[1:]})
        document = dom(TURN)
        self.assertEqual(len({len(column) for name, column in document["documents"][0]["nodes"].items()
                              if name != "contentDocumentIndex"}), 1)
        self.assertEqual(extra_properties(TURN)["3"]["bbox"], [10, 110, 20, 20])
        import xml.etree.ElementTree as xml
        entry = xml.fromstring(tree(TURN)).find(".//entry")
        self.assertEqual((entry.get("name"), entry.text), ("Name", "Ada & \N{REPLACEMENT CHARACTER}Co"))
        self.assertEqual(entry.get("{https://accessibility.ubuntu.example.org/ns/component}screencoord"), "(10, 50)")

    def test_long_text_is_no_hostile_code(self):
        long = "word " * 20_000
        self.assertEqual(gym(f"fill('1', {long!r})")[0]["text"], long)
        self.assertEqual(desk(f"pyautogui.write({long!r})")[0]["text"], long)
        self.assertGreater(literal.MAX_CHARS, len(long))


if __name__ == "__main__":
    unittest.main()
