"""Reads and writes a SQLite database of an application: `dump FILE IGNORED...` prints its rows as JSON, `apply FILE` runs
the statements of its standard input."""

import json
import sqlite3
import sys


def plain(value):
    if isinstance(value, str):
        # Forms end lines in their own way, which nobody sees.
        return value.replace("\r\n", "\n")
    return {"bytes": len(value)} if isinstance(value, bytes) else value


def dump(base, ignored):
    tables = {}
    names = base.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    for (table,) in names.fetchall():
        if table in ignored:
            continue
        columns = base.execute(f'pragma table_info("{table}")').fetchall()
        key = [column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]]
        for index in base.execute(f'pragma index_list("{table}")').fetchall():
            if index[2] and not key:
                key = [part[2] for part in base.execute(f'pragma index_info("{index[1]}")')]
        # A part of a key that says nothing, such as a time, would make a row another one each time.
        key = [part for part in key if f"{table}.{part}" not in ignored]
        rows = tables.setdefault(table, {})
        for row in base.execute(f'select rowid, * from "{table}" order by rowid'):
            values = {column[1]: plain(value) for column, value in zip(columns, row[1:])}
            name = "/".join(str(values[part]) for part in key) or str(row[0])
            again = name
            count = 1
            while again in rows:
                count += 1
                again = f"{name}#{count}"
            rows[again] = {k: v for k, v in values.items() if f"{table}.{k}" not in ignored}
    return tables


what, path, *ignored = sys.argv[1:]
if what == "apply":
    with sqlite3.connect(path) as base:
        base.executescript(sys.stdin.read())
else:
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    base.execute("begin")
    json.dump(dump(base, set(ignored)), sys.stdout)
