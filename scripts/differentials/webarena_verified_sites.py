"""Stand-in sites for tasks of WebArena-Verified, and an agent that plays them by a script.

A plan is what one episode does: the requests that it makes, one after the other, and what it answers. Any address of a site
shows a page with a control for each request: a link, a form or a button of a script. The site answers each as the plan says
(status, cookies, content). Which episode asks is told by a cookie, which the first address of an episode sets.
"""

import html
import http.server
import itertools
import json
import re
import threading
import urllib.parse

import waldo

COOKIE = "stand-in"
PLANS = {}
_numbers = itertools.count(1)
SENDS = """<script>
async function send(control, url, options) {
  try { await (await fetch(url, options)).text(); } catch {}
  control.textContent = control.textContent.replace("Request", "Sent");
}
</script>"""


class Plan:
    """Requests, as entries of HAR, and the answer's text.

    An entry also says how it is `sent` (form, script, parts), and may name the `page` of its control and `cookies_before` it.
    """

    def __init__(self, start, entries, said):
        self.number, self.start, self.entries, self.said = next(_numbers), start, entries, said
        PLANS[self.number] = self

    def page_of(self, entry):
        """Where the control of a request is used: where the request is to come from, or the site that it goes to."""
        headers = {one["name"].lower(): one["value"] for one in entry["request"]["headers"]}
        url = entry["request"]["url"]
        return entry.get("page") or headers.get("referer") or "/".join(url.split("/")[:3]) + "/"

    def controls(self):
        return "".join(f"<p>{control(number, entry)}</p>" for number, entry in enumerate(self.entries, 1))

    def answer_to(self, method, path):
        """The response to a request, where it is one of the plan."""
        def place(url):
            return urllib.parse.unquote(urllib.parse.urlsplit(url).path)
        for entry in self.entries:
            asked = entry["request"]
            if asked["method"] == method and place(asked["url"]) == place(path):
                return entry["response"]
        return None

    def cookies(self):
        return [cookie for entry in self.entries for cookie in entry.get("cookies_before", ())]


def control(number, entry):
    """What makes a request by being pressed."""
    asked = entry["request"]
    method, url, posted = asked["method"], html.escape(asked["url"]), asked.get("postData")
    mime = posted["mimeType"] if posted else ""
    if method == "GET":
        return f"<a href='{url}'>Request {number}</a>"
    if entry["sent"] == "script" or method != "POST" or "json" in mime:
        options = {"method": method, "headers": {"content-type": mime} if mime else {}, **({"body": posted["text"]} if posted else {})}
        call = f"send(this, {json.dumps(asked['url'])}, {json.dumps(options)})"
        return f"<button onclick='{html.escape(call)}'>Request {number}</button>"
    pairs = urllib.parse.parse_qsl(posted["text"], keep_blank_values=True) if posted else []
    fields = "".join(f"<input type=hidden name='{html.escape(name)}' value='{html.escape(value)}'>" for name, value in pairs)
    kind = " enctype=multipart/form-data" if entry["sent"] == "parts" else ""
    return f"<form method=post action='{url}'{kind}>{fields}<button>Request {number}</button></form>"


class Site(http.server.BaseHTTPRequestHandler):
    """One site: the plan's answers, and pages with its controls everywhere else."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(parts.query)
        if COOKIE in query:
            plan = PLANS[int(query[COOKIE][0])]
            return self.reply(302, "", [("location", query["to"][0]), *self.cookies([(COOKIE, plan.number), *plan.cookies()])])
        number = re.search(COOKIE + r"=(\d+)", self.headers.get("cookie") or "")
        plan = PLANS.get(int(number[1])) if number else None
        told = plan and plan.answer_to(self.command, self.path)
        if not told:
            return self.reply(200, self.page(plan))
        if told["status"] < 0:
            # A connection that ends without an answer.
            self.close_connection = True
            return None
        head = self.cookies([(cookie["name"], cookie["value"]) for cookie in told.get("cookies", ())])
        if 300 <= told["status"] < 400:
            head.append(("location", "/stand-in/after"))
        content = told.get("content")
        return self.reply(told["status"], content["text"] if content else self.page(plan), head, content["mimeType"] if content else "text/html")

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def cookies(self, pairs):
        return [("set-cookie", f"{name}={urllib.parse.quote(str(value))}; Path=/") for name, value in pairs]

    def page(self, plan):
        return f"<!doctype html><title>Stand-in</title>{SENDS}<h1>{html.escape(self.path)}</h1>{plan.controls() if plan else ''}"

    def reply(self, status, text, head=(), mime="text/html"):
        body = text.encode()
        self.send_response(status)
        for name, value in [("content-type", f"{mime}; charset=utf-8"), ("content-length", str(len(body))), *head]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(names):
    """The addresses of sites with these names, which run as long as this process."""
    sites = {}
    for name in names:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sites[name] = f"http://127.0.0.1:{server.server_port}" + ("/admin" if name == "shopping_admin" else "")
    return sites


class Scripted(waldo.Agent):
    """Plays the plan that belongs to its goal."""

    name = "scripted"
    plan_of = staticmethod(lambda goal: None)

    def begin(self, begun):
        self.script = self.steps(self.plan_of(str(begun["goal"])))
        next(self.script)

    def decide(self, turn):
        return self.script.send(turn)

    def steps(self, plan):
        """Takes turns and gives calls."""
        yield
        pages = [plan.page_of(entry) for entry in plan.entries] or [plan.start]
        first = urllib.parse.urlencode({COOKIE: plan.number, "to": pages[0]})
        turn = yield {"do": "navigate", "url": "/".join(pages[0].split("/")[:3]) + "/?" + first}
        for number, page in enumerate(pages[:len(plan.entries)], 1):
            if number > 1:
                turn = yield {"do": "navigate", "url": page}
            turn = yield {"do": "tap", "element": named(turn, f"Request {number}")}
            entry = plan.entries[number - 1]
            while "onclick" in control(number, entry) and not any(one.name == f"Sent {number}" for one in turn.elements):
                turn = yield {"do": "wait", "ms": 100}
        yield {"do": "answer", "text": plan.said}


def named(turn, name):
    found = [one.tag for one in turn.elements if one.name == name]
    if not found:
        raise LookupError(f"there is no '{name}' among {[one.name for one in turn.elements]} on {turn.untrusted.get('location')}")
    return found[0]
