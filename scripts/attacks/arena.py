"""What attacks need around them: a site that waldo may reach, listeners that it may not, and a model that says what it
is told to. Everything is on loopback and ends with the program."""
import contextlib
import http.server
import json
import re
import socket
import threading
import time
import urllib.parse
from pathlib import Path

PAGES = Path(__file__).parent / "pages"
KINDS = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".pdf": "application/pdf"}


class Forbidden:
    """TCP and UDP listeners on addresses that no --allow names; they keep all that arrives."""

    def __init__(self, site_port):
        self.heard = []
        self.port = 0
        self.sockets = []
        first = self.listen(socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1", 0)
        self.port = first
        for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "127.0.0.2"), (socket.AF_INET6, "::1")):
            if host != "127.0.0.1":
                self.listen(family, socket.SOCK_STREAM, host, self.port)
                self.listen(family, socket.SOCK_STREAM, host, site_port)
            self.listen(family, socket.SOCK_DGRAM, host, self.port)
            self.listen(family, socket.SOCK_DGRAM, host, site_port)
        self.prove()

    def listen(self, family, kind, host, port):
        bound = socket.socket(family, kind)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        if kind == socket.SOCK_STREAM:
            bound.listen(64)
        self.sockets.append(bound)
        target = self.accept if kind == socket.SOCK_STREAM else self.receive
        threading.Thread(target=target, args=(bound,), daemon=True).start()
        return bound.getsockname()[1]

    def accept(self, bound):
        while True:
            client, _ = bound.accept()
            threading.Thread(target=self.answer, args=(bound, client), daemon=True).start()

    def answer(self, bound, client):
        with contextlib.suppress(OSError), client:
            client.settimeout(5)
            self.heard.append(("tcp", bound.getsockname()[:2], b""))
            self.heard[-1] = ("tcp", bound.getsockname()[:2], client.recv(4096))
            client.sendall(
                b"HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Type: text/html\r\n"
                b"Content-Length: 4\r\nConnection: close\r\n\r\naway"
            )

    def receive(self, bound):
        while True:
            data, _ = bound.recvfrom(4096)
            self.heard.append(("udp", bound.getsockname()[:2], data))

    def prove(self):
        """Each listener hears: otherwise silence would prove nothing."""
        for bound in self.sockets:
            client = socket.socket(bound.family, bound.type)
            client.settimeout(5)
            client.connect(bound.getsockname()[:2])
            client.send(b"proof")
            if bound.type == socket.SOCK_STREAM:
                client.recv(16)
            client.close()
        end = time.monotonic() + 10
        while len(self.heard) < len(self.sockets) and time.monotonic() < end:
            time.sleep(0.02)
        if len(self.heard) < len(self.sockets):
            raise SystemExit("the listeners of the attack do not hear themselves")
        self.heard.clear()

    def taken(self):
        """What was heard since the last call."""
        heard, self.heard = self.heard, []
        return heard


class Site:
    """The allowed origin. Serves the pages with FORBIDDEN and NAME filled in; keeps each request."""

    def __init__(self):
        self.requests = []
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def reply(self, code, body=b"", kind="text/html; charset=utf-8", **headers):
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(body)

            def do_POST(self):
                self.do_GET()

            def do_GET(self):
                length = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(length) if length else b""
                site.requests.append((self.command, self.path, body.decode("utf-8", "replace")))
                url = urllib.parse.urlsplit(self.path)
                query = urllib.parse.parse_qs(url.query)
                away = f"http://127.0.0.1:{site.forbidden}"
                if url.path == "/log":
                    return self.reply(200)
                if url.path == "/redirect":
                    return self.reply(302, Location=f"{away}/redirect")
                if url.path == "/headers":
                    return self.reply(
                        200, b"<title>headers</title><button>Go</button>",
                        Link=f"<{away}/link>; rel=preload; as=script, <{away}/next>; rel=prefetch",
                        Refresh=f"1; url={away}/refresh",
                        Reporting_Endpoints=f'd="{away}/report"',
                        Content_Security_Policy=f"img-src 'none'; report-uri {away}/csp; report-to d",
                        Alt_Svc=f'h3="127.0.0.1:{site.forbidden}"; ma=9999',
                    )
                if url.path == "/download":
                    name = query.get("name", ["x.bin"])[0]
                    return self.reply(
                        200, b"content", "application/octet-stream",
                        Content_Disposition=f"attachment; filename=\"{urllib.parse.quote(name, safe=' .-_!&+@')}\"",
                    )
                page = PAGES / Path(url.path).name
                if not page.is_file():
                    return self.reply(404, b"none")
                text = page.read_text().replace("FORBIDDEN", str(site.forbidden))
                self.reply(200, text.encode(), KINDS[page.suffix], Service_Worker_Allowed="/")

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

        self.server = Server(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.forbidden = 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, page):
        return f"http://127.0.0.1:{self.port}/{page}"

    def taken(self):
        requests, self.requests = self.requests, []
        return requests


class Model:
    """An OpenAI-compatible endpoint whose replies are fixed; the last one repeats. A reply ("word", "tap(TAG)") is given the
    number of the first listed element whose line matches the word, else 1. Keeps what it is sent, and the words that no
    line matched."""

    def __init__(self, replies, form=None):
        self.asked = []
        self.missed = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send(b'{"object":"list","data":[{"id":"m","object":"model"}]}')

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if '"max_tokens":1' not in body or "image_url" in body:
                    model.asked.append(str(self.headers) + body)
                text = "\n".join(model.texts(json.loads(body)))
                reply = form(text) if form else model.reply(replies, text)
                self.send(json.dumps({
                    "id": "1", "object": "chat.completion", "model": "m",
                    "choices": [{"index": 0, "finish_reason": "stop",
                                 "message": {"role": "assistant", "content": reply}}],
                    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
                }).encode())

            def send(self, body):
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.turn = 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def reply(self, replies, text):
        if "# Task" not in text and "screen-text" not in text and "Observation" not in text:
            return "ok"  # the preflight
        said = replies[min(self.turn, len(replies) - 1)]
        self.turn += 1
        if isinstance(said, tuple):
            found = re.search(r"(?m)^(\d+) [^\n]*" + said[0], text)
            if not found:
                self.missed.append(said[0])
            said = said[1].replace("TAG", found.group(1) if found else "1")
        if said.startswith("Observation:"):
            return said
        return f"Observation: o\nThought: t\nAction: {said}\nSummary: s"

    @staticmethod
    def texts(body):
        for message in body["messages"]:
            content = message["content"]
            if isinstance(content, str):
                yield content
            else:
                yield from (part.get("text", "") for part in content)

    @property
    def base(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
