"""Reads calls out of code that an agent wrote, such as `click('5')` or `pyautogui.click(3, 4)`. Nothing of it is ever run.

Arguments are literals, names that the code itself gives literals, and arithmetic of numbers. Code that holds anything else is
refused as a whole.
"""

from __future__ import annotations

import ast
import io
import math
import operator
import tokenize
import warnings
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Mapping, Sequence

MAX_CHARS = 256 << 10
MAX_TOKENS = 20_000
MAX_NESTED = 1000
"""Tokens of one statement: they bound how deeply it can be nested."""
MAX_DIGITS = 40
MAX_NUMBER = 1e9
MAX_CALLS = 200

Arithmetic = Callable[[Any, Any], Any]
_BINARY: dict[type[ast.operator], Arithmetic] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


class CodeError(ValueError):
    """The code cannot be carried out; nothing of it was done."""


@dataclass(frozen=True)
class Called:
    """A call: the function with the names before it, and what it is given."""

    name: str
    args: Sequence[Any] = ()
    named: Mapping[str, Any] = field(default_factory=dict)

    def bound(self, params: Sequence[str]) -> dict[str, Any]:
        """Its arguments by these parameters' names."""
        if len(self.args) > len(params):
            raise CodeError(f"{self.name} takes at most {len(params)} arguments, and {len(self.args)} are given")
        found = dict(zip(params, self.args))
        for name, value in self.named.items():
            if name not in params or name in found:
                raise CodeError(f"{self.name} has no parameter {name!r}, or it is given twice; it has {', '.join(params)}")
            found[name] = value
        return found


def checked(value: Any) -> Any:
    """The value, where JSON and the screen can have it: no number that is huge or none, no text with half a character."""
    if isinstance(value, (list, tuple)):
        return [checked(one) for one in value]
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise CodeError("a text holds half a character (a surrogate)") from None
    elif isinstance(value, (int, float)):
        if not math.isfinite(value) or abs(value) > MAX_NUMBER:
            raise CodeError(f"a number is not between -{MAX_NUMBER:g} and {MAX_NUMBER:g}")
    elif value is not None:
        raise CodeError(f"a {type(value).__name__} is neither text, number, list, True, False nor None")
    return value


def number(value: Any, what: str) -> float:
    """The value, which has to be a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise CodeError(f"{what} is {str(value)[:60]!r}, and has to be a number")
    return value


def text(value: Any, what: str) -> str:
    """The value, which has to be a text."""
    if not isinstance(value, str):
        raise CodeError(f"{what} is {str(value)[:60]!r}, and has to be a text")
    return value


def _check_size(code: str) -> None:
    """Refuses what could take long, or nest too deeply for the parser."""
    if len(code) > MAX_CHARS:
        raise CodeError(f"the code has {len(code)} characters, and may have {MAX_CHARS}")
    count = 0
    for all_so_far, token in enumerate(tokenize.generate_tokens(io.StringIO(code).readline)):
        count = 0 if token.type == tokenize.NEWLINE or token.string == ";" else count + 1
        if count > MAX_NESTED or all_so_far > MAX_TOKENS:
            most = f"a statement {MAX_NESTED}" if count > MAX_NESTED else f"the whole {MAX_TOKENS}"
            raise CodeError(f"the code has too many words and signs; {most} at most")
        if token.type == tokenize.NUMBER and len(token.string) > MAX_DIGITS:
            raise CodeError(f"a number has more than {MAX_DIGITS} digits")


def _parsed(code: str) -> list[ast.stmt]:
    try:
        _check_size(code)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes in texts
            return ast.parse(code).body
    except CodeError:
        raise
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError) as error:
        raise CodeError(f"the code cannot be read: {str(error)[:200]}") from None


def _dotted(node: ast.expr) -> str | None:
    """`a.b.c` as it is written."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    return ".".join([node.id, *reversed(names)])


class _Reader:
    """Goes through the statements, and remembers what names stand for."""

    def __init__(self, constants: Mapping[str, Any], ignored: Sequence[str]) -> None:
        self.known: dict[str, Any] = dict(constants)
        self.modules: dict[str, str] = {}
        self.ignored = ignored

    def name(self, node: ast.expr) -> str | None:
        name = _dotted(node)
        if name is None:
            return None
        first, dot, rest = name.partition(".")
        return self.modules.get(first, first) + dot + rest

    def value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant):
            return checked(node.value)
        if isinstance(node, (ast.List, ast.Tuple)):
            return [self.value(one) for one in node.elts]
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = self.name(node)
            if name in self.known:
                return self.known[name]
            raise CodeError(f"the name {name or '?'} stands for no literal here")
        if isinstance(node, ast.UnaryOp) and type(node.op) in _UNARY:
            return _UNARY[type(node.op)](number(self.value(node.operand), "what a sign stands before"))
        if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
            left, right = (number(self.value(side), "a side of arithmetic") for side in (node.left, node.right))
            try:
                return checked(_BINARY[type(node.op)](left, right))
            except ArithmeticError as error:
                raise CodeError(f"the arithmetic has no value: {error}") from None
        raise CodeError(f"{type(node).__name__} is no literal; write texts, numbers and lists as they are")

    def call(self, node: ast.Call) -> Called:
        name = self.name(node.func)
        if name is None:
            raise CodeError("only functions that are named can be called")
        named = {}
        for given in node.keywords:
            if given.arg is None:
                raise CodeError("arguments cannot be unpacked")
            named[given.arg] = self.value(given.value)
        return Called(name, [self.value(one) for one in node.args], named)

    def assign(self, targets: Sequence[ast.expr], value: ast.expr) -> None:
        for target in targets:
            name = self.name(target)
            if name is not None and name.startswith(tuple(self.ignored)):
                continue
            found = self.value(value)
            if isinstance(target, ast.Name):
                self.known[target.id] = found
            elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(found, list) and len(found) == len(target.elts):
                for one, part in zip(target.elts, found):
                    if not isinstance(one, ast.Name):
                        raise CodeError("only names can be given a value")
                    self.known[one.id] = part
            else:
                raise CodeError("only names can be given a value")

    def run_through(self, body: Sequence[ast.stmt]) -> Iterator[Called]:
        for statement in body:
            if isinstance(statement, ast.Import):
                self.modules |= {one.asname: one.name for one in statement.names if one.asname}
            elif isinstance(statement, ast.ImportFrom):
                for one in statement.names:
                    self.modules[one.asname or one.name] = f"{statement.module}.{one.name}"
            elif isinstance(statement, ast.Assign):
                self.assign(statement.targets, statement.value)
            elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
                yield self.call(statement.value)
            elif isinstance(statement, ast.Pass) or (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
                and isinstance(statement.value.value, str)
            ):
                continue
            else:
                raise CodeError(f"line {statement.lineno}: {type(statement).__name__} is not carried out here; write calls")


def calls(code: str, constants: Mapping[str, Any] | None = None, ignored: Sequence[str] = ()) -> list[Called]:
    """The calls of the code in their order.

    `constants` are names with their values; what is assigned to a name that begins with one of `ignored` has no meaning.
    """
    found: list[Called] = []
    try:
        for one in _Reader(constants or {}, ignored).run_through(_parsed(code)):
            found.append(one)
            if len(found) > MAX_CALLS:
                raise CodeError(f"the code has more than {MAX_CALLS} calls")
    except RecursionError:
        raise CodeError("the code is nested too deeply") from None
    return found
