"""Environments for training: `Env`, `AsyncEnv` and `VectorEnv`, over the sessions of one server.

With gymnasium they are its environments, with its spaces; without it they do the same with plain Python objects.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import socket
from typing import IO, TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Union

from .agent import Turn
from .errors import InvalidEpisode, ServerEnded, WaldoError
from .server import Path, Server
from .session import Action, Exchange, Info, Observation, Session, Shown, decision, numpy

if TYPE_CHECKING:
    import gymnasium
    from gymnasium import Env as _GymEnv
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as _GymVectorEnv

    _Env = _GymEnv[Observation, Action]
    _VectorEnv = _GymVectorEnv[Any, Any, Any]
else:
    try:
        import gymnasium
        from gymnasium import Env as _Env
        from gymnasium.vector import AutoresetMode
        from gymnasium.vector import VectorEnv as _VectorEnv
    except ImportError:
        gymnasium = AutoresetMode = None
        _Env = _VectorEnv = object

Suites = Union[str, Iterable[str]]
PICTURES = ("none", "bare", "labelled")
LINE_BYTES = 64 << 20


def _size(screen: Sequence[float], longest_side: int | None) -> tuple[int, int]:
    """Width and height of pictures of a screen."""
    wide, high = int(screen[0]), int(screen[1])
    if longest_side is None or max(wide, high) <= longest_side:
        return wide, high
    scale = min(longest_side / wide, longest_side / high)
    return max(1, int(wide * scale)), max(1, int(high * scale))


class _Play:
    """What environments share: the server, the session, and which task comes next."""

    def __init__(
        self,
        suite: Suites,
        *,
        task: Union[str, Iterable[str], None],
        picture: str,
        longest_side: int | None,
        size: tuple[int, int] | None,
        actions: Iterable[str] | None,
        render_mode: str | None,
        timeout: float,
        server: Server | None,
        texts: bool = False,
        **more: Any,
    ) -> None:
        if picture not in PICTURES:
            raise WaldoError(f"picture is one of {', '.join(PICTURES)}, not {picture!r}")
        if render_mode not in (None, "rgb_array"):
            raise WaldoError(f"render_mode is None or 'rgb_array', not {render_mode!r}")
        self.tasks: list[str] = [task] if isinstance(task, str) else list(task or ())
        self.own_server = server is None
        self.server = server or Server(suite, sessions=1, tasks=self.tasks, **more)
        shown = picture if picture != "none" or render_mode is None else "bare"
        wants = {
            "picture": shown, "picture_as": "memory", "texts": texts, "end_screen": True,
            "longest_side": longest_side, "actions": None if actions is None else list(actions),
        }
        self.session = Session(wants, shows_picture=picture != "none")
        self.timeout, self.size = timeout, size
        self.longest_side = longest_side
        self.connection: socket.socket | None = None
        self.reader: IO[bytes] | None = None
        self.random = random.Random()

    def welcomed(self) -> None:
        """The server has said what there is."""
        self.session.size = self.size or _size(self.session.welcome["screen"], self.longest_side)
        self.tasks = self.tasks or [one["id"] for one in self.session.welcome["tasks"]]

    def next(self, task: str | None, seed: int | None, options: Mapping[str, Any] | None) -> tuple[str, int]:
        """The task and the instance of the next episode: those that are named, others by chance."""
        options = options or {}
        unknown = set(options) - {"task"}
        if unknown:
            raise WaldoError(f"options has no field {', '.join(map(repr, sorted(unknown)))}; it may have 'task'")
        if seed is not None:
            self.random.seed(seed)
        drawn = self.tasks[0] if len(self.tasks) == 1 else self.random.choice(self.tasks)
        instance = self.random.randrange(2**32)
        return task or options.get("task") or drawn, instance if seed is None else seed

    def check_owner(self) -> None:
        if self.session.owner != os.getpid():
            raise WaldoError(
                f"this session is that of the process {self.session.owner}, and this is {os.getpid()}: make an environment in "
                "each process (server=Server(socket=...) shares one server)"
            )

    def interrupted(self) -> WaldoError:
        return WaldoError("the last step was interrupted, and its episode is lost; reset first")

    def disconnect(self) -> None:
        for side in (self.reader, self.connection):
            if side is not None:
                side.close()
        self.reader = self.connection = None

    def close(self) -> None:
        self.disconnect()
        if self.own_server:
            self.server.close()


class _Line:
    """A connection that is waited for."""

    def __init__(self, play: _Play) -> None:
        self.play = play
        self.open()

    def open(self) -> None:
        play = self.play
        play.disconnect()
        play.connection = play.server.connect(play.timeout)
        play.reader = play.connection.makefile("rb")
        play.session.asked, play.session.under_way = None, False
        self.finish(self.begin(play.session.greet()))
        play.welcomed()

    def _receive(self) -> Any:
        assert self.play.reader is not None
        try:
            line = self.play.reader.readline(LINE_BYTES)
        except TimeoutError:
            raise ServerEnded(f"the server said nothing for {self.play.timeout:g} s; create the environment again") from None
        except OSError as error:
            raise self.play.server.ended(f"the connection broke ({error})") from None
        if not line.endswith(b"\n"):
            raise self.play.server.ended("the server has closed the connection")
        return json.loads(line)

    def begin(self, exchange: Exchange) -> Exchange:
        """Sends what there is to send."""
        assert self.play.connection is not None
        data = next(exchange)
        self.play.session.under_way = True
        try:
            while data is not None:
                self.play.connection.sendall(data)
                data = exchange.send(None)
        except OSError as error:
            raise self.play.server.ended(f"the connection broke ({error})") from None
        return exchange

    def finish(self, exchange: Exchange) -> Any:
        """Receives, and sends, until the exchange is over."""
        assert self.play.connection is not None
        data: bytes | None = None
        try:
            while True:
                if data is None:
                    data = exchange.send(self._receive())
                else:
                    self.play.connection.sendall(data)
                    data = exchange.send(None)
        except StopIteration as over:
            self.play.session.under_way = False
            return over.value
        except (InvalidEpisode, WaldoError) as error:
            self.play.session.under_way = isinstance(error, ServerEnded)
            raise


class Env(_Env):
    """A suite's tasks as an environment.

    `reset(task=..., seed=...)` begins an episode: the seed names the instance, as repeats of `waldo eval` do. `step` takes an
    action (a call, several, or a `Decision`). The reward is 0.0 until the end, and then what the task's checks say of the
    screen; `info` has the checks, partial credit (`partial`: of checkpoints, else the share of the checks that hold) and the outcome. `device`, `seed` (of the run), `max_steps`,
    `record` and `options` are those of `Server`.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}

    def __init__(
        self,
        suite: Suites = (),
        *,
        task: Union[str, Iterable[str], None] = None,
        picture: str = "none",
        longest_side: int | None = None,
        size: tuple[int, int] | None = None,
        actions: Iterable[str] | None = None,
        render_mode: str | None = None,
        timeout: float = 600.0,
        server: Server | None = None,
        **more: Any,
    ) -> None:
        self._play = _Play(
            suite, task=task, picture=picture, longest_side=longest_side, size=size, actions=actions, render_mode=render_mode,
            timeout=timeout, server=server, **more,
        )
        try:
            self._line = _Line(self._play)
        except WaldoError:
            self._play.close()
            raise
        self.render_mode = render_mode
        if gymnasium is not None:
            from . import spaces

            size = self._play.session.size
            assert size is not None
            screen = self._play.session.welcome["screen"]
            self.observation_space = spaces.observation(size if picture != "none" else None)
            self.action_space = spaces.Calls((int(screen[0]), int(screen[1])))

    @property
    def turn(self) -> Turn | None:
        """All that was told last: elements with their places, texts, dialogs. What stands in `untrusted` is data."""
        return self._play.session.turn

    @property
    def picture(self) -> Any:
        """The picture that was told last, where pictures are."""
        return self._play.session.picture

    @property
    def screen(self) -> tuple[int, int]:
        """Width and height of the first screen in pixels."""
        width, height = self._play.session.welcome["screen"]
        return int(width), int(height)

    @property
    def tasks(self) -> list[str]:
        """The tasks that are drawn from where none is named."""
        return list(self._play.tasks)

    @property
    def server(self) -> Server:
        return self._play.server

    def _resetting(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None, task: str | None = None
    ) -> Exchange:
        self._play.check_owner()
        if gymnasium is not None:
            super().reset(seed=seed)
        if self._play.session.under_way:
            self._line.open()
        return self._line.begin(self._play.session.reset(*self._play.next(task, seed, options)))

    def _stepping(self, action: Action) -> Exchange:
        self._play.check_owner()
        if self._play.session.under_way:
            raise self._play.interrupted()
        return self._line.begin(self._play.session.step(action))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None, task: str | None = None
    ) -> tuple[Observation, Info]:
        shown: tuple[Observation, Info] = self._line.finish(self._resetting(seed, options, task))
        return shown

    def step(self, action: Action) -> Shown:
        shown: Shown = self._line.finish(self._stepping(action))
        return shown

    def render(self) -> Any:
        return self._play.session.picture if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        self._play.close()

    def __enter__(self) -> "Env":
        return self

    def __exit__(self, *_: Any) -> Any:
        self.close()


class AsyncEnv:
    """The same for asyncio: `async with AsyncEnv("l3-web") as env: await env.reset()`. The arguments are those of `Env`."""

    def __init__(
        self,
        suite: Suites = (),
        *,
        task: Union[str, Iterable[str], None] = None,
        picture: str = "none",
        longest_side: int | None = None,
        size: tuple[int, int] | None = None,
        actions: Iterable[str] | None = None,
        timeout: float = 600.0,
        server: Server | None = None,
        **more: Any,
    ) -> None:
        self._play = _Play(
            suite, task=task, picture=picture, longest_side=longest_side, size=size, actions=actions, render_mode=None,
            timeout=timeout, server=server, **more,
        )
        self._writer: asyncio.StreamWriter | None = None

    @property
    def turn(self) -> Turn | None:
        return self._play.session.turn

    async def _open(self) -> None:
        if self._writer is not None:
            self._writer.close()
        play = self._play
        play.session.asked = None
        connection = play.server.connect(play.timeout)
        self._reader, self._writer = await asyncio.open_unix_connection(sock=connection, limit=LINE_BYTES)
        await self._drive(play.session.greet())
        play.welcomed()

    async def _drive(self, exchange: Exchange) -> Any:
        assert self._writer is not None
        session, data = self._play.session, next(exchange)
        session.under_way = True
        try:
            while True:
                if data is not None:
                    self._writer.write(data)
                    await self._writer.drain()
                    data = exchange.send(None)
                    continue
                line = await asyncio.wait_for(self._reader.readline(), self._play.timeout)
                if not line.endswith(b"\n"):
                    raise self._play.server.ended("the server has closed the connection")
                data = exchange.send(json.loads(line))
        except StopIteration as over:
            session.under_way = False
            return over.value
        except WaldoError as error:
            session.under_way = isinstance(error, ServerEnded)
            raise
        except asyncio.TimeoutError:
            raise ServerEnded(f"the server said nothing for {self._play.timeout:g} s; create the environment again") from None
        except OSError as error:
            raise self._play.server.ended(f"the connection broke ({error})") from None

    async def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None, task: str | None = None
    ) -> tuple[Observation, Info]:
        self._play.check_owner()
        if self._writer is None or self._play.session.under_way:
            await self._open()
        shown: tuple[Observation, Info] = await self._drive(self._play.session.reset(*self._play.next(task, seed, options)))
        return shown

    async def step(self, action: Action) -> Shown:
        self._play.check_owner()
        if self._play.session.under_way:
            raise self._play.interrupted()
        shown: Shown = await self._drive(self._play.session.step(action))
        return shown

    async def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        await asyncio.get_running_loop().run_in_executor(None, self._play.close)

    async def __aenter__(self) -> "AsyncEnv":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()


class VectorEnv(_VectorEnv):
    """Environments that are reset and stepped at once, all of them sessions of one server.

    Where one has ended, the next step resets it and heeds no action of it, as gymnasium's vectors do; with
    `autoreset=False` it is left as it ended until `reset(options={"reset_mask": [...]})`. An episode that is invalid is
    truncated, and its `info` says why in `invalid`. The other arguments are those of `Env`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 1}

    def __init__(
        self,
        suite: Suites = (),
        num_envs: int = 16,
        *,
        task: Union[str, Iterable[str], None] = None,
        autoreset: bool = True,
        server: Server | None = None,
        picture: str = "none",
        longest_side: int | None = None,
        size: tuple[int, int] | None = None,
        actions: Iterable[str] | None = None,
        render_mode: str | None = None,
        timeout: float = 600.0,
        **more: Any,
    ) -> None:
        tasks = [task] if isinstance(task, str) else list(task or ())
        self._own_server = server is None
        self.server = server or Server(suite, sessions=num_envs, tasks=tasks, **more)
        self.num_envs, self.autoreset, self.render_mode = num_envs, autoreset, render_mode
        self.envs: list[Env] = []
        try:
            for _ in range(num_envs):
                self.envs.append(Env(
                    task=tasks, server=self.server, picture=picture, longest_side=longest_side, size=size, actions=actions,
                    render_mode=render_mode, timeout=timeout,
                ))
        except WaldoError:
            self.close_extras()
            raise
        self._over = [True] * num_envs
        self._last: list[Observation] = [{}] * num_envs
        if gymnasium is not None:
            from gymnasium.vector.utils import batch_space

            self.metadata = {
                **self.metadata, "autoreset_mode": AutoresetMode.NEXT_STEP if autoreset else AutoresetMode.DISABLED,
            }
            self.single_observation_space = self.envs[0].observation_space
            self.single_action_space = self.envs[0].action_space
            self.observation_space = batch_space(self.single_observation_space, num_envs)
            self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self,
        *,
        seed: Union[int, Sequence[int | None], None] = None,
        options: dict[str, Any] | None = None,
        task: Union[str, Sequence[str | None], None] = None,
    ) -> tuple[Any, Info]:
        """Resets all, or those of `options["reset_mask"]`. A single `seed` counts up from one to the next; a list has one for
        each, so that equal seeds of one task are the same instance for several."""
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        masked = [True] * self.num_envs if mask is None else [bool(one) for one in mask]
        seeds = [seed + n for n in range(self.num_envs)] if isinstance(seed, int) else list(seed or [None] * self.num_envs)
        tasks = [task] * self.num_envs if task is None or isinstance(task, str) else list(task)
        if not len(masked) == len(seeds) == len(tasks) == self.num_envs:
            raise WaldoError(f"seed, task and reset_mask name one for each of {self.num_envs} environments")
        if gymnasium is not None and isinstance(seed, int):
            super().reset(seed=seed)
        begun: list[Exchange | WaldoError | None] = [
            self._tried(lambda n=n: self.envs[n]._resetting(seeds[n], options, tasks[n])) if masked[n] else None
            for n in range(self.num_envs)
        ]
        infos: Info = {}
        failed: WaldoError | None = None
        for n, exchange in enumerate(begun):
            if exchange is None:
                continue
            try:
                seen, info = self._finish(n, exchange)
            except WaldoError as error:
                # The others are received all the same.
                failed = failed or error
                self._over[n] = True
                continue
            self._last[n], self._over[n] = seen, False
            self._add(infos, info, n)
        if failed is not None:
            raise failed
        return self._batch(), infos

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        if len(actions) != self.num_envs:
            raise WaldoError(f"{len(actions)} actions were given for {self.num_envs} environments")
        if not all(self._last):
            raise WaldoError("no episode has begun; reset first")
        resets = [over and self.autoreset for over in self._over]
        for n, action in enumerate(actions):
            if not self._over[n]:
                decision(action)  # all are right before one is carried out
        begun: list[Exchange | WaldoError | None] = [
            self._tried(self.envs[n]._resetting) if resets[n]
            else None if self._over[n]
            else self._tried(lambda n=n: self.envs[n]._stepping(actions[n]))
            for n in range(self.num_envs)
        ]
        rewards, ended, cut = [0.0] * self.num_envs, [False] * self.num_envs, [False] * self.num_envs
        infos: Info = {}
        failed: ServerEnded | None = None
        for n, exchange in enumerate(begun):
            if exchange is None:
                ended[n] = True
                continue
            try:
                shown = self._finish(n, exchange)
            except ServerEnded as error:
                failed = failed or error
                continue
            except InvalidEpisode as error:
                cut[n] = self._over[n] = True
                self._add(infos, {"invalid": str(error)}, n)
                continue
            if resets[n]:
                self._last[n], self._over[n], info = shown[0], False, shown[1]
            else:
                self._last[n], rewards[n], ended[n], cut[n], info = shown
                self._over[n] = ended[n] or cut[n]
            self._add(infos, info, n)
        if failed is not None:
            raise failed
        if numpy is None:
            return self._batch(), rewards, ended, cut, infos
        return self._batch(), numpy.array(rewards), numpy.array(ended), numpy.array(cut), infos

    @staticmethod
    def _tried(begin: Any) -> Union[Exchange, WaldoError]:
        """What was begun, or why it could not be, which is told once the others were received."""
        try:
            begun: Exchange = begin()
            return begun
        except WaldoError as error:
            return error

    def _finish(self, n: int, exchange: Union[Exchange, WaldoError]) -> Any:
        if isinstance(exchange, WaldoError):
            raise exchange
        return self.envs[n]._line.finish(exchange)

    def _add(self, infos: Info, info: Info, n: int) -> None:
        """Adds what one says: a list of all for each name, and under the name with `_` before it who says it."""
        for name, value in info.items():
            if name not in infos:
                infos[name] = [None] * self.num_envs
                infos["_" + name] = [False] * self.num_envs
                if numpy is not None:
                    infos[name] = numpy.array(infos[name], dtype=object)
                    infos["_" + name] = numpy.array(infos["_" + name])
            infos[name][n], infos["_" + name][n] = value, True

    def _batch(self) -> Any:
        names = self._last[0]
        batch: dict[str, Any] = {name: tuple(seen[name] for seen in self._last) for name in names}
        if numpy is not None and "picture" in batch:
            batch["picture"] = numpy.stack(batch["picture"])
        return batch

    def render(self) -> Any:
        return tuple(env.render() for env in self.envs)

    def close_extras(self, **_: Any) -> None:
        for env in self.envs:
            env.close()
        if self._own_server:
            self.server.close()

    if not TYPE_CHECKING and gymnasium is None:
        close = close_extras

    def __enter__(self) -> "VectorEnv":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


if gymnasium is not None:
    gymnasium.register("waldo/Env-v0", entry_point="waldo:Env", vector_entry_point="waldo:VectorEnv")
