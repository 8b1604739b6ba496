"""What adaptors make calls of the protocol with: a place of the pointer, and keys that are held."""

from __future__ import annotations

from typing import Iterable, Sequence, Union

from .agent import Call
from .literal import CodeError

Place = Union[int, dict[str, float]]
"""An element's number, or a place in pixels of the screen."""

MODIFIERS = {
    "ctrl": "ctrl", "ctrlleft": "ctrl", "ctrlright": "ctrl", "control": "ctrl", "controlleft": "ctrl", "controlright": "ctrl",
    "controlormeta": "ctrl", "alt": "alt", "altleft": "alt", "altright": "alt", "option": "alt", "optionleft": "alt",
    "optionright": "alt", "shift": "shift", "shiftleft": "shift", "shiftright": "shift", "meta": "meta", "metaleft": "meta",
    "metaright": "meta", "win": "meta", "winleft": "meta", "winright": "meta", "command": "meta", "cmd": "meta", "super": "meta",
}
"""Keys that can be held, as each is called by others."""

_PLAIN = {(1, "left"): "tap", (2, "left"): "double_tap", (3, "left"): "triple_tap", (1, "right"): "right_tap"}
_CLICKS = {1: "single", 2: "double", 3: "triple"}
_SIGNS = {" ": "space", "\n": "enter", "\r": "enter", "\t": "tab"}
MOST_TIMES = 50
MOST_NOTCHES = 100


class Hand:
    """A pointer and a keyboard whose state an agent changes in one step and relies on in the next."""

    def __init__(self, at: tuple[float, float]) -> None:
        self.at = at
        self.held: list[str] = []
        self.unused: set[str] = set()
        """Held keys that nothing was done with yet."""

    def place(self) -> dict[str, float]:
        return {"x": self.at[0], "y": self.at[1]}

    def modifiers(self, also: Iterable[str] = ()) -> str:
        """The keys that are held, and others, as calls name them."""
        self.unused.clear()
        return "+".join(dict.fromkeys([*self.held, *also]))

    def click(self, where: Place, clicks: int = 1, button: str = "left", also: Iterable[str] = ()) -> Call:
        held = self.modifiers(also)
        if clicks not in _CLICKS:
            raise CodeError(f"{clicks} clicks cannot be made at once; 1, 2 or 3 can")
        plain = _PLAIN.get((clicks, button))
        if plain is not None and not held:
            return {"do": plain, "element": where}
        within = {"element": where, "x": 50, "y": 50} if isinstance(where, int) else where
        call = {"do": "tap_at", "element": within, "clicks": _CLICKS[clicks], "button": button}
        return {**call, "modifiers": held} if held else call

    def key(self, keys: Sequence[str], times: int = 1) -> list[Call]:
        """Presses keys at once."""
        if not 1 <= times <= 4 * MOST_TIMES:
            raise CodeError(f"a key is pressed from 1 to {4 * MOST_TIMES} times, not {times}")
        named = [MODIFIERS.get(key.lower(), _SIGNS.get(key, key)) for key in keys]
        held = [key for key in self.modifiers().split("+") if key and key not in named]
        call: Call = {"do": "key", "key": "+".join([*held, *named])}
        parts = [MOST_TIMES] * (times // MOST_TIMES) + ([times % MOST_TIMES] if times % MOST_TIMES else [])
        return [call if part == 1 else {**call, "times": part} for part in parts]

    def hold(self, key: str) -> bool:
        """Holds a key from now on; False where it is none that can be held."""
        name = MODIFIERS.get(key.lower())
        if name is not None and name not in self.held:
            self.held.append(name)
            self.unused.add(name)
        return name is not None

    def let_go(self, key: str) -> list[Call]:
        """Lets go of a held key; one that nothing was done with was pressed by itself."""
        name = MODIFIERS.get(key.lower())
        if name is None or name not in self.held:
            return []
        was_unused = name in self.unused
        self.held.remove(name)
        self.unused.discard(name)
        return self.key([name]) if was_unused else []

    def drag(self, start: Place, end: Place, button: str = "left") -> Call:
        call: Call = {"do": "drag", "from": start, "to": end}
        if button != "left":
            call["button"] = button
        held = self.modifiers()
        return {**call, "modifiers": held} if held else call

    def scroll(self, where: Place | None, right: float, down: float) -> list[Call]:
        """Turns the wheel by notches; one direction after the other."""
        held = self.modifiers()
        made = []
        for by, ways in ((down, ("down", "up")), (right, ("right", "left"))):
            if by:
                notches = max(1, min(MOST_NOTCHES, round(abs(by))))
                call: Call = {"do": "scroll", "direction": ways[by < 0], "notches": notches}
                if where is not None:
                    call["element"] = where
                made.append({**call, "modifiers": held} if held else call)
        return made
