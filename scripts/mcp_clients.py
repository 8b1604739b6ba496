"""Drives `waldo mcp` by the Python SDK of the Model Context Protocol: one client over standard streams, two over HTTP,
a question to a person, and a thousand calls without growth. Called by scripts/mcp-clients."""

import asyncio
import http.server
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import httpx2
import mcp
from mcp import types
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

WALDO = str(pathlib.Path(sys.argv[1]).resolve())
CALLS = int(os.environ.get("CALLS", "1000"))
TOKEN = "a-token-of-the-test-of-clients"
PAGE = b"""<!doctype html><title>Shop</title><label>Name <input id=n></label>
<button onclick="document.getElementById('o').textContent='Thanks, '+document.getElementById('n').value">Send</button>
<p id=o></p>"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def log_message(self, *_):
        pass


def text(result):
    return "\n".join(part.text for part in result.content if part.type == "text")


def number(listing, part):
    line = next(line for line in listing.splitlines() if part in line)
    return int(line.lstrip("~+ ").split(" ", 1)[0])


def resident(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise RuntimeError("no VmRSS")


def child_of(parent):
    found = subprocess.run(["pgrep", "-P", str(parent), "-f", " mcp "], capture_output=True, text=True)
    return int(found.stdout.split()[0])


async def one(url, folder):
    asked = []

    async def person(_context, params):
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={})

    args = ["mcp", "--url", url, "--out", f"{folder}/one", "--ask", "back"]
    server = StdioServerParameters(command=WALDO, args=args, env=dict(os.environ))
    async with mcp.Client(server, elicitation_callback=person) as client:
        tools = (await client.list_tools()).tools
        listing = text(await client.call_tool("observe", {}))
        name, send = number(listing, '"Name"'), number(listing, '"Send"')
        await client.call_tool("fill", {"element": name, "text": "Ada"})
        sent = text(await client.call_tool("tap", {"element": send}))
        assert "Thanks, Ada" in sent, sent
        await client.call_tool("open", {"url": url + "?again"})
        assert not asked
        back = await client.call_tool("back", {})
        assert len(asked) == 1 and "carry out back" in asked[0] and not back.is_error, (asked, text(back))
        shot = await client.call_tool("screenshot", {})
        assert shot.content[0].type == "image", shot
        refused = await client.call_tool("tap", {"element": 999})
        assert refused.is_error, refused
        uris = [str(r.uri) for r in (await client.list_resources()).resources]
        trajectory = await client.read_resource(uris[0])
        assert '"do":"tap"' in trajectory.contents[0].text
        print(f"ok    one client, protocol {client.protocol_version}, {len(tools)} tools")


async def calls(url, folder):
    args = ["mcp", "--url", url, "--out", f"{folder}/calls"]
    server = StdioServerParameters(command=WALDO, args=args, env=dict(os.environ))
    async with mcp.Client(server) as client:
        listing = text(await client.call_tool("observe", {}))
        name = number(listing, '"Name"')
        pid = child_of(os.getpid())
        early = None
        for n in range(CALLS):
            if n == CALLS // 4:
                early = resident(pid)
            result = await client.call_tool("fill", {"element": name, "text": str(n)})
            assert not result.is_error, text(result)
        late = resident(pid)
        print(f"      {CALLS} calls: {early} kB after a quarter, {late} kB at the end")
        assert late < early * 1.1 + 4096, (early, late)
        print(f"ok    {CALLS} calls without growth")


async def two(url, folder):
    env = dict(os.environ, WALDO_MCP_TOKEN=TOKEN)
    args = [WALDO, "mcp", "--url", url, "--http", "--out", f"{folder}/two"]
    process = subprocess.Popen(args, env=env, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    try:
        address = process.stderr.readline().split()[-1]
        header = {"authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=header, timeout=60) as first, httpx2.AsyncClient(headers=header, timeout=60) as second:
            async with mcp.Client(streamable_http_client(address, http_client=first)) as a:
                async with mcp.Client(streamable_http_client(address, http_client=second)) as b:
                    name = number(text(await a.call_tool("observe", {})), '"Name"')
                    both = [a.call_tool("fill", {"element": name, "text": "A"}), b.call_tool("observe", {})]
                    results = await asyncio.gather(*both)
                    assert not any(result.is_error for result in results), results
        print("ok    two clients at once over HTTP")
    finally:
        process.terminate()
        process.wait(30)


def main():
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{pages.server_port}/"
    with tempfile.TemporaryDirectory() as folder:
        for part in [one, two, calls]:
            asyncio.run(asyncio.wait_for(part(url, folder), 600))


main()
