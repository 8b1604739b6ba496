"""From the action strings of BrowserGym's high-level action set to calls of waldo."""

from __future__ import annotations

import itertools
import os
import re
from typing import Any, Callable, Iterator, Mapping, Sequence

from .agent import Call, Element, Turn
from .hand import MODIFIERS, Hand, Place
from .literal import MAX_CALLS, MAX_CHARS, Called, CodeError, calls, number, text

NOTCH = 120
"""Pixels of a notch of the wheel."""
LONGEST_WAIT = 10.0
DIALOG = "dialog-"
"""How the numbers of a dialog's parts begin: `dialog-text`, `dialog-ok`, `dialog-cancel`."""
_KEYS = {
    "backquote": "`", "minus": "-", "equal": "=", "backslash": "\\", "bracketleft": "[", "bracketright": "]", "semicolon": ";",
    "quote": "'", "comma": ",", "period": ".", "slash": "/",
}
"""Names of keys by their place on a keyboard, for the signs that they give."""


def chord(keys: str) -> list[str]:
    """The keys of a combination such as `Control+Shift+KeyT`."""
    found = []
    for key in re.split(r"\+(?!$)", text(keys, "the keys")):
        by_place = re.fullmatch(r"Key([A-Z])|Digit([0-9])", key)
        named = (by_place[1] or by_place[2]).lower() if by_place else key
        found.append(_KEYS.get(named.lower(), named))
    return found


def end_of_call(code: str, start: int) -> int | None:
    """Where the parenthesis closes that opens after `start`; texts within are passed over."""
    depth, quote, at = 0, "", start
    while at < len(code):
        sign = code[at]
        if quote:
            if sign == "\\":
                at += 1
            elif code.startswith(quote, at):
                at += len(quote) - 1
                quote = ""
        elif sign in "'\"":
            quote = sign * 3 if code.startswith(sign * 3, at) else sign
            at += len(quote) - 1
        elif sign == "(":
            depth += 1
        elif sign == ")":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None


def _found(code: str) -> Iterator[Called]:
    """The calls of known actions among other words."""
    names, at = re.compile(rf"\b(?:{'|'.join(ACTIONS)})\s*\("), 0
    while (begun := names.search(code, at)) is not None:
        end = end_of_call(code, begun.end() - 1)
        if end is None:
            return
        yield from calls(code[begun.start():end])
        at = end


def parsed(code: str) -> list[Called]:
    """The actions of a text; as BrowserGym has it, words may stand between them."""
    try:
        found = calls(code)
    except CodeError:
        if len(code) > MAX_CHARS:
            raise
        found = list(itertools.islice(_found(re.sub(r"(?m)^\s*#.*$", "", code)), MAX_CALLS + 1))
        if not 1 <= len(found) <= MAX_CALLS:
            raise
    if not found:
        raise CodeError("the action is empty")
    return found


class Translation:
    """The calls of one text of actions, on the screen that it was decided on."""

    def __init__(self, turn: Turn, hand: Hand, filled: str) -> None:
        self.hand, self.filled = hand, filled
        self.elements = {element.tag: element for element in turn.elements}
        self.has_dialog = bool(turn.untrusted.get("dialog"))
        self.made: list[Call] = []
        self.messages: list[tuple[str, str]] = []
        """What it says to its user: role and words."""
        self.is_over = False

    def of(self, code: str) -> list[Call]:
        for one in parsed(code):
            params, act = ACTIONS.get(one.name, ((), None))
            if act is None:
                raise CodeError(f"there is no action {one.name!r}; there are {', '.join(ACTIONS)}")
            act(self, one.bound(params))
            if self.is_over:
                break
        return self.made or [{"do": "wait", "seconds": 0}]

    def element(self, given: Mapping[str, Any], name: str = "bid") -> Element:
        bid = given.get(name)
        found = self.elements.get(int(bid)) if isinstance(bid, str) and re.fullmatch("[0-9]{1,9}", bid) else None
        if found is None:
            raise CodeError(f"no element has the {name} {str(bid)[:40]!r} on this screen; bids are texts such as '5'")
        return found

    def click(self, given: Mapping[str, Any], clicks: int) -> None:
        bid = given.get("bid")
        if self.has_dialog and isinstance(bid, str) and bid.startswith(DIALOG):
            return self.answer_dialog(bid)
        held = given.get("modifiers") or []
        if not isinstance(held, list) or not all(str(key).lower() in MODIFIERS for key in held):
            raise CodeError(f"modifiers are a list of Alt, Control, Meta and Shift, not {str(held)[:60]}")
        also = [MODIFIERS[str(key).lower()] for key in held]
        self.made.append(self.hand.click(self.element(given).tag, clicks, _button(given), also))

    def answer_dialog(self, bid: str) -> None:
        if bid == DIALOG + "ok":
            call: Call = {"do": "dialog", "reply": "accept"}
            self.made.append({**call, "text": self.filled} if self.filled else call)
        elif bid == DIALOG + "cancel":
            self.made.append({"do": "dialog", "reply": "dismiss"})
        else:
            raise CodeError(f"{bid!r} cannot be clicked; fill it in, then click '{DIALOG}ok'")

    def fill(self, given: Mapping[str, Any]) -> None:
        value = text(given.get("value"), "value")
        if self.has_dialog and given.get("bid") == DIALOG + "text":
            self.filled = value
            return
        tag = self.element(given).tag
        if given.get("enable_autocomplete_menu") and value:
            self.made.append({"do": "fill", "element": tag, "text": value[:-1]})
            self.made.append({"do": "type", "text": value[-1]})
        else:
            self.made.append({"do": "fill", "element": tag, "text": value})

    def select(self, given: Mapping[str, Any]) -> None:
        tag, options = self.element(given).tag, given.get("options")
        for option in options if isinstance(options, list) else [options]:
            self.made.append({"do": "select", "element": tag, "option": text(option, "an option")})

    def set_to(self, given: Mapping[str, Any], wanted: bool) -> None:
        element = self.element(given)
        if bool(element.states.get("checked")) != wanted:
            self.made.append({"do": "tap", "element": element.tag})

    def focus(self, given: Mapping[str, Any]) -> None:
        """Gives an element the keyboard, if that takes no pressing of it."""
        element = self.element(given)
        if not element.states.get("focused"):
            if "edit" not in element.can:
                raise CodeError(f"{given['bid']!r} cannot be focused without pressing it; click it, or use the Tab key")
            self.made.append({"do": "tap", "element": element.tag})

    def press(self, given: Mapping[str, Any]) -> None:
        bid, keys = given.get("bid"), chord(given.get("key_comb", ""))
        if self.has_dialog and bid == DIALOG + "text" and keys in (["Enter"], ["Escape"]):
            return self.answer_dialog(DIALOG + ("ok" if keys == ["Enter"] else "cancel"))
        element = self.element(given)
        if keys in (["Enter"], ["Space"], [" "]) and "edit" not in element.can and not element.states.get("focused"):
            # It does what pressing the element does.
            self.made.append({"do": "tap", "element": element.tag})
            return
        self.focus(given)
        self.made += self.hand.key(keys)

    def drag(self, given: Mapping[str, Any]) -> None:
        start, end = self.element(given, "from_bid"), self.element(given, "to_bid")
        self.made.append(self.hand.drag(start.tag, end.tag))

    def upload(self, given: Mapping[str, Any], element: Element) -> None:
        files = given.get("file")
        names = [os.path.basename(text(one, "a file")) for one in (files if isinstance(files, list) else [files])]
        self.made.append({"do": "upload", "element": element.tag, "file": names})

    def upload_at(self, given: Mapping[str, Any]) -> None:
        place = _place(given)
        for element in self.elements.values():
            x, y, width, height = element.box
            if "upload" in element.can and x <= place["x"] < x + width and y <= place["y"] < y + height:
                return self.upload(given, element)
        raise CodeError("there is no file field at this place")

    def wheel(self, given: Mapping[str, Any], where: Place | None, across: str, along: str) -> None:
        by = [number(given.get(name), name) / NOTCH for name in (across, along)]
        self.made += self.hand.scroll(where, *by)

    def mouse_down(self, given: Mapping[str, Any]) -> None:
        if self.hand.held:
            raise CodeError("a mouse button cannot be held while a key is")
        call: Call = {"do": "mouse_down", "element": _place(given)}
        self.made.append(call if _button(given) == "left" else {**call, "button": _button(given)})

    def key_down(self, given: Mapping[str, Any]) -> None:
        key = text(given.get("key"), "key")
        if not self.hand.hold(key):
            raise CodeError(f"{key!r} cannot be held; Alt, Control, Meta and Shift can. Use keyboard_press")

    def key_up(self, given: Mapping[str, Any]) -> None:
        self.made += self.hand.let_go(text(given.get("key"), "key"))

    def tab(self, given: Mapping[str, Any]) -> None:
        index = number(given.get("index"), "index")
        if index < 0 or index != int(index):
            raise CodeError("index is that of a tab, from 0")
        self.made.append({"do": "switch_tab", "tab": int(index) + 1})

    def wait(self, given: Mapping[str, Any]) -> None:
        seconds = number(given.get("wait_ms", 1000), "wait_ms") / 1000
        self.made.append({"do": "wait", "seconds": max(0.0, min(seconds, LONGEST_WAIT))})

    def type(self, given: Mapping[str, Any]) -> None:
        self.made.append({"do": "type", "text": text(given.get("text"), "text")})

    def say(self, given: Mapping[str, Any]) -> None:
        words = text(given.get("text"), "text")
        self.messages.append(("assistant", words))
        self.end({"do": "answer", "text": words})

    def report(self, given: Mapping[str, Any]) -> None:
        words = text(given.get("reason"), "reason")
        self.messages.append(("infeasible", words))
        self.end({"do": "infeasible", "reason": words})

    def end(self, call: Call) -> None:
        self.made.append(call)
        self.is_over = True


def _place(given: Mapping[str, Any], x: str = "x", y: str = "y") -> dict[str, float]:
    return {"x": number(given.get(x), x), "y": number(given.get(y), y)}


def _button(given: Mapping[str, Any]) -> str:
    button = given.get("button", "left")
    if button not in ("left", "middle", "right"):
        raise CodeError(f"button is left, middle or right, not {str(button)[:40]!r}")
    return str(button)


def _act(make: Callable[[Mapping[str, Any]], Call]) -> Callable[[Translation, Mapping[str, Any]], None]:
    return lambda to, given: to.made.append(make(given))


def _pointed(clicks: int) -> Callable[[Translation, Mapping[str, Any]], None]:
    return lambda to, given: to.made.append(to.hand.click(_place(given), clicks, _button(given)))


_CLICK, _POINT = ("bid", "button", "modifiers"), ("x", "y", "button")
_ENDS = ("from_x", "from_y", "to_x", "to_y")
ACTIONS: dict[str, tuple[Sequence[str], Callable[[Translation, Mapping[str, Any]], None]]] = {
    "click": (_CLICK, lambda to, given: to.click(given, 1)),
    "dblclick": (_CLICK, lambda to, given: to.click(given, 2)),
    "fill": (("bid", "value", "enable_autocomplete_menu"), Translation.fill),
    "clear": (("bid",), lambda to, given: to.made.append({"do": "clear", "element": to.element(given).tag})),
    "check": (("bid",), lambda to, given: to.set_to(given, True)),
    "uncheck": (("bid",), lambda to, given: to.set_to(given, False)),
    "select_option": (("bid", "options"), Translation.select),
    "hover": (("bid",), lambda to, given: to.made.append({"do": "hover", "element": to.element(given).tag})),
    "focus": (("bid",), Translation.focus),
    "press": (("bid", "key_comb"), Translation.press),
    "drag_and_drop": (("from_bid", "to_bid"), Translation.drag),
    "upload_file": (("bid", "file"), lambda to, given: to.upload(given, to.element(given))),
    "scroll": (("delta_x", "delta_y"), lambda to, given: to.wheel(given, None, "delta_x", "delta_y")),
    "scroll_at": (("x", "y", "dx", "dy"), lambda to, given: to.wheel(given, _place(given), "dx", "dy")),
    "mouse_move": (("x", "y"), _act(lambda given: {"do": "hover", "element": _place(given)})),
    "mouse_click": (_POINT, _pointed(1)),
    "mouse_dblclick": (_POINT, _pointed(2)),
    "mouse_down": (_POINT, Translation.mouse_down),
    "mouse_up": (_POINT, _act(lambda given: {"do": "mouse_up", "element": _place(given)})),
    "mouse_drag_and_drop": (_ENDS, lambda to, given: to.made.append(
        to.hand.drag(_place(given, "from_x", "from_y"), _place(given, "to_x", "to_y")))),
    "mouse_upload_file": (("x", "y", "file"), Translation.upload_at),
    "keyboard_press": (("key",), lambda to, given: to.made.extend(to.hand.key(chord(given.get("key", ""))))),
    "keyboard_type": (("text",), Translation.type),
    "keyboard_insert_text": (("text",), Translation.type),
    "keyboard_down": (("key",), Translation.key_down),
    "keyboard_up": (("key",), Translation.key_up),
    "goto": (("url",), _act(lambda given: {"do": "navigate", "url": text(given.get("url"), "url")})),
    "go_back": ((), _act(lambda _: {"do": "back"})),
    "go_forward": ((), _act(lambda _: {"do": "forward"})),
    "new_tab": ((), _act(lambda _: {"do": "new_tab"})),
    "tab_close": ((), _act(lambda _: {"do": "close_tab"})),
    "tab_focus": (("index",), Translation.tab),
    "noop": (("wait_ms",), Translation.wait),
    "send_msg_to_user": (("text",), Translation.say),
    "report_infeasible": (("reason",), Translation.report),
}
