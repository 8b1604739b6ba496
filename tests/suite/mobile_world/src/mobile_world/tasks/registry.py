"""A stand-in for MobileWorld's registry: five tasks of one screen with two buttons, in place of the benchmark's 201."""


class Task:
    snapshot_tag = "init_state"

    def __init__(self, goal, judge, tags=(), apps=("Settings",)):
        self.goal, self.judge, self.task_tags, self.app_names = goal, judge, set(tags), set(apps)


class TaskRegistry:
    def __init__(self):
        self.tasks = {
            "PressSaveTask": Task("press Save", lambda phone: (float("Save" in phone["pressed"]), "Save was looked for")),
            "PressBothTask": Task("press Save", lambda phone: (len(set(phone["pressed"])) / 2, "both were looked for")),
            "WriteAskUserTask": Task("Write the word.", lambda phone: float(phone["text"] == "Ada"), {"agent-user-interaction"}),
            "CountMcpTask": Task("How many?", lambda phone: float(phone["answer"] == "42"), {"agent-mcp"}, {"MCP-Amap"}),
            "LostTask": Task("press what the container does not have", lambda phone: 0.0),
        }
