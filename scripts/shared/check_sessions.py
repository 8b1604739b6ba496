"""Opens sixteen sessions of pages in one server, steps them at once, and shows that none sees another; `scripts/python-check` runs it."""
import json
import pathlib
import re
import tempfile
import time

import waldo

COUNT = 16
# What is kept here is shared by all pages of an origin, and cookies by all of a host, unless somebody keeps them apart.
PAGE = """<!doctype html><title>Words</title><label>Word <input></label><button>Keep</button><p></p><script>
const field = document.querySelector("input"), channel = new BroadcastChannel("words"), heard = [];
const show = () => {
  const all = [document.cookie, ...Object.keys(localStorage), ...heard].join(" ");
  document.querySelector("p").textContent = `kept: ${all} end`;
};
channel.onmessage = (event) => { heard.push(event.data); show(); };
document.querySelector("button").onclick = () => {
  document.cookie = `${field.value}=1`;
  localStorage.setItem(field.value, "1");
  channel.postMessage(field.value);
  show();
};
show();
</script>"""
SUITE = 'format = 1\nid = "words"\ntitle = "Words"\nlevel = "L3"\nplatform = "web"\nmax_steps = 9\norder = ["keep"]\n'
TASK = """id = "keep"
title = "Keep a word"
category = "sessions"
goal = "Keep a word."
start = "/keep/"
[[check]]
kind = "js"
expr = "Object.keys(localStorage).length"
equals = 1
[[reference]]
do = "key"
chord = "Escape"
"""


def kept(screen):
    """The words that a screen shows."""
    return set(re.findall(r"word-\d+", re.search(r"kept:(.*?)end", screen)[1]))


def timed(name, act):
    begin = time.perf_counter()
    done = act()
    print(f"      {name}: {time.perf_counter() - begin:.2f} s", flush=True)
    return done


with tempfile.TemporaryDirectory() as folder:
    suite = pathlib.Path(folder, "words")
    for name, text in [("suite.toml", SUITE), ("tasks/keep.toml", TASK), ("site/keep/index.html", PAGE)]:
        (suite / name).parent.mkdir(parents=True, exist_ok=True)
        (suite / name).write_text(text)
    words = [f"word-{number}" for number in range(COUNT)]
    with waldo.VectorEnv(str(suite), COUNT, task="keep", autoreset=False) as envs:
        seen, _ = timed(f"{COUNT} sessions begin", lambda: envs.reset(seed=1))
        assert all(kept(screen) == set() for screen in seen["screen"]), seen["screen"]
        envs.step([json.dumps({"do": "fill", "element": 1, "text": word}) for word in words])
        seen, *_ = timed(f"a step of {COUNT} sessions", lambda: envs.step([json.dumps({"do": "tap", "element": 2})] * COUNT))
        found = [kept(screen) for screen in seen["screen"]]
        # Each finds its own, so what is kept is found where it is not kept apart.
        assert found == [{word} for word in words], found
        seen, *_ = envs.step([json.dumps({"do": "reload"})] * COUNT)
        found = [kept(screen) for screen in seen["screen"]]
        assert found == [{word} for word in words], found
        _, rewards, over, *_ = envs.step([json.dumps({"do": "finish"})] * COUNT)
        assert list(rewards) == [1.0] * COUNT and all(over), (rewards, over)
        # One that begins anew has lost its own, and the others keep theirs.
        mask = [number == 3 for number in range(COUNT)]
        try:
            import numpy
            mask = numpy.array(mask)
        except ImportError:
            pass
        seen, _ = envs.reset(options={"reset_mask": mask})
        assert kept(seen["screen"][3]) == set(), seen["screen"][3]
print(f"ok    {COUNT} sessions in one server never see each other")
