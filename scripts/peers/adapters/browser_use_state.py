"""browser-use: the state of the browser that its agent asks for before each step, and the text that it makes of it."""
import asyncio
import base64
import os
import tempfile
import time

os.environ.update(ANONYMIZED_TELEMETRY="false", BROWSER_USE_CLOUD_SYNC="false", BROWSER_USE_VERSION_CHECK="false",
                  BROWSER_USE_CONFIG_DIR=tempfile.mkdtemp(prefix="bench-peers-bu-"), BROWSER_USE_LOGGING_LEVEL="result")

from importlib.metadata import version  # noqa: E402

from browser_use.browser import BrowserProfile, BrowserSession  # noqa: E402
from line import CHROMIUM, HEIGHT, WIDTH, serve  # noqa: E402


LONGEST = 40_000  # Characters of the list that its agent puts into a prompt (max_clickable_elements_length).


class Tool:
    own = True
    ready = version("browser-use")

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        size = {"width": WIDTH, "height": HEIGHT}
        profile = BrowserProfile(executable_path=CHROMIUM, headless=True, viewport=size, window_size=size, chromium_sandbox=False,
                                 enable_default_extensions=False, user_data_dir=None, keep_alive=True)
        self.session = BrowserSession(browser_profile=profile)
        self.run(self.session.start())

    def run(self, work):
        return self.loop.run_until_complete(work)

    def open(self, url):
        self.run(self.session.navigate_to(url))

    def observe(self, what):
        began = time.monotonic()
        state = self.run(self.session.get_browser_state_summary(include_screenshot=what == "whole"))
        text = state.dom_state.llm_representation()[:LONGEST]
        # Whatever goes wrong in building the list, the session hands out an empty one instead.
        if not state.dom_state.selector_map and "/blank" not in state.url:
            raise RuntimeError(f"gave an empty list of elements after {time.monotonic() - began:.0f} s, by limits of its own")
        picture = base64.b64decode(state.screenshot) if state.screenshot else b""
        if what == "whole" and not picture:
            raise RuntimeError("gave no picture")
        return {"text": text, "picture": picture}

    def close(self):
        try:
            self.run(asyncio.wait_for(self.session.kill(), 8))
        except Exception as error:
            print("close", error)


serve(Tool)
