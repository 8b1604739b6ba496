"""A stand-in for MobileWorld's MCP client: two servers of one tool each, and no protocol."""
MCP_CONFIG = {"mcpServers": {"amap": {}, "arXiv": {}}}


class Client:
    def list_tools_sync(self):
        if "nobody" in MCP_CONFIG["mcpServers"]:
            return []
        return [{"name": name, "description": f"It is {name}.", "inputSchema": {"type": "object"}} for name in ("amap_count", "arXiv_search")]

    def call_tool_sync(self, name, arguments):
        return [{"type": "text", "text": f"{arguments['of']}: 42"}]


def init_mcp_clients():
    return Client()
