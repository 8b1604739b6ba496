"""The server of Workbench: pages, the libraries that npm brought, and a small interface over one SQLite database."""

import json
import mimetypes
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

BASE, SITE, MODULES = sys.argv[1], Path(__file__).parent / "site", Path("/app/node_modules")
LIBRARIES = {
    "ag-grid.js": "ag-grid-community/dist/ag-grid-community.min.js",
    "flatpickr.css": "flatpickr/dist/flatpickr.min.css",
    "flatpickr.js": "flatpickr/dist/flatpickr.min.js",
    "fullcalendar.js": "fullcalendar/index.global.min.js",
    "quill.css": "quill/dist/quill.snow.css",
    "quill.js": "quill/dist/quill.js",
    "sortable.js": "sortablejs/Sortable.min.js",
}
PAGES = ["overview", "orders", "board", "calendar", "notes", "leave", "documents", "handbook", "settings"]
# The columns of each table that pages may write, with what each has to be.
TABLES = {
    "orders": {"quantity": int, "price": int, "status": str, "due": str},
    "cards": {"title": str, "lane": str, "owner": str, "due": str},
    "appointments": {"title": str, "day": str, "starts": str, "ends": str, "room": str},
    "notes": {"title": str, "body": str},
    "leave": {"person": str, "kind": str, "first": str, "last": str, "remark": str},
    "documents": {"order_number": str, "kind": str, "file": str, "content": str},
    "settings": {"value": str},
}
KEYS = {"orders": "number", "settings": "name"}
MAY_ADD = {"cards", "appointments", "notes", "leave", "documents"}
MAY_REMOVE = {"cards", "appointments", "notes", "leave", "documents"}


class Refused(Exception):
    pass


def rows(base, table):
    key = KEYS.get(table, "id")
    return [dict(row) for row in base.execute(f"select * from {table} order by {key}")]


def write(method, table, key, given):
    base = sqlite3.connect(BASE, timeout=10)
    base.row_factory = sqlite3.Row
    with base:
        columns = TABLES[table]
        given = {name: value for name, value in given.items() if name in columns}
        for name, value in given.items():
            if type(value) is not columns[name] or (columns[name] is int and not 0 <= value <= 1_000_000):
                raise Refused(f"“{value}” does not fit here.")
        own = KEYS.get(table, "id")
        if method == "POST":
            if table not in MAY_ADD:
                raise Refused("Nothing can be added here.")
            full = {name: given.get(name, "") for name in columns}
            names = ", ".join(full)
            marks = ", ".join("?" for _ in full)
            key = base.execute(f"insert into {table} ({names}) values ({marks})", list(full.values())).lastrowid
        else:
            old = base.execute(f"select * from {table} where {own} = ?", [key]).fetchone()
            if old is None:
                raise Refused("It is not there any more.")
            if table == "orders" and old["status"] == "Invoiced":
                raise Refused(f"{key} is invoiced and locked.")
            if method == "DELETE":
                if table not in MAY_REMOVE:
                    raise Refused("Nothing can be removed here.")
                base.execute(f"delete from {table} where {own} = ?", [key])
                return {}
            for name, value in given.items():
                base.execute(f"update {table} set {name} = ? where {own} = ?", [value, key])
        return dict(base.execute(f"select * from {table} where {own} = ?", [key]).fetchone())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body, kind="application/json", status=200, kept=False):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600" if kept else "no-store")
        self.end_headers()
        self.wfile.write(body)

    def file(self, path, kept=False):
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        self.answer(path.read_bytes(), kind + ("; charset=utf-8" if kind.startswith("text") else ""), kept=kept)

    def do_GET(self):
        parts = unquote(urlsplit(self.path).path).strip("/").split("/")
        if parts == [""]:
            parts = ["overview"]
        if len(parts) == 2 and parts[0] == "lib" and parts[1] in LIBRARIES:
            return self.file(MODULES / LIBRARIES[parts[1]], kept=True)
        if len(parts) == 2 and parts[0] == "site" and (SITE / parts[1]).is_file() and parts[1] in SHOWN:
            return self.file(SITE / parts[1], kept=True)
        if parts == ["api", "all"]:
            base = sqlite3.connect(f"file:{BASE}?mode=ro", uri=True, timeout=10)
            base.row_factory = sqlite3.Row
            tables = [*TABLES, "people", "handbook"]
            return self.answer({table: rows(base, table) for table in tables})
        if len(parts) == 1 and parts[0] in PAGES:
            return self.file(SITE / "page.html")
        self.answer({"error": "There is no such page."}, status=404)

    def change(self):
        length = int(self.headers.get("Content-Length") or 0)
        given = json.loads(self.rfile.read(length) or b"{}")
        parts = [unquote(part) for part in urlsplit(self.path).path.strip("/").split("/")]
        if len(parts) < 2 or parts[0] != "api" or parts[1] not in TABLES:
            return self.answer({"error": "There is no such page."}, status=404)
        try:
            self.answer(write(self.command, parts[1], parts[2] if len(parts) > 2 else None, given))
        except Refused as why:
            self.answer({"error": str(why)}, status=409)

    do_POST = do_PATCH = do_DELETE = change


SHOWN = {path.name for path in SITE.iterdir()}
ThreadingHTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
