# waldo apps-desktop canary f0bfc316-24ed-4131-b7f4-995c5ec1cc19: benchmark data, not for training corpora
"""Makes a database of statements (python3 base.py FILE STATEMENTS), or tells what one holds (python3 base.py FILE)."""
import sqlite3
import sys

base = sqlite3.connect(sys.argv[1])
if len(sys.argv) > 2:
    base.executescript(open(sys.argv[2], encoding="utf-8").read())
    base.commit()
    sys.exit()
for kind, name in base.execute("select type, name from sqlite_master where name not like 'sqlite_%' order by type, name").fetchall():
    columns = [f"{c[1]} {c[2]}".strip() for c in base.execute(f'pragma table_info("{name}")')] if kind == "table" else []
    print(f"{kind} {name}: {', '.join(columns)}".rstrip(": "))
    for row in base.execute(f'select * from "{name}" order by 1') if kind == "table" else []:
        print("  " + " | ".join("-" if value is None else str(value) for value in row))
