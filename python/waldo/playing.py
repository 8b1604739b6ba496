"""Playing suites with agents of this process."""

from __future__ import annotations

import copy
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
from typing import Any, Callable, Iterable, Union

from .agent import Agent
from .errors import WaldoError
from .server import program

Maker = Union[Agent, type[Agent], Callable[[], Agent]]


def _is_of_this_user(port: int) -> bool:
    """Whether the process at the other end of a connection on loopback is of this user; where the system does not tell, yes."""
    try:
        lines = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
    except OSError:
        return True
    rows = (line.split() for line in lines)
    return any(int(row[1].rpartition(":")[2], 16) == port and int(row[7]) == os.getuid() for row in rows)


def _server(agent: Maker, port: int) -> http.server.ThreadingHTTPServer:
    """Serves an agent for each episode on a free port of this machine."""
    episodes: dict[str, Agent] = {}

    def made() -> Agent:
        return copy.deepcopy(agent) if isinstance(agent, Agent) else agent()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if not _is_of_this_user(self.client_address[1]):
                self.send_error(403, "this agent is another user's")
                return
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            episode = str(asked.get("episode"))
            if asked.get("call") == "begin":
                episodes[episode] = made()
            try:
                one = episodes.get(episode) or made()
                said = one.reply(asked)
            except Exception as error:  # it is told, and fails this episode alone
                said = {"id": asked.get("id"), "error": f"{type(error).__name__}: {error}"}
            if asked.get("call") == "end":
                episodes.pop(episode, None)
            body = json.dumps(said).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    return server


def play(
    agent: Maker,
    suite: str,
    *,
    workers: int = 2,
    tasks: Iterable[str] = (),
    repeats: int = 1,
    seed: int = 0,
    port: int = 0,
    out: Union[str, os.PathLike[str], None] = None,
    options: Iterable[str] = (),
) -> list[dict[str, Any]]:
    """Plays a suite with an agent of this process, and gives the rows of its score table.

    `agent` is a subclass of `Agent`, something that makes one, or an agent that is copied for each episode; several workers
    ask from several threads. The row is named by the address, so a run that is to be resumed names its `port`. `options` are
    further flags of `waldo eval`, such as `--device` or `--with-bounds`.
    """
    server = _server(agent, port)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="waldo-play-") as folder:
        try:
            command = [program(), "eval", suite, "--agent", f"http://127.0.0.1:{server.server_port}", "--json",
                       "--workers", str(workers), "--repeats", str(repeats), "--seed", str(seed),
                       "--out", os.fspath(out or os.path.join(folder, "run")), *options]
            for task in tasks:
                command += ["--task", task]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        finally:
            server.shutdown()
            server.server_close()
    try:
        return list(json.loads(done.stdout)["table"])
    except (json.JSONDecodeError, KeyError):
        raise WaldoError(done.stderr.strip() or f"waldo ended with {done.returncode}") from None


def check(*command: str) -> bool:
    """Whether a program keeps the protocol; prints what it does not keep."""
    return subprocess.run([program(), "agents", "check", "--", *command]).returncode == 0
