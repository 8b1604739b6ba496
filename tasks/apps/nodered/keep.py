"""Writes flows as tables: one for each type of node, with a column for each of its properties, and one of wires."""

import json
import sqlite3
import sys

# Where a node lies on the canvas, and what other columns tell.
LEFT_OUT = {"id", "type", "x", "y", "w", "h", "z", "wires"}


def plain(value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, sort_keys=True) if isinstance(value, (dict, list)) else value


def name(text):
    return '"' + text.replace('"', '""') + '"'


nodes = json.load(sys.stdin)
flows = {node["id"]: node.get("label") or node["id"] for node in nodes if node["type"] == "tab"}
called = {node["id"]: node.get("name") or node["type"] for node in nodes}
types = {}
for node in nodes:
    types.setdefault(node["type"], []).append(node)
base = sqlite3.connect(sys.argv[1], isolation_level=None)
base.execute("begin immediate")
for (table,) in base.execute("select name from sqlite_master where type = 'table'").fetchall():
    base.execute(f"drop table {name(table)}")
base.execute("create table wires (id text primary key, source text, port integer, target text)")
for kind, found in types.items():
    columns = sorted({key for node in found for key in node} - LEFT_OUT)
    also = "" if kind == "tab" else ", flow"
    base.execute(f"create table {name(kind)} (id text primary key{also}{''.join(', ' + name(key) for key in columns)})")
    for node in found:
        values = [node["id"]] + ([] if kind == "tab" else [flows.get(node.get("z"), node.get("z"))])
        values += [plain(node.get(key)) for key in columns]
        base.execute(f"insert into {name(kind)} values ({', '.join('?' for _ in values)})", values)
for node in nodes:
    for port, targets in enumerate(node.get("wires") or []):
        for target in targets:
            wire = [f"{node['id']}.{port}-{target}", called[node["id"]], port + 1, called.get(target, target)]
            base.execute("insert or ignore into wires values (?, ?, ?, ?)", wire)
base.execute("commit")
