"""The program `waldo env`, which has the devices and plays the episodes."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from typing import IO, Any, Iterable, Union

from .errors import ServerEnded, WaldoError

Path = Union[str, "os.PathLike[str]"]


def program() -> str:
    """The program `waldo`: that of $WALDO_PROGRAM, of this environment, or of the path."""
    beside = pathlib.Path(sys.executable).with_name("waldo")
    found = os.environ.get("WALDO_PROGRAM") or (str(beside) if beside.exists() else shutil.which("waldo"))
    if found is None:
        raise WaldoError("there is no program 'waldo' on the path; install the wheel, or set WALDO_PROGRAM")
    return found


def _end(process: "subprocess.Popen[str]", owner: int) -> None:
    """Closes the server's standard input, upon which it ends with all that it started."""
    if owner != os.getpid():
        return  # a fork of the process that owns it
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout:
        process.stdout.close()


class Server:
    """The sessions of a suite, in one process.

    It is started for this process, and ends with it; with `socket` it is one that runs already (`waldo env SUITE --socket
    PATH`). `options` are further flags of `waldo env`.
    """

    def __init__(
        self,
        suite: Union[str, Iterable[str]] = (),
        *,
        sessions: int = 16,
        tasks: Iterable[str] = (),
        device: str | None = None,
        seed: int = 0,
        max_steps: int | None = None,
        record: Union[Path, bool, None] = None,
        socket: Path | None = None,
        options: Iterable[str] = (),
    ) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._said: IO[bytes] | None = None
        self.record: str | None = None
        if socket is not None:
            self.socket = os.fspath(socket)
            return
        suites = [suite] if isinstance(suite, str) else list(suite)
        if not suites:
            raise WaldoError("a server needs a suite, such as 'l3-web', or the socket of one that runs")
        command = [program(), "env", *suites, "--sessions", str(sessions), "--seed", str(seed)]
        for task in tasks:
            command += ["--task", task]
        if device is not None:
            command += ["--device", device]
        if max_steps is not None:
            command += ["--max-steps", str(max_steps)]
        if record is not None and record is not False:
            made = f"runs/env-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
            self.record = made if record is True else os.fspath(record)
            command += ["--out", self.record]
        self._said = tempfile.TemporaryFile()
        # A group of its own: Ctrl-C reaches this process, which ends the server in good order.
        self._process = subprocess.Popen(
            [*command, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, text=True,
            start_new_session=True,
        )
        self._finalizer = weakref.finalize(self, _end, self._process, os.getpid())
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise WaldoError(self.said() or f"waldo env ended with {self._process.returncode}")
        self.socket = str(json.loads(line)["socket"])

    @property
    def pid(self) -> int | None:
        """The server's process, where this process started it."""
        return None if self._process is None else self._process.pid

    def said(self) -> str:
        """The last of what the server printed to standard error."""
        if self._said is None or self._said.closed:
            return ""
        end = self._said.seek(0, os.SEEK_END)
        self._said.seek(max(0, end - 4096))
        return self._said.read().decode(errors="replace").strip()

    def ended(self, why: str) -> ServerEnded:
        """The error that tells of a connection that is gone."""
        if self._process is not None:
            try:
                why += f": it ended with {self._process.wait(timeout=2)}"
            except subprocess.TimeoutExpired:
                pass
        said = self.said()
        return ServerEnded(f"{why}{'; it said last: ' + said if said else ''}; create the environment again")

    def connect(self, timeout: float) -> socket.socket:
        """A connection of its own."""
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(timeout)
        try:
            connection.connect(self.socket)
        except OSError as error:
            connection.close()
            raise self.ended(f"nobody listens at {self.socket} ({error})") from None
        return connection

    def close(self) -> None:
        """Ends the server, and every session with it; one that was only connected to runs on."""
        if self._process is not None:
            self._finalizer()
        if self._said is not None:
            self._said.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
