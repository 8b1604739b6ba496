"""waldo's tasks for agents that were written for BrowserGym: an environment with the interface of its `BrowserEnv`.

An episode is one of `waldo.Env`. `register` makes a suite's tasks `browsergym/waldo.SUITE.TASK`, so that BrowserGym's own loop plays
them. See docs/adaptors.md for what is translated, and what is not.
"""

from __future__ import annotations

import copy
import json
import pathlib
import subprocess
import time
from typing import TYPE_CHECKING, Any, Callable, Iterable, Union

from .agent import Turn
from .browsergym_actions import Translation
from .browsergym_page import axtree, dom, extra_properties
from .env import Env, Suites
from .errors import WaldoError
from .hand import Hand
from .screen import failures
from .server import program
from .session import numpy

if TYPE_CHECKING:
    import gymnasium
    from gymnasium import Env as _GymEnv

    _Env = _GymEnv[dict[str, Any], str]
else:
    try:
        import gymnasium
        from gymnasium import Env as _Env
    except ImportError:
        gymnasium = None
        _Env = object

Observation = dict[str, Any]
Shown = tuple[Observation, float, bool, bool, dict[str, Any]]


def _array(value: float) -> Any:
    """An array of one number; a list without numpy."""
    return [value] if numpy is None else numpy.asarray([value])


class Chat:
    """What agent and user have said to each other."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []

    def add_message(self, role: str, msg: str) -> None:
        self.messages.append({"role": role, "timestamp": time.time(), "message": msg})


class BrowserEnv(_Env):
    """A suite's tasks with the interface of BrowserGym's `BrowserEnv`.

    `step` takes actions of BrowserGym's high-level action set as text. `send_msg_to_user` answers, and ends the episode, as
    `report_infeasible` does. `action_mapping` is the agent's: what it refuses is refused, and what it makes is not run. The other
    arguments are those of `waldo.Env`.
    """

    metadata = {"render_modes": [None]}

    def __init__(
        self,
        suite: Suites = "l3-web",
        *,
        task: Union[str, Iterable[str], None] = None,
        action_mapping: Callable[[str], Any] | None = None,
        headless: bool = True,
        wait_for_user_message: bool = False,
        use_raw_page_output: bool = False,
        **more: Any,
    ) -> None:
        if wait_for_user_message or use_raw_page_output:
            raise WaldoError("there is neither a user nor a page of Playwright here: leave wait_for_user_message and "
                             "use_raw_page_output out")
        self.action_mapping = action_mapping
        self.env = Env(suite, task=task, picture="bare", texts=True, **more)
        self.chat = Chat()
        self._hand, self._filled = Hand((0, 0)), ""
        self._started, self._last_action, self._last_error = 0.0, "", ""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None, task: str | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        if gymnasium is not None:
            super().reset(seed=seed)
        _, info = self.env.reset(seed=seed, options=options, task=task)
        self.chat = Chat()
        self.chat.add_message("user", self._turn().goal)
        self._hand, self._filled = Hand((0, 0)), ""
        self._started, self._last_action, self._last_error = time.time(), "", ""
        return self._observed(), {"task_info": info}

    def step(self, action: str) -> Shown:
        """Carries actions out: as a whole, or, where something in them cannot be, nothing of them. Why is in `last_action_error`."""
        hand = copy.deepcopy(self._hand)
        info: dict[str, Any] = {"action_exec_start": time.time(), "action_exec_timeout": 0}
        self._last_action, self._last_error = str(action), ""
        calls: list[Any] = []
        translation = Translation(self._turn(), hand, self._filled)
        try:
            if self.action_mapping is not None:
                self.action_mapping(action)
            calls = translation.of(action)
        except Exception as error:  # the agent's own mapping may raise anything; BrowserGym tells it the same way
            calls, self._last_error = [], f"{type(error).__name__}: {error}"
        else:
            self._hand, self._filled = hand, translation.filled
            for role, words in translation.messages:
                self.chat.add_message(role, words)
        _, reward, ended, cut, told = self.env.step(calls)
        info["action_exec_stop"], info["task_info"] = time.time(), told
        if calls:
            self._last_error = failures(self._turn().last)
        if not self._turn().untrusted.get("dialog"):
            self._filled = ""
        return self._observed(), reward, ended, cut, info

    def _turn(self) -> Turn:
        turn = self.env.turn
        if turn is None:
            raise WaldoError("no episode has begun; reset first")
        return turn

    def _observed(self) -> Observation:
        turn = self._turn()
        said = turn.untrusted
        titles = list(said.get("tabs") or ()) or [said["title"]]
        active = titles.index(said["title"]) if said["title"] in titles else 0
        urls = ["" for _ in titles]
        urls[active] = said["location"]
        focused = [str(element.tag) for element in turn.elements if element.states.get("focused")]
        return {
            "chat_messages": tuple(copy.deepcopy(self.chat.messages)),
            "goal": turn.goal,
            "goal_object": ({"type": "text", "text": turn.goal},),
            "open_pages_urls": tuple(urls),
            "open_pages_titles": tuple(titles),
            "active_page_index": _array(active),
            "url": said["location"],
            "screenshot": self.env.picture,
            "dom_object": dom(turn),
            "axtree_object": axtree(turn, self._filled),
            "extra_element_properties": extra_properties(turn),
            "focused_element_bid": focused[0] if focused else "",
            "last_action": self._last_action,
            "last_action_error": self._last_error,
            "elapsed_time": _array(time.time() - self._started),
        }

    def close(self) -> None:
        self.env.close()

    def __enter__(self) -> "BrowserEnv":
        return self

    def __exit__(self, *_: Any) -> Any:
        self.close()


def register(suite: str = "l3-web", **more: Any) -> list[str]:
    """Registers a suite's tasks with gymnasium, and gives the names under which BrowserGym's loop makes them.

    A name is `waldo.SUITE.TASK`, as `EnvArgs(task_name=...)` takes it. `more` are arguments of `BrowserEnv`.
    """
    if gymnasium is None:
        raise WaldoError("tasks are registered with gymnasium: install it")
    listed = subprocess.run([program(), "tasks", suite, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if listed.returncode != 0:
        raise WaldoError(listed.stderr.strip() or f"waldo ended with {listed.returncode}")
    names = []
    for entry in json.loads(listed.stdout):
        name = f"waldo.{pathlib.Path(suite).name}.{entry['id']}"
        gymnasium.register(
            id=f"browsergym/{name}", entry_point="waldo.browsergym:BrowserEnv", nondeterministic=True,
            kwargs={"suite": suite, "task": entry["id"], **more},
        )
        names.append(name)
    return names
