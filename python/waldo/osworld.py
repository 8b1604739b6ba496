"""waldo's tasks for agents that were written for OSWorld: a `DesktopEnv` with the interface of that of `desktop_env`.

An episode is one of `waldo.Env`. See docs/adaptors.md for what is translated, and what is not.
"""

from __future__ import annotations

import copy
import logging
import re
from typing import Any, Iterable, Mapping, Sequence, Union
from xml.sax.saxutils import escape, quoteattr

from .agent import Element, Turn, finish, infeasible
from .env import Env, Suites
from .errors import WaldoError
from .hand import Hand
from .literal import CodeError
from .osworld_actions import LONGEST_WAIT, Action, Translation, special
from .screen import Words, failures, items, png

Observation = dict[str, Any]

ACTION_SPACES = ("pyautogui", "computer_13", "claude_computer_use")
OF_A_MACHINE = ("provider_name", "region", "path_to_vm", "snapshot_name", "cache_dir", "headless", "os_type", "enable_proxy",
                "client_password")
"""Arguments of OSWorld's that say which virtual machine is used; there is none here."""

_NAMESPACES = {
    "st": "https://accessibility.ubuntu.example.org/ns/state",
    "cp": "https://accessibility.ubuntu.example.org/ns/component",
    "attr": "https://accessibility.windows.example.org/ns/attributes",
}
"""Those by which OSWorld's agents look attributes up."""
_TAGS = {
    "button": "push-button", "checkbox": "check-box", "switch": "toggle-button", "radio": "radio-button", "combobox": "combo-box",
    "listbox": "combo-box", "textbox": "entry", "searchbox": "entry", "spinbutton": "entry", "link": "link",
    "menuitem": "menu-item", "menuitemcheckbox": "check-menu-item", "menuitemradio": "radio-menu-item", "menu": "menu",
    "option": "list-item", "listitem": "list-item", "treeitem": "tree-item", "cell": "table-cell", "gridcell": "table-cell",
    "slider": "slider", "img": "image", "image": "image", "canvas": "canvas", "heading": "heading", "terminal": "terminal",
    "scrollbar": "scroll-bar", "columnheader": "table-cell", "rowheader": "table-cell",
}
"""Names of AT-SPI for roles; others are a `section`, whose class is the role. All are among those that OSWorld's agents keep."""
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
log = logging.getLogger("waldo.osworld")


def _clean(words: str) -> str:
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", words)


def _node(item: Union[Element, Words]) -> str:
    """An element or text as a node; only what stands on the screen is listed, so all of it is shown and usable."""
    x, y, width, height = (round(side) for side in item.box)
    states = ["enabled", "showing", "visible"]
    inside = description = ""
    if isinstance(item, Words):
        tag, role, name = "label", "text", item.text
    else:
        tag, role, name = _TAGS.get(item.role, "section"), item.role, item.name
        inside = item.value or ""
        description = "options: " + " | ".join(item.options) if item.options else ""
        states += ["editable"] if "edit" in item.can else []
        states += [state for state in ("focused", "checked", "selected", "expanded") if item.states.get(state)]
        # OSWorld's agents drop what has neither name nor text.
        name = name or ("" if inside else role)
    said = "".join(f' st:{state}="true"' for state in states)
    return (
        f"<{tag} name={quoteattr(_clean(name))} attr:class={quoteattr(_clean(role))}"
        f" attr:description={quoteattr(_clean(description))}{said}"
        f' cp:screencoord="({max(0, x)}, {max(0, y)})" cp:size="({width}, {height})">{escape(_clean(inside))}</{tag}>'
    )


def tree(turn: Turn) -> str:
    """The screen as XML, in the form of OSWorld's accessibility tree. Its words are the screen's."""
    spaces = "".join(f' xmlns:{short}="{name}"' for short, name in _NAMESPACES.items())
    title, place = (quoteattr(_clean(str(turn.untrusted[name]))) for name in ("title", "location"))
    body = "\n".join(_node(item) for item in items(turn))
    dialog = turn.untrusted.get("dialog")
    if dialog:
        body = f"<alert name={quoteattr(_clean(': '.join(dialog[:2])))}/>\n{body}"
    return f"<desktop-frame{spaces}><application name={place}><frame name={title}>\n{body}\n</frame></application></desktop-frame>"


class Controller:
    """The part of OSWorld's controller that reads; acting goes by `DesktopEnv.step`."""

    def __init__(self, env: "DesktopEnv") -> None:
        self._env = env

    def get_screenshot(self) -> bytes:
        return self._env._screenshot()

    def get_accessibility_tree(self) -> str:
        return tree(self._env._turn())

    def get_terminal_output(self) -> None:
        return None

    def get_vm_platform(self) -> str:
        return self._env.vm_platform

    def get_vm_screen_size(self) -> dict[str, int]:
        return self._env.vm_screen_size

    def start_recording(self) -> None:
        log.info("no film is made: `record` of DesktopEnv keeps the episode, and `waldo export` makes a film of it")

    def end_recording(self, dest: str) -> None:
        log.info("there is no film to put at %s", dest)


class DesktopEnv:
    """A suite's tasks with the interface of OSWorld's `DesktopEnv`.

    `reset(task_config={"id": ..., "seed": ...})` begins a task. `step` takes pyautogui code, a dictionary of `computer_13`, or
    WAIT, DONE, FAIL. `evaluate` says what the task's checks find. The other arguments are those of `waldo.Env`.
    """

    def __init__(
        self,
        suite: Suites = "l3-desktop",
        *,
        action_space: str = "pyautogui",
        screen_size: Sequence[int] | None = None,
        require_a11y_tree: bool = True,
        require_terminal: bool = False,
        task: Union[str, Iterable[str], None] = None,
        **more: Any,
    ) -> None:
        if action_space not in ACTION_SPACES:
            raise WaldoError(f"action_space is one of {', '.join(ACTION_SPACES)}, not {action_space!r}")
        for name in OF_A_MACHINE:
            more.pop(name, None)
        self.action_space = action_space
        self.require_a11y_tree, self.require_terminal = require_a11y_tree, require_terminal
        self.env = Env(suite, task=task, picture="bare", texts=True, **more)
        self.screen_width, self.screen_height = self.env.screen
        if screen_size is not None and tuple(screen_size) != self.env.screen:
            self.env.close()
            raise WaldoError(f"the screen has {self.screen_width} x {self.screen_height} pixels, not {tuple(screen_size)}; "
                             "leave screen_size out")
        self.controller = Controller(self)
        self.instruction: str | None = None
        self.task_id: str | None = None
        self.action_history: list[Action] = []
        self.info: dict[str, Any] = {}
        """What `waldo.Env` told with the last step; at the end outcome and checks."""
        self._hand = Hand((0, 0))
        self._over = True

    def reset(
        self, task_config: Mapping[str, Any] | None = None, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> Observation:
        """Begins the task `id` of `task_config`, in the instance of `seed` (of the configuration, of the argument, 0)."""
        given = task_config or {}
        if seed is None:
            seed = int(given.get("seed", 0)) if given else None
        _, self.info = self.env.reset(seed=seed, options=options, task=given.get("id"))
        turn = self._turn()
        self.task_id, self.instruction = str(self.info["task"]), turn.goal
        self.action_history = []
        width, height = self._size()
        self._hand, self._over = Hand((width / 2, height / 2)), False
        return self._get_obs()

    def step(self, action: Action, pause: float = 2) -> tuple[Observation, float, bool, dict[str, Any]]:
        """Carries an action out: as a whole, or, where something in it cannot be, nothing of it.

        The last of what is given back has `error` where something was not done. `pause` is how long WAIT takes.
        """
        if self._over:
            return self._get_obs(), 0.0, True, {"error": "the episode has ended; reset first"}
        self.action_history.append(action)
        kind = special(action)
        if kind == "DONE":
            return self._play([finish()], {"done": True})
        if kind == "FAIL":
            return self._play([infeasible("the agent says that the task cannot be done")], {"fail": True})
        if kind == "WAIT":
            return self._play([{"do": "wait", "seconds": max(0.0, min(float(pause), LONGEST_WAIT))}], {})
        hand = copy.deepcopy(self._hand)
        can_paste = any(one["do"] == "paste" for one in self._turn().begun["device"]["actions"])
        try:
            made = Translation(hand, can_paste).of(action)
        except CodeError as error:
            return self._play([], {"error": str(error)})
        self._hand = hand
        return self._play(made, {})

    def _play(self, calls: list[Any], info: dict[str, Any]) -> tuple[Observation, float, bool, dict[str, Any]]:
        # Where the step fails there is no episode any more.
        self.info, self._over = {}, True
        _, reward, ended, cut, self.info = self.env.step(calls)
        self._over = ended or cut
        failed = failures(self._turn().last) if calls else ""
        if failed:
            info["error"] = failed
        if self._over:
            info |= {name: self.info[name] for name in ("outcome", "success", "checks")}
        return self._get_obs(), reward, self._over, info

    def evaluate(self) -> float:
        """What the task's checks find, from 0 to 1. An episode that is under way ends with it, as if its agent were done."""
        if not self._over:
            self._play([finish()], {})
        if "success" not in self.info:
            raise WaldoError("there is no episode that could be judged; reset first")
        return float(self.info["success"] or 0.0)

    def _get_obs(self) -> Observation:
        return {
            "screenshot": self._screenshot(),
            "accessibility_tree": tree(self._turn()) if self.require_a11y_tree else None,
            "terminal": None,
            "instruction": self.instruction,
        }

    def _turn(self) -> Turn:
        turn = self.env.turn
        if turn is None:
            raise WaldoError("no episode has begun; reset first")
        return turn

    def _screenshot(self) -> bytes:
        return png(self.env.picture)

    def _size(self) -> tuple[int, int]:
        told = self._turn().raw.get("device") or self._turn().begun["device"]
        return int(told["screen"][0]), int(told["screen"][1])

    @property
    def vm_platform(self) -> str:
        return "Android" if self._turn().begun["device"]["platform"] == "android" else "Linux"

    @property
    def vm_screen_size(self) -> dict[str, int]:
        return {"width": self.screen_width, "height": self.screen_height}

    def render(self, mode: str = "rgb_array") -> bytes:
        """The screenshot as a PNG, as OSWorld has it."""
        return self._screenshot()

    def close(self) -> None:
        self.env.close()

    def __enter__(self) -> "DesktopEnv":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
