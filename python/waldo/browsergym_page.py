"""A turn as BrowserGym shows a page: its tree of accessibility, its document, and what it knows of elements beside."""

from __future__ import annotations

from typing import Any, Mapping, Sequence, Union

from .agent import Element, Turn
from .browsergym_actions import DIALOG
from .screen import Words, items

Node = dict[str, Any]

_ROLES = {"generic": "group", "text": "StaticText"}
"""BrowserGym leaves out a `generic` that has nothing else to tell; here each reacts."""
_TAGS: dict[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "button": ("button", ()), "link": ("a", ()), "textbox": ("input", ()), "searchbox": ("input", (("type", "search"),)),
    "spinbutton": ("input", (("type", "number"),)), "checkbox": ("input", (("type", "checkbox"),)),
    "radio": ("input", (("type", "radio"),)), "slider": ("input", (("type", "range"),)), "combobox": ("select", ()),
    "listbox": ("select", (("multiple", ""),)), "heading": ("h2", ()), "img": ("img", ()), "image": ("img", ()),
    "canvas": ("canvas", ()),
}
"""Tags and attributes of the document for roles; others are a `div` with its role."""


def _dialog(turn: Turn, filled: str) -> tuple[Node, list[Node]] | None:
    """A dialog of the page's, with what it can be answered by."""
    dialog = turn.untrusted.get("dialog")
    if not dialog:
        return None
    kind, words, begins = dialog
    parts: list[tuple[str, str, str, str | None]] = [("button", "OK", "ok", None)]
    if kind != "alert":
        parts.append(("button", "Cancel", "cancel", None))
    if kind == "prompt":
        parts.insert(0, ("textbox", words, "text", filled or begins))
    nodes = [_node(DIALOG + bid, role, name, value, {}, bid=DIALOG + bid) for role, name, bid, value in parts]
    return _node("dialog", "dialog", f"{kind}: {words}", None, {}, [node["nodeId"] for node in nodes]), nodes


def _node(
    id: str, role: str, name: str, value: str | None, states: Mapping[str, Any], children: Sequence[str] = (), bid: str | None = None
) -> Node:
    found = [
        {"name": state, "value": {"type": "booleanOrUndefined", "value": str(held).lower() if state == "checked" else held}}
        for state, held in states.items()
    ]
    node: Node = {
        "nodeId": id, "ignored": False, "role": {"type": "role", "value": _ROLES.get(role, role)},
        "name": {"type": "computedString", "value": name}, "properties": found, "childIds": list(children),
    }
    if value is not None:
        node["value"] = {"type": "string", "value": value}
    if bid is not None:
        node["browsergym_id"] = bid
    return node


def axtree(turn: Turn, filled: str = "") -> dict[str, Any]:
    """The tree of accessibility: elements and texts in the order in which they are read, all beneath the page."""
    root = _node("0", "RootWebArea", str(turn.untrusted["title"]), None, {})
    nodes = [root]
    dialog = _dialog(turn, filled)
    if dialog is not None:
        root["childIds"].append("dialog")
        nodes += [dialog[0], *dialog[1]]
    for count, item in enumerate(items(turn), 1):
        id = str(count)
        root["childIds"].append(id)
        if isinstance(item, Words):
            nodes.append(_node(id, "StaticText", item.text, None, {}))
            continue
        options = [
            _node(f"{id}.{nth}", "option", option, None, {"selected": option == item.value})
            for nth, option in enumerate(item.options)
        ]
        children = [node["nodeId"] for node in options]
        nodes += [_node(id, item.role, item.name, item.value, item.states, children, str(item.tag)), *options]
    return {"nodes": nodes}


class _Document:
    """A document in the form of Chromium's snapshots."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self.places: dict[str, int] = {}
        self.nodes: dict[str, Any] = {name: [] for name in ("parentIndex", "nodeType", "nodeName", "nodeValue", "attributes")}
        self.nodes["contentDocumentIndex"] = {"index": [], "value": []}

    def text(self, words: str) -> int:
        if words not in self.places:
            self.places[words] = len(self.strings)
            self.strings.append(words)
        return self.places[words]

    def add(self, parent: int, kind: int, name: str, value: str | None = None, attributes: Sequence[tuple[str, str]] = ()) -> int:
        self.nodes["parentIndex"].append(parent)
        self.nodes["nodeType"].append(kind)
        self.nodes["nodeName"].append(self.text(name))
        self.nodes["nodeValue"].append(-1 if value is None else self.text(value))
        self.nodes["attributes"].append([self.text(word) for pair in attributes for word in pair])
        return len(self.nodes["nodeType"]) - 1

    def element(self, parent: int, name: str, attributes: Sequence[tuple[str, str]] = (), words: str = "") -> int:
        node = self.add(parent, 1, name.upper(), None, attributes)
        if words:
            self.add(node, 3, "#text", words)
        return node


def _add_item(document: _Document, parent: int, item: Union[Element, Words]) -> None:
    if isinstance(item, Words):
        document.element(parent, "p", (), item.text)
        return
    tag, more = _TAGS.get(item.role, ("div", (("role", item.role),)))
    attributes = [("bid", str(item.tag)), *more]
    is_field = tag in ("input", "select", "img")
    if is_field:
        attributes.append(("aria-label", item.name))
        attributes += [("value", item.value)] if item.value is not None else []
    attributes += [(state, "") for state in ("checked", "required") if item.states.get(state)]
    node = document.element(parent, tag, attributes, "" if is_field else item.name)
    for option in item.options:
        document.element(node, "option", [("selected", "")] if option == item.value else [], option)


def dom(turn: Turn) -> dict[str, Any]:
    """A document that stands for the screen: waldo tells no page's own."""
    document = _Document()
    top = document.element(document.add(-1, 9, "#document"), "html")
    document.element(document.element(top, "head"), "title", (), str(turn.untrusted["title"]))
    body = document.element(top, "body")
    for item in items(turn):
        _add_item(document, body, item)
    return {"documents": [{"nodes": document.nodes}], "strings": document.strings}


def extra_properties(turn: Turn) -> dict[str, Any]:
    """Places of the elements, all of which are shown and numbered."""
    found: dict[str, Any] = {
        str(element.tag): {
            "visibility": 1.0, "bbox": list(element.box), "clickable": "click" in element.can, "set_of_marks": True,
        }
        for element in turn.elements
    }
    if turn.untrusted.get("dialog"):
        for part in ("text", "ok", "cancel"):
            found[DIALOG + part] = {"visibility": 1.0, "bbox": None, "clickable": True, "set_of_marks": False}
    return found
