"""BrowserGym: a step that does nothing, with its wait before the observation; then its drawing of marks and its text."""
import io
from importlib.metadata import version

from line import CHROMIUM, HEIGHT, WIDTH, serve
from playwright.sync_api import BrowserType

# Playwright brings no browser here: every launch, the chat window's too, uses the system's.
launch = BrowserType.launch
BrowserType.launch = lambda self, **how: launch(self, **{**how, "executable_path": CHROMIUM})

import browsergym.core  # noqa: E402, F401
import gymnasium  # noqa: E402
from browsergym.utils.obs import flatten_axtree_to_str, overlay_som  # noqa: E402
from PIL import Image  # noqa: E402


class Tool:
    own = True
    ready = version("browsergym-core")

    def __init__(self):
        self.env = gymnasium.make("browsergym/openended", task_kwargs={"start_url": "about:blank"}, headless=True, slow_mo=0,
                                  viewport={"width": WIDTH, "height": HEIGHT}, timeout=60000)
        self.env.reset()

    def open(self, url):
        self.env.unwrapped.page.goto(url)

    def observe(self, what):
        # Taken apart only to say what is settling: the wait is BrowserGym's own, before every observation.
        waits = self.env.unwrapped.pre_observation_delay
        seen, _, _, _, _ = self.env.unwrapped.step("noop(0)")
        marked = overlay_som(seen["screenshot"], extra_properties=seen["extra_element_properties"])
        text = flatten_axtree_to_str(seen["axtree_object"], extra_properties=seen["extra_element_properties"])

        def picture():
            out = io.BytesIO()
            Image.fromarray(marked).save(out, "PNG")
            return out.getvalue()
        return {"text": text, "picture": picture, "settle_ms": waits * 1e3}

    def close(self):
        self.env.close()


serve(Tool)
