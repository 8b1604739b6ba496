"""Serves Excalidraw and keeps its scene: each element as it is, and what it says as a row of typed columns."""

import json
import mimetypes
import re
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

BASE, SITE, MODULES = sys.argv[1], Path(__file__).parent / "site", Path("/app/node_modules")
DIST = MODULES / "@excalidraw/excalidraw/dist"
LIBRARIES = {
    "/lib/react.js": MODULES / "react/umd/react.production.min.js",
    "/lib/react-dom.js": MODULES / "react-dom/umd/react-dom.production.min.js",
}


def ends(element):
    """Where the line of an arrow begins and ends."""
    points = element.get("points") or [[0, 0]]
    return [(element["x"] + x, element["y"] + y) for x, y in (points[0], points[-1])]


def rows(elements):
    areas = [(e["customData"]["area"], e) for e in elements if (e.get("customData") or {}).get("area")]
    kinds = {e["id"]: e["type"] for e in elements}

    def area(x, y, width=0, height=0):
        """The area that all of a box lies in."""
        for name, box in areas:
            if box["x"] <= x <= x + width <= box["x"] + box["width"] and box["y"] <= y <= y + height <= box["y"] + box["height"]:
                return name
        return "none alone"

    added = 0
    for e in elements:
        kind = e["type"]
        # Excalidraw draws the names of new elements by lot; here they are numbered as they lie on one another.
        key = e["id"]
        if key not in OWN:
            added += 1
            key = f"new {added}"
        line = kind in ("arrow", "line", "freedraw")
        first, last = ends(e) if line else [(0, 0)] * 2
        # The browser's fonts say how large a text is, and where the middle of a line lies follows from its ends.
        size = [None, None] if kind == "text" else [round(e["width"]), round(e["height"])]
        if kind == "text":
            place = area(e["x"] + e["width"] / 2, e["y"] + e["height"] / 2)
        else:
            place = area(e["x"], e["y"], e["width"], e["height"])
        own = kind == "text" and e.get("containerId")
        yield (
            key, kind, None if line else place, e.get("text"), kinds.get(e.get("containerId"), ""), area(*first) if line else None, area(*last) if line else None,
            None if own else round(e["x"]), None if own else round(e["y"]), *size,
            e.get("strokeColor"), e.get("backgroundColor"), e.get("fillStyle"), e.get("strokeStyle"), e.get("strokeWidth"),
            e.get("opacity"), e.get("fontSize"), "yes" if e.get("locked") else "no",
        )


def keep(base, elements):
    base.execute("delete from raw")
    base.executemany("insert into raw values (?, ?, ?)", [(e["id"], n, json.dumps(e)) for n, e in enumerate(elements)])
    base.execute("delete from elements")
    base.executemany(f"insert into elements values ({', '.join('?' * 19)})", list(rows(elements)))


def elements(base):
    return [json.loads(row[0]) for row in base.execute("select data from raw order by place")]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, body=b"", kind="application/json", status=200, kept=False):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=3600" if kept else "no-store")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        if path == "/scene":
            base = sqlite3.connect(BASE, timeout=10)
            background = base.execute("select value from canvas where name = 'background'").fetchone()[0]
            return self.answer(json.dumps({"elements": elements(base), "background": background}).encode())
        file = SITE / "index.html" if path == "/" else LIBRARIES.get(path)
        if re.fullmatch(r"/lib/excalidraw/[\w./-]+", path) and ".." not in path:
            file = DIST / path.removeprefix("/lib/excalidraw/")
        if file is None or not file.is_file():
            return self.answer(b"{}", status=404)
        self.answer(file.read_bytes(), mimetypes.guess_type(file.name)[0] or "font/woff2", kept=path != "/")

    def do_PUT(self):
        given = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        base = sqlite3.connect(BASE, timeout=10)
        with base:
            keep(base, given["elements"])
            base.execute("update canvas set value = ? where name = 'background'", [given["background"]])
        self.answer(status=204)


with sqlite3.connect(BASE) as begun:
    seeded = elements(begun)
    OWN = {element["id"] for element in seeded}
    keep(begun, seeded)
begun.close()
ThreadingHTTPServer(("127.0.0.1", 8000), Handler).serve_forever()
