"""One session: what is said over its connection, apart from the connection."""

from __future__ import annotations

import json
import mmap
import os
from dataclasses import dataclass, field
from typing import Any, Generator, Mapping, Sequence, Union

from .agent import Decision, Turn
from .errors import ActionError, InvalidEpisode, ServerEnded, WaldoError

try:
    import numpy as numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

Observation = dict[str, Any]
Info = dict[str, Any]
Action = Union[Mapping[str, Any], Sequence[Mapping[str, Any]], str, Decision]
"""A call such as `{"do": "tap", "element": 5}`, several, the same as JSON text, or a decision with its thought."""
Shown = tuple[Observation, float, bool, bool, Info]
Exchange = Generator[Union[bytes, None], Any, Any]
"""Yields what is to be sent, or None where a message is to be received."""

LIMITS = ("step_limit", "time_limit", "token_limit", "cost_limit", "agent_failed")
"""Outcomes that cut an episode off; `agent_failed` says that no action came in time."""


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy, as JSON has them."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not JSON")


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, default=_plain).encode() + b"\n"


def decision(action: Action) -> dict[str, Any]:
    """The answer to a turn that an action is."""
    said: dict[str, Any] = {}
    calls: Any = action
    if isinstance(action, Decision):
        said = {name: value for name, value in vars(action).items() if value is not None}
        calls = action.calls
    elif isinstance(action, str):
        try:
            calls = json.loads(action)
        except ValueError:
            raise ActionError(
                f"the text is not JSON: {action[:200]!r}; give one such as '{{\"do\": \"tap\", \"element\": 5}}', or [] for a "
                "step that does nothing"
            ) from None
    calls = [calls] if isinstance(calls, Mapping) else calls
    if isinstance(calls, (str, bytes)) or not isinstance(calls, Sequence):
        raise ActionError(f"{calls!r} is no action; give one such as {{'do': 'tap', 'element': 5}}")
    for call in calls:
        if not isinstance(call, Mapping) or not isinstance(call.get("do"), str):
            raise ActionError(f"{call!r} is no action: it needs 'do', the name of one, such as 'tap'")
    return {**said, "calls": [dict(call) for call in calls]}


def pixels(told: Mapping[str, Any]) -> Any:
    """A picture of a turn without a copy: an array of numpy (height, width, 3), or the same as a view of memory."""
    shape = (told["height"], told["width"], 3)
    with open(told["path"], "rb") as file:
        # A copy is made of what is written to alone.
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    if numpy is None:
        return memoryview(mapped).cast("B", list(shape))
    return numpy.frombuffer(mapped, numpy.uint8).reshape(shape)


def fitted(picture: Any, size: tuple[int, int]) -> Any:
    """A picture of exactly this width and height: cut, or filled up with black, at the right and below."""
    wide, high = size
    if numpy is None or picture.shape == (high, wide, 3):
        return picture
    whole = numpy.zeros((high, wide, 3), numpy.uint8)
    part = picture[:high, :wide]
    whole[: part.shape[0], : part.shape[1]] = part
    return whole


@dataclass
class Session:
    """What a session wants to be told, and where it stands."""

    wants: dict[str, Any]
    shows_picture: bool
    owner: int = field(default_factory=os.getpid)
    welcome: Mapping[str, Any] = field(default_factory=dict)
    begun: Mapping[str, Any] | None = None
    turn: Turn | None = None
    asked: int | None = None
    """The number of the turn that waits for an action."""
    picture: Any = None
    size: tuple[int, int] | None = None
    task: str = ""
    seed: int = 0
    under_way: bool = False
    """Whether an exchange was begun and not ended."""

    def greet(self) -> Exchange:
        """Receives the first message."""
        self.welcome = self._checked((yield None))

    def _checked(self, message: Mapping[str, Any]) -> Mapping[str, Any]:
        if message["call"] == "refused":
            raise WaldoError(str(message["error"]))
        if message["call"] == "closed":
            raise ServerEnded(f"the server closed the session: {message['error']}")
        return message

    def reset(self, task: str, seed: int) -> Exchange:
        """Begins an episode; one that is under way is given up."""
        if not 0 <= seed < 2**32:
            raise WaldoError(f"the seed {seed} is not from 0 to 2^32 - 1")
        known = [one["id"] for one in self.welcome["tasks"]]
        if task not in known:
            some = ", ".join(known[:20]) + (" …" if len(known) > 20 else "")
            raise WaldoError(f"there is no task {task!r} here; there are {some}")
        if self.asked is not None:
            try:
                yield from self._play([{"do": "give_up", "reason": "the session was reset"}])
            except InvalidEpisode:
                pass  # it is over all the same
        self.task, self.seed, self.begun, self.turn, self.picture = task, seed, None, None, None
        yield _line({"call": "reset", "task": task, "seed": seed, "wants": self.wants})
        shown = yield from self._receive()
        if self.asked is None:
            raise InvalidEpisode(f"the episode of {task} ended before its first turn: {shown[4].get('claim')}")
        return shown[0], shown[4]

    def step(self, action: Action) -> Exchange:
        """Acts, and receives what comes of it."""
        said = decision(action)
        if self.asked is None:
            raise WaldoError("the episode has ended; reset first" if self.begun else "no episode has begun; reset first")
        return (yield from self._play(said["calls"], said))

    def _play(self, calls: Sequence[Any], said: Mapping[str, Any] | None = None) -> Exchange:
        line = _line({**(said or {"calls": calls}), "id": self.asked})
        self.asked = None
        yield line
        return (yield from self._receive())

    def _receive(self) -> Exchange:
        """Receives until it is this side's turn, or the episode has ended."""
        while True:
            message = self._checked((yield None))
            call = message["call"]
            if call == "begin":
                self.begun = message
            elif call == "turn":
                self.asked = message["id"]
                self._see(message)
                return self._observation(), 0.0, False, False, self._info()
            elif call == "end":
                if message.get("screen") and self.turn is not None:
                    self._see({**self.turn.raw, "last": [], "steps_left": 0, **message["screen"]})
                yield _line({"id": message["id"]})
            elif call == "result":
                return self._ended(message)

    def _see(self, message: Mapping[str, Any]) -> None:
        assert self.begun is not None
        self.turn = Turn(message, self.begun)
        told = message.get("picture")
        self.picture = pixels(told) if told else None

    def _observation(self) -> Observation:
        assert self.turn is not None
        said = self.turn.untrusted
        seen = {
            "goal": self.turn.goal,
            "title": said["title"],
            "screen": said.get("list", ""),
            "dialog": json.dumps(said["dialog"]) if "dialog" in said else "",
            "last": json.dumps(self.turn.last) if self.turn.last else "",
        }
        if self.shows_picture:
            seen["picture"] = fitted(self.picture, self.size) if self.size and self.picture is not None else self.picture
        return seen

    def _info(self) -> Info:
        assert self.turn is not None
        return {
            "task": self.task,
            "seed": self.seed,
            "step": self.turn.step,
            "steps_left": self.turn.steps_left,
            "tags": [element.tag for element in self.turn.elements],
        }

    def _ended(self, message: Mapping[str, Any]) -> Shown:
        result = message["result"]
        outcome = result["outcome"]
        if outcome == "invalid":
            raise InvalidEpisode(f"the episode of {self.task} is invalid: {result['reason']}")
        checks = result["checks"]
        info = self._info() if self.turn is not None else {"task": self.task, "seed": self.seed}
        share = sum(check["passed"] for check in checks) / len(checks) if checks else None
        info |= {
            "outcome": outcome,
            "success": result["success"],
            "partial": result.get("partial", share),
            "questions": result.get("questions", 0),
            "checks": checks,
            "claim": result.get("claim"),
            "steps": result["steps"],
            "refused": result["refused"],
            "record": message["folder"],
        }
        cut = outcome in LIMITS
        seen = self._observation() if self.turn is not None else {}
        return seen, float(result["success"] or 0.0), not cut, cut, info
