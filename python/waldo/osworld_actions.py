"""From the actions of OSWorld's agents (pyautogui code, or dictionaries of `computer_13`) to calls of waldo."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Union

from .agent import Call
from .hand import MODIFIERS, Hand
from .literal import Called, CodeError, calls, checked, number, text

Action = Union[str, Mapping[str, Any]]

MOST = 100
"""Calls of one piece of code."""
LONGEST_WAIT = 10.0
_TWEENS = [f"ease{way}{kind}" for way in ("In", "Out", "InOut")
           for kind in ("Quad", "Cubic", "Quart", "Quint", "Sine", "Expo", "Circ", "Elastic", "Back", "Bounce")]
CONSTANTS = {
    **{f"pyautogui.{name}": None for name in ("linear", *_TWEENS)},
    **{f"pyautogui.{name.upper()}": name for name in ("left", "middle", "right", "primary", "secondary")},
}
SETTINGS = ("pyautogui.",)
"""What code sets of pyautogui itself, such as PAUSE and FAILSAFE, has no meaning here."""
_BUTTONS = {"left": "left", "primary": "left", 1: "left", "middle": "middle", 2: "middle",
            "right": "right", "secondary": "right", 3: "right"}

# Parameters in their order, as pyautogui has them. Those of time and of the way there have no meaning: waldo waits until the screen is still.
_END = ("logScreenshot", "_pause")
_CLICK = ("x", "y", "clicks", "interval", "button", "duration", "tween", *_END)
_TO = ("x", "y", "duration", "tween", *_END)
_SIDE = ("x", "y", "interval", "duration", "tween", *_END)
_MORE = ("x", "y", "interval", "button", "duration", "tween", *_END)
_BY = ("xOffset", "yOffset", "duration", "tween", *_END)
_DRAG_TO = ("x", "y", "duration", "tween", "button", *_END, "mouseDownUp")
_DRAG_BY = ("xOffset", "yOffset", "duration", "tween", "button", *_END, "mouseDownUp")
_HOLD = ("x", "y", "button", "duration", "tween", *_END)
_WHEEL = ("clicks", "x", "y", *_END)

_OF_DICTIONARIES = {
    "MOVE_TO": "moveTo", "CLICK": "click", "MOUSE_DOWN": "mouseDown", "MOUSE_UP": "mouseUp", "RIGHT_CLICK": "rightClick",
    "DOUBLE_CLICK": "doubleClick", "DRAG_TO": "dragTo", "TYPING": "typewrite", "PRESS": "press", "KEY_DOWN": "keyDown",
    "KEY_UP": "keyUp",
}
"""Action types of `computer_13` whose parameters are those of a function of pyautogui."""
_RENAMED = {"num_clicks": "clicks", "text": "message", "key": "keys"}


def special(action: Action) -> str | None:
    """WAIT, DONE or FAIL, where the action is one of them."""
    kind = action.strip() if isinstance(action, str) else action.get("action_type") if isinstance(action, Mapping) else None
    return kind if kind in ("WAIT", "DONE", "FAIL") else None


def _of_dictionary(action: Mapping[str, Any]) -> list[Called]:
    kind = action.get("action_type")
    given = action.get("parameters")
    if given is None:
        given = {name: value for name, value in action.items() if name != "action_type"}
    if not isinstance(given, Mapping):
        raise CodeError(f"the parameters of {kind} are no dictionary")
    named = {str(name): checked(value) for name, value in given.items()}
    if kind == "HOTKEY":
        keys = named.get("keys")
        return [Called("pyautogui.hotkey", keys if isinstance(keys, list) else [keys])]
    if kind == "SCROLL":
        ways = (("dy", "scroll"), ("dx", "hscroll"))
        turned = [Called(f"pyautogui.{name}", [named[by]]) for by, name in ways if named.get(by)]
        if not turned:
            raise CodeError("SCROLL needs dx or dy")
        return turned
    name = _OF_DICTIONARIES.get(str(kind))
    if name is None:
        raise CodeError(f"there is no action_type {kind!r}")
    if name in ("keyDown", "keyUp"):
        return [Called(f"pyautogui.{name}", [named.get("key")])]
    return [Called(f"pyautogui.{name}", (), {_RENAMED.get(one, one): value for one, value in named.items()})]


class Translation:
    """The calls of one action. What it does to pointer and keys stays in the hand."""

    def __init__(self, hand: Hand, can_paste: bool) -> None:
        self.hand, self.can_paste = hand, can_paste
        self.made: list[Call] = []
        self.waits = 0.0
        self.moved = False
        """Whether the pointer stands where no call has put it."""
        self.copied: str | None = None
        self.down: set[str] = set()

    def of(self, action: Action) -> list[Call]:
        if isinstance(action, Mapping) and "command" in action and "action_type" not in action:
            action = text(action["command"], "command")
        if isinstance(action, str):
            found = calls(action, CONSTANTS, SETTINGS)
        elif isinstance(action, Mapping):
            found = _of_dictionary(action)
        else:
            raise CodeError(f"an action is code or a dictionary, not {type(action).__name__}")
        for one in found:
            module, _, name = one.name.rpartition(".")
            act = _FUNCTIONS.get(name) if module in ("", "pyautogui") else _OTHERS.get(one.name)
            if act is None:
                raise CodeError(f"{one.name} cannot be carried out here; there are pyautogui's {', '.join(_FUNCTIONS)}")
            act(self, one)
            if len(self.made) > MOST:
                raise CodeError(f"the code comes to more than {MOST} calls")
        self.settle()
        if self.down:
            raise CodeError(f"{', '.join(sorted(self.down))} cannot be held; {', '.join(sorted(set(MODIFIERS.values())))} can")
        if self.copied is not None:
            raise CodeError("what is copied has to be pasted in the same code, with pyautogui.hotkey('ctrl', 'v')")
        if not self.made:
            self.made.append({"do": "wait", "seconds": min(self.waits, LONGEST_WAIT)})
        return self.made

    def settle(self) -> None:
        """Has the pointer moved to where it stands, if nothing else was done there."""
        if self.moved:
            self.made.append({"do": "hover", "element": self.hand.place()})
            self.moved = False

    def check_free(self, what: str) -> None:
        if self.hand.held:
            raise CodeError(f"{what} while {'+'.join(self.hand.held)} is held; let go first")

    def go(self, given: Mapping[str, Any]) -> None:
        """To the place that is given, if one is. A pointer that was moved before is told of first."""
        x, y = given.get("x"), given.get("y")
        if isinstance(x, list):
            if len(x) != 2:
                raise CodeError("a place has two numbers, x and y")
            x, y = x
        if x is None and y is None:
            return
        self.settle()
        here = self.hand.at
        self.hand.at = (here[0] if x is None else number(x, "x"), here[1] if y is None else number(y, "y"))

    def click(self, one: Called, params: tuple[str, ...], clicks: int = 1, button: str = "left") -> None:
        given = one.bound(params)
        self.go(given)
        self.moved = False
        times = int(number(given.get("clicks", clicks), "clicks"))
        self.made.append(self.hand.click(self.hand.place(), times, _button(given, button)))

    def move(self, one: Called) -> None:
        self.go(one.bound(_TO))
        self.moved = True

    def move_by(self, one: Called) -> None:
        given = one.bound(_BY)
        self.go(self.offset(given))
        self.moved = True

    def offset(self, given: Mapping[str, Any]) -> dict[str, float]:
        by = [number(given.get(name) or 0, name) for name in ("xOffset", "yOffset")]
        return {"x": self.hand.at[0] + by[0], "y": self.hand.at[1] + by[1]}

    def drag(self, one: Called, is_relative: bool) -> None:
        given = one.bound(_DRAG_BY if is_relative else _DRAG_TO)
        start, self.moved = self.hand.place(), False
        self.go(self.offset(given) if is_relative else given)
        self.made.append(self.hand.drag(start, self.hand.place(), _button(given, "left")))

    def mouse_down(self, one: Called) -> None:
        given = one.bound(_HOLD)
        self.go(given)
        self.moved = False
        self.check_free("a mouse button cannot be held")
        button = _button(given, "left")
        call: Call = {"do": "mouse_down", "element": self.hand.place()}
        self.made.append(call if button == "left" else {**call, "button": button})

    def mouse_up(self, one: Called) -> None:
        self.go(one.bound(_HOLD))
        self.moved = False
        self.made.append({"do": "mouse_up", "element": self.hand.place()})

    def scroll(self, one: Called, is_sideways: bool) -> None:
        given = one.bound(_WHEEL)
        self.go(given)
        self.moved = False
        by = number(given.get("clicks"), "clicks")
        self.made += self.hand.scroll(self.hand.place(), by if is_sideways else 0, 0 if is_sideways else -by)

    def write(self, one: Called) -> None:
        self.settle()
        message = one.bound(("message", "interval", *_END)).get("message")
        if isinstance(message, list):
            for key in message:
                self.made += self.hand.key([text(key, "a key")])
        elif text(message, "message"):
            self.check_free("text cannot be typed")
            self.made.append({"do": "type", "text": message})

    def press(self, one: Called) -> None:
        self.settle()
        given = one.bound(("keys", "presses", "interval", *_END))
        keys, times = given.get("keys"), int(number(given.get("presses", 1), "presses"))
        if isinstance(keys, list):
            for _ in range(min(times, MOST + 1)):
                for key in keys:
                    self.made += self.hand.key([text(key, "a key")])
        else:
            self.made += self.hand.key([text(keys, "a key")], times)

    def hotkey(self, one: Called) -> None:
        self.settle()
        keys = one.args[0] if len(one.args) == 1 and isinstance(one.args[0], list) else one.args
        names = [text(key, "a key") for key in keys]
        if not names:
            raise CodeError("hotkey needs keys")
        if self.copied is not None and [MODIFIERS.get(name.lower(), name.lower()) for name in names] == ["ctrl", "v"]:
            self.made.append({"do": "paste" if self.can_paste else "type", "text": self.copied})
            self.copied = None
            return
        self.made += self.hand.key(names)

    def key_down(self, one: Called) -> None:
        self.settle()
        key = text(one.bound(("key", *_END)).get("key"), "key")
        if not self.hand.hold(key):
            self.made += self.hand.key([key])
            self.down.add(key)

    def key_up(self, one: Called) -> None:
        self.settle()
        key = text(one.bound(("key", *_END)).get("key"), "key")
        self.down.discard(key)
        self.made += self.hand.let_go(key)

    def sleep(self, one: Called) -> None:
        self.waits += max(0.0, number(one.bound(("secs",)).get("secs"), "seconds"))

    def copy(self, one: Called) -> None:
        self.copied = text(one.bound(("text",)).get("text"), "what is copied")


def _button(given: Mapping[str, Any], default: str) -> str:
    named = given.get("button", default)
    found = _BUTTONS.get(named.lower() if isinstance(named, str) else named) if isinstance(named, (str, int)) else None
    if found is None:
        raise CodeError(f"there is no button {named!r}")
    return found


_FUNCTIONS: dict[str, Callable[[Translation, Called], None]] = {
    "click": lambda to, one: to.click(one, _CLICK),
    "leftClick": lambda to, one: to.click(one, _SIDE),
    "rightClick": lambda to, one: to.click(one, _SIDE, button="right"),
    "middleClick": lambda to, one: to.click(one, _SIDE, button="middle"),
    "doubleClick": lambda to, one: to.click(one, _MORE, clicks=2),
    "tripleClick": lambda to, one: to.click(one, _MORE, clicks=3),
    "moveTo": Translation.move,
    "moveRel": Translation.move_by,
    "move": Translation.move_by,
    "dragTo": lambda to, one: to.drag(one, is_relative=False),
    "dragRel": lambda to, one: to.drag(one, is_relative=True),
    "drag": lambda to, one: to.drag(one, is_relative=True),
    "mouseDown": Translation.mouse_down,
    "mouseUp": Translation.mouse_up,
    "scroll": lambda to, one: to.scroll(one, is_sideways=False),
    "vscroll": lambda to, one: to.scroll(one, is_sideways=False),
    "hscroll": lambda to, one: to.scroll(one, is_sideways=True),
    "write": Translation.write,
    "typewrite": Translation.write,
    "press": Translation.press,
    "hotkey": Translation.hotkey,
    "keyDown": Translation.key_down,
    "keyUp": Translation.key_up,
    "sleep": Translation.sleep,
}
_OTHERS: dict[str, Callable[[Translation, Called], None]] = {"time.sleep": Translation.sleep, "pyperclip.copy": Translation.copy}
