"""A stand-in for the package desktop-env: one window with two buttons, in place of a machine."""
import re
import struct
import zlib

NS = "https://accessibility.ubuntu.example.org/ns/"
BUTTONS = {"Save": (20, 60), "Discard": (140, 60)}


def png(width, height):
    rows = b"".join(b"\0" + b"\xff" * 3 * width for _ in range(height))
    chunk = lambda kind, body: struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Controller:
    def __init__(self, env):
        self.env = env

    def get_screenshot(self):
        return png(*self.env.screen_size)

    def get_accessibility_tree(self):
        button = ('<push-button name="{}" st:showing="true" st:enabled="true" cp:screencoord="({}, {})" cp:size="(80, 40)"/>')
        drawn = "".join(button.format(name, *at) for name, at in BUTTONS.items())
        return f'<desktop-frame xmlns:st="{NS}state" xmlns:cp="{NS}component">{drawn}</desktop-frame>'


class DesktopEnv:
    def __init__(self, provider_name="vmware", action_space="computer_13", screen_size=(1920, 1080), headless=False):
        assert action_space == "pyautogui"
        self.screen_size, self.controller = screen_size, Controller(self)

    def reset(self, task_config=None, seed=None, options=None):
        self.task, self.pressed, self.action_history = task_config, [], []

    def step(self, action, pause=2):
        self.action_history.append(action)
        for x, y in re.findall(r"click\((\d+), (\d+)", action):
            self.pressed += [name for name, (left, top) in BUTTONS.items()
                             if left <= int(x) < left + 80 and top <= int(y) < top + 40]

    def evaluate(self):
        wanted = self.task["evaluator"]["wanted"]
        if self.action_history[-1] == "FAIL":
            return 1 if wanted is None else 0
        return sum(name in self.pressed for name in wanted or []) / len(wanted) if wanted else 0

    def close(self):
        pass
