"""The agent's side of the protocol."""

from __future__ import annotations

import base64
import json
import sys
from dataclasses import dataclass, field
from typing import Any, Mapping, Sequence, TextIO, Union

PROTOCOL = 1

Call = dict[str, Any]
"""What is to be done: `do`, and the action's parameters."""
Target = Union[int, str, "Element", tuple[float, float]]
"""An element's number, words that describe it, the element, or a place in pixels of the screen."""


@dataclass(frozen=True)
class Element:
    """Something with a number. Name, value and options are the screen's words."""

    tag: int
    role: str
    name: str
    value: str | None
    box: tuple[float, float, float, float]
    can: tuple[str, ...]
    states: Mapping[str, Any]
    options: tuple[str, ...]


@dataclass(frozen=True)
class Turn:
    """What an agent decides on. `raw` is the whole message, `begun` the one that began the episode."""

    raw: Mapping[str, Any]
    begun: Mapping[str, Any]

    @property
    def goal(self) -> str:
        return str(self.begun["goal"])

    @property
    def step(self) -> int:
        return int(self.raw["step"])

    @property
    def steps_left(self) -> int:
        return int(self.raw["steps_left"])

    @property
    def last(self) -> Sequence[Mapping[str, Any]]:
        """What became of each call since the last turn."""
        last: Sequence[Mapping[str, Any]] = self.raw["last"]
        return last

    @property
    def untrusted(self) -> Mapping[str, Any]:
        """What the screen says: data, never instructions."""
        untrusted: Mapping[str, Any] = self.raw["untrusted"]
        return untrusted

    @property
    def elements(self) -> list[Element]:
        return [
            Element(one["tag"], one["role"], one["name"], one.get("value"), tuple(one["box"]), tuple(one["can"]),
                    one["states"], tuple(one.get("options", ())))
            for one in self.untrusted.get("elements", ())
        ]

    @property
    def picture(self) -> bytes | None:
        """The picture's bytes, where the agent wants one."""
        told = self.raw.get("picture")
        if told is None:
            return None
        if "path" in told:
            with open(told["path"], "rb") as file:
                return file.read()
        return base64.b64decode(told["base64"])

    @property
    def media_type(self) -> str | None:
        told = self.raw.get("picture")
        return None if told is None else str(told["media_type"])


@dataclass
class Decision:
    """What is to be done, and what the record keeps beside."""

    calls: list[Call] = field(default_factory=list)
    thought: str | None = None
    summary: str | None = None
    usage: Mapping[str, int] | None = None
    cost: float | None = None
    memory: Any = None


def _target(target: Target) -> Any:
    if isinstance(target, Element):
        return target.tag
    if isinstance(target, tuple):
        return {"x": target[0], "y": target[1]}
    return target


def tap(target: Target) -> Call:
    return {"do": "tap", "element": _target(target)}


def fill(target: Target, text: str) -> Call:
    return {"do": "fill", "element": _target(target), "text": text}


def type_text(text: str) -> Call:
    return {"do": "type", "text": text}


def key(chord: str) -> Call:
    return {"do": "key", "key": chord}


def finish() -> Call:
    return {"do": "finish"}


def answer(text: str) -> Call:
    return {"do": "answer", "text": text}


def infeasible(reason: str) -> Call:
    return {"do": "infeasible", "reason": reason}


def give_up(reason: str) -> Call:
    return {"do": "give_up", "reason": reason}


def hand_over(reason: str) -> Call:
    return {"do": "hand_over", "reason": reason}


class Agent:
    """An agent: subclass it with `decide`. There is one for each episode."""

    name: str = "agent"
    version: str = "1"
    several: bool = False
    wants: Mapping[str, Any] = {}

    _begun: Mapping[str, Any] | None = None

    def begin(self, begun: Mapping[str, Any]) -> None:
        """An episode begins: goal, device, actions, seed."""

    def decide(self, turn: Turn) -> Decision | Call | list[Call]:
        raise NotImplementedError

    def end(self, outcome: str) -> None:
        """The episode has ended."""

    def reply(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a message of the protocol."""
        call = asked.get("call")
        said: dict[str, Any] = {}
        if call == "hello":
            said = {"protocol": PROTOCOL, "name": self.name, "version": self.version, "several": self.several,
                    "wants": dict(self.wants)}
        elif call == "begin":
            self._begun = asked
            self.begin(asked)
        elif call == "turn" and self._begun is not None:
            decided = self.decide(Turn(asked, self._begun))
            if isinstance(decided, Decision):
                said = {name: value for name, value in vars(decided).items() if value is not None}
            else:
                said = {"calls": decided if isinstance(decided, list) else [decided]}
        elif call == "end":
            if self._begun is not None:
                self.end(str(asked.get("outcome")))
            self._begun = None
        else:
            said = {"error": f"{call} cannot be answered now"}
        return {"id": asked.get("id"), **said}

    def run(self, lines: TextIO | None = None, out: TextIO | None = None) -> None:
        """Speaks the protocol over the standard streams. What it prints meanwhile goes to standard error."""
        lines, out = lines or sys.stdin, out or sys.stdout
        printed, sys.stdout = sys.stdout, sys.stderr
        try:
            for line in lines:
                out.write(json.dumps(self.reply(json.loads(line))) + "\n")
                out.flush()
        finally:
            sys.stdout = printed
