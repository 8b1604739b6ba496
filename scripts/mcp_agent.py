"""Agents that are not ours, for `waldo eval --agent mcp`; called by scripts/mcp-clients.

    mcp_agent.py sdk URL GOAL            the Python SDK alone, which decides by a script
    mcp_agent.py pydantic-ai URL GOAL    an agent of pydantic-ai, whose model is an endpoint of this process that decides by the script
"""

import asyncio
import http.server
import json
import os
import re
import sys
import threading

HEADERS = {"authorization": "Bearer " + os.environ["WALDO_MCP_TOKEN"]}


def decided(goal, screen):
    """The tool and arguments that the goal asks for on a screen that observe listed."""
    listed = {name: int(number) for number, name in re.findall(r'^(\d+) .*?"(.*?)"', screen, re.MULTILINE)}
    has_dialog = "a dialog holds up the page" in screen
    if found := re.match("Delete (.*) and (.*) from", goal):
        rows = [listed[name] for name in ("Delete " + person for person in found.groups()) if name in listed]
        if has_dialog:
            return "dialog", {"reply": "accept"}
        return ("tap", {"element": rows[0]}) if rows else ("finish", {})
    if found := re.match(r"Create a new folder named .(.*). in (.*)\.", goal):
        name, place = found.groups()
        if has_dialog:
            return "dialog", {"reply": "accept", "text": name}
        return ("finish", {}) if name in screen else ("tap", {"element": listed["New folder in " + place]})
    return "infeasible", {"reason": "nothing on the page does that"}


async def by_sdk(url, goal):
    import httpx2
    import mcp
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(headers=HEADERS, timeout=60) as http_client:
        async with mcp.Client(streamable_http_client(url, http_client=http_client)) as client:
            tool = ""
            while tool not in ("finish", "infeasible"):
                seen = await client.call_tool("observe", {})
                tool, arguments = decided(goal, seen.content[0].text)
                await client.call_tool(tool, arguments)


class Model(http.server.BaseHTTPRequestHandler):
    """An endpoint of OpenAI's chat completions, which looks at the screen and acts on it in turn."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        messages = asked["messages"]
        goal = next(message["content"] for message in messages if message["role"] == "user")
        calls = [call["function"]["name"] for message in messages for call in message.get("tool_calls") or []]
        reply = {"role": "assistant", "content": "done"}
        if calls[-1:] not in (["finish"], ["infeasible"]):
            tool, arguments = decided(goal, str(messages[-1]["content"])) if calls[-1:] == ["observe"] else ("observe", {})
            assert tool in [tool["function"]["name"] for tool in asked["tools"]], asked["tools"]
            function = {"name": tool, "arguments": json.dumps(arguments)}
            reply = {"role": "assistant", "content": None,
                     "tool_calls": [{"id": f"call_{len(messages)}", "type": "function", "function": function}]}
        ended = "tool_calls" if "tool_calls" in reply else "stop"
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "scripted",
                           "choices": [{"index": 0, "finish_reason": ended, "message": reply}]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


async def by_pydantic_ai(url, goal):
    from pydantic_ai import Agent
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    endpoint = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=endpoint.serve_forever, daemon=True).start()
    provider = OpenAIProvider(base_url=f"http://127.0.0.1:{endpoint.server_port}/v1", api_key="none")
    agent = Agent(OpenAIChatModel("scripted", provider=provider), toolsets=[MCPToolset(url, headers=HEADERS)])
    async with agent:
        await agent.run(goal)


asyncio.run({"sdk": by_sdk, "pydantic-ai": by_pydantic_ai}[sys.argv[1]](*sys.argv[2:4]))
