"""The pages that every tool observes, served from loopback: made here, or from a registry (TiddlyWiki, JupyterLab)."""
import http.server
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import time
import urllib.request

from . import install

HEAD = ("<!doctype html><meta charset=utf-8><title>{}</title><style>body{{font:12px sans-serif;margin:4px}}"
        ".i{{display:inline-block;margin:1px}}input[type=text]{{width:52px}}td{{padding:1px 8px}}"
        "iframe{{width:58px;height:72px;border:0;margin:1px}}</style>")


def controls(count):
    """Controls of four kinds, in a flow; as benches/observe.rs has them."""
    html = HEAD.format(f"{count:,} controls")
    for n in range(count // 4):
        html += (f"<span class=i><button>Go {n}</button></span><span class=i><input type=text aria-label='Field {n}' "
                 f"value={n}></span><span class=i><a href='#{n}'>Link {n}</a></span><span class=i><label>"
                 f"<input type=checkbox>Box {n}</label></span>")
    return html


def table(rows):
    html = HEAD.format(f"{rows:,} rows") + "<table><thead><tr><th>No<th>Customer<th>Amount<th></thead><tbody>"
    for n in range(rows):
        html += f"<tr><td>{n}<td>Customer {n}<td>{(n * 37) % 1000}.00<td><button>Open {n}</button>"
    return html + "</table>"


def frames(count):
    return HEAD.format(f"{count} frames") + "".join(f"<iframe src=/frame/{n}></iframe>" for n in range(count))


def frame(number):
    return ("<!doctype html><meta charset=utf-8><style>body{margin:2px;font:10px sans-serif}</style><x-card></x-card><script>"
            "const root = document.querySelector('x-card').attachShadow({mode: 'open'});"
            f"root.innerHTML = \"<p>Card {number}</p><button>Take {number}</button>\";</script>")


def moving():
    return (HEAD.format("moving") + "<p id=clock>0</p>" + "".join(f"<button>Go {n}</button> " for n in range(20)) +
            "<script>let n = 0; const tick = () => { clock.textContent = `Frame ${n += 1}`; requestAnimationFrame(tick); };"
            " tick();</script>")


def acts():
    """For scripts/bench acts: a counter, a field, two boxes, a tab, and 92 controls beside."""
    return (HEAD.format("acts") + "<style>.box{position:absolute;top:600px;width:90px;height:60px;background:#cde;user-select:none}</style>"
            "<button id=count onclick='count.textContent = `Count ${n += 1}`'>Count 0</button> <textarea aria-label=Note></textarea>"
            "<div class=box role=button tabindex=0 style='left:40px' id=one>Box one</div>"
            "<div class=box role=button tabindex=0 style='left:640px' id=two>Target</div><p id=drops>Drops 0</p>"
            + controls(92) +
            "<script>let n = 0, d = 0, held = false; one.onpointerdown = () => { held = true };"
            "onpointerup = (e) => { const b = two.getBoundingClientRect(); if (held && e.clientX > b.left && e.clientX < b.right && "
            "e.clientY > b.top && e.clientY < b.bottom) drops.textContent = `Drops ${d += 1}`; held = false };</script>")


# Name, what it is called in the table, the path, and the seconds that every tool gives it after it was loaded.
PAGES = {
    "acts": ("a page to act on", "/acts", 0.3),
    "100": ("100 controls", "/controls/100", 0.3),
    "1000": ("1,000 controls", "/controls/1000", 0.3),
    "10000": ("10,000 controls", "/controls/10000", 0.5),
    "50000": ("50,000 controls", "/controls/50000", 1.0),
    "table": ("table of 10,000 rows", "/table/10000", 0.5),
    "frames": ("200 frames, each with a shadow root", "/frames/200", 1.0),
    "moving": ("a text that changes every frame", "/moving", 0.3),
    "wiki": ("TiddlyWiki", "/wiki.html", 1.0),
    "lab": ("JupyterLab", None, 4.0),
}


class Site(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    made = {}
    wiki = None

    def log_message(self, *_):
        pass

    def body(self):
        kind, _, number = self.path.split("?")[0].strip("/").partition("/")
        if kind == "wiki.html" and self.wiki:
            return self.wiki.read_bytes()
        makers = {"controls": controls, "table": table, "frames": frames, "frame": frame}
        if kind in makers and number.isdigit():
            return makers[kind](int(number)).encode()
        if kind == "acts":
            return acts().encode()
        return moving().encode() if kind == "moving" else (HEAD.format("blank") + "<p>Nothing here").encode()

    def do_GET(self):
        if self.path not in self.made:
            self.made[self.path] = self.body()
        body = self.made[self.path]
        self.send_response(200)
        self.send_header("content-type", "text/html; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass  # The browser went away.


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass  # A browser that ends breaks its connections.


class Pages:
    """Serves what is asked for. A page that cannot be had has its error in `missing`."""

    def __init__(self, names, work):
        self.names, self.missing, self.lab = names, {}, None
        server = Server(("127.0.0.1", 0), Site)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{server.server_port}"
        self.urls = {name: self.base + PAGES[name][1] for name in names if PAGES[name][1]}
        for name, prepare in (("wiki", self.build_wiki), ("lab", self.start_lab)):
            if name in names:
                try:
                    prepare(pathlib.Path(work))
                except (OSError, subprocess.SubprocessError, install.Missing) as error:
                    self.missing[name] = str(error)

    def build_wiki(self, work):
        """The edition of tiddlywiki.com as one file, made once by the program that the package brings."""
        page = install.HOME / "tiddlywiki.html"
        if not page.exists():
            package = install.npm("tiddlywiki") / "tiddlywiki"
            out = work / "wiki"
            subprocess.run([install.node(), package / "tiddlywiki.js", package / "editions" / "tw5.com", "--output", out,
                            "--render", "$:/core/save/all", "index.html", "text/plain"],
                           check=True, capture_output=True, timeout=300)
            shutil.copy(out / "index.html", page)
        Site.wiki = page

    def start_lab(self, work):
        """A server of its own on loopback, without a token, over an empty folder."""
        program = install.python("jupyterlab").parent / "jupyter-lab"
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        folder = work / "lab"
        folder.mkdir(exist_ok=True)
        env = {**os.environ, **{f"JUPYTER_{kind}_DIR": str(work / f"lab-{kind}") for kind in ("RUNTIME", "CONFIG", "DATA")}}
        self.lab = subprocess.Popen(
            [program, "--no-browser", "--allow-root", "--ip", "127.0.0.1", "--port", str(port),
             "--IdentityProvider.token=", f"--ServerApp.root_dir={folder}", "--LabApp.news_url=None"],
            env=env, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        url = f"http://127.0.0.1:{port}/lab"
        until = time.monotonic() + 60
        while True:
            try:
                urllib.request.urlopen(url, timeout=5).read()
                break
            except OSError:
                if self.lab.poll() is not None or time.monotonic() > until:
                    raise install.Missing("JupyterLab did not start within 60 s") from None
                time.sleep(0.3)
        self.urls["lab"] = url + "?reset"

    def close(self):
        if self.lab:
            self.lab.terminate()
            self.lab.wait()
