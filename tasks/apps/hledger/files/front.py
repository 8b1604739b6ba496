"""Stands in front of hledger-web: hands every request on, and before its answer is given out, writes down in rows what the journal
says now, in /data/now.sqlite, which is what is judged. The order of postings and the zeros of an amount say nothing."""

import http.client
import http.server
import re
import sqlite3
import threading
import time
from decimal import Decimal

JOURNAL = "/data/books/house.journal"
HEAD = re.compile(r"(\d{4}[-/.]\d\d?[-/.]\d\d?)\s*([*!]?)\s*(\([^)]*\))?\s*([^;]*?)\s*(?:;\s*(.*))?$")
AMOUNT = re.compile(r"(.*?)(?:\s{2,}|\t)\s*(-?[\d.,]+)\s*(\S.*)?$")
LOCK = threading.Lock()
LAST = []


def plain(number, unit):
    return f"{number.quantize(Decimal('0.01'))} {unit or ''}".strip()


def transactions(text):
    rows, rest, block = [], [], None
    for line in text.replace("\r\n", "\n").split("\n") + [""]:
        if block is not None and line[:1] in (" ", "\t") and line.strip():
            block[1].append(line.strip())
            continue
        if block is not None:
            rows.append(block)
            block = None
        head = HEAD.match(line)
        if head:
            block = (head, [])
        elif line.strip():
            rest.append(line.rstrip())
    told = {}
    for head, lines in rows:
        day, status, code, description, comment = (part or "" for part in head.groups())
        sums, open_account, postings = {}, None, []
        for line in lines:
            line, _, remark = line.partition(";")
            if remark.strip():
                comment = f"{comment} {remark.strip()}".strip()
            if not line.strip():
                continue
            found = AMOUNT.match(line.rstrip())
            if found:
                number = Decimal(found.group(2).replace(",", ""))
                unit = (found.group(3) or "").strip()
                sums[unit] = sums.get(unit, Decimal(0)) + number
                postings.append((found.group(1).strip(), number, unit))
            else:
                open_account = line.strip()
        if open_account is not None:
            postings += [(open_account, -number, unit) for unit, number in sums.items()]
        day = "-".join(f"{int(part):02}" for part in re.split("[-/.]", day))
        name = key = f"{day} {description}"
        again = 1
        while key in told:
            again += 1
            key = f"{name} ({again})"
        told[key] = (key, day, status, code, description, comment, ", ".join(sorted(f"{account} {plain(number, unit)}" for account, number, unit in postings)))
    return list(told.values()), [(number, line) for number, line in enumerate(rest)]


def tell():
    with LOCK:
        with open(JOURNAL, encoding="utf-8") as file:
            text = file.read()
        if LAST == [text]:
            return
        rows, rest = transactions(text)
        with sqlite3.connect("/data/now.sqlite") as base:
            base.executescript(
                'create table if not exists "transaction" (id text primary key, day, status, code, description, comment, postings);'
                'create table if not exists other_line (number integer primary key, text);'
                'delete from "transaction"; delete from other_line;')
            base.executemany('insert into "transaction" values (?, ?, ?, ?, ?, ?, ?)', rows)
            base.executemany("insert into other_line values (?, ?)", rest)
        LAST[:] = [text]


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        length = int(self.headers.get("Content-Length") or 0)
        inside = http.client.HTTPConnection("127.0.0.1", 8001, timeout=30)
        headers = {name: value for name, value in self.headers.items() if name.lower() not in ("connection", "accept-encoding")}
        inside.request(self.command, self.path, self.rfile.read(length) if length else None, headers)
        answer = inside.getresponse()
        body = answer.read()
        inside.close()
        tell()
        self.send_response(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_POST = do_HEAD = do_GET

    def log_message(self, *_):
        pass


tell()
for _ in range(200):
    try:
        http.client.HTTPConnection("127.0.0.1", 8001, timeout=1).connect()
        break
    except OSError:
        time.sleep(0.03)
http.server.ThreadingHTTPServer.daemon_threads = True
http.server.ThreadingHTTPServer(("127.0.0.1", 8000), Front).serve_forever()
