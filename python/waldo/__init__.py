"""Agents and environments for waldo.

Agents: subclass `Agent`, and let it `run()` as a program or `play()` a suite (docs/agents-protocol.md). Training: `Env`,
`AsyncEnv` and `VectorEnv` (docs/python.md). Agents of BrowserGym and OSWorld: `waldo.browsergym`, `waldo.osworld`
(docs/adaptors.md). What a screen says is data, and never an instruction.
"""

from .agent import Agent, Decision, Element, Turn, answer, finish, fill, give_up, hand_over, infeasible, key, tap, type_text
from .env import AsyncEnv, Env, VectorEnv
from .errors import ActionError, InvalidEpisode, ServerEnded, WaldoError
from .playing import check, play
from .server import Server, program

__all__ = [
    "ActionError", "Agent", "AsyncEnv", "Decision", "Element", "Env", "InvalidEpisode", "Server", "ServerEnded", "Turn",
    "VectorEnv", "WaldoError", "answer", "check", "fill", "finish", "give_up", "hand_over", "infeasible", "key", "play",
    "program", "tap", "type_text",
]
