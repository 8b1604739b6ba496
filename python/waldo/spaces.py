"""The spaces of the environments, where gymnasium is installed."""

from __future__ import annotations

import string
from typing import Any

import gymnasium
import numpy

from .errors import ActionError
from .session import Action, decision


class Text(gymnasium.Space[str]):
    """Any text."""

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        return "".join(self.np_random.choice(list(string.ascii_letters), 8))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "Text()"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Text)


class Calls(gymnasium.Space[Action]):
    """What `step` takes; a sample taps anywhere on the screen, which has this width and height."""

    def __init__(self, size: tuple[int, int], seed: int | None = None) -> None:
        self.size = size
        super().__init__(None, None, seed)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> Action:
        x, y = (int(self.np_random.integers(0, side)) for side in self.size)
        return {"do": "tap", "element": {"x": x, "y": y}}

    def contains(self, x: Any) -> bool:
        try:
            decision(x)
        except ActionError:
            return False
        return True

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"Calls({self.size})"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Calls) and other.size == self.size


def observation(size: tuple[int, int] | None) -> gymnasium.spaces.Dict:
    """The space of observations; with pictures of this width and height."""
    spaces: dict[str, gymnasium.Space[Any]] = {name: Text() for name in ("goal", "title", "screen", "dialog", "last")}
    if size is not None:
        spaces["picture"] = gymnasium.spaces.Box(0, 255, (size[1], size[0], 3), numpy.uint8)
    return gymnasium.spaces.Dict(spaces)
