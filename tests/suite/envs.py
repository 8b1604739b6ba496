"""What tests/suite/envs.rs has Python do: `envs.py NAME` runs a function of this file, and prints what it gives as JSON."""
import asyncio
import json
import os
import re
import signal
import sys

import xml.etree.ElementTree as xml

import waldo
from waldo.browsergym import BrowserEnv
from waldo.osworld import DesktopEnv

SAVE = {"do": "tap", "element": 1}


def named(turn, *names):
    for name in names:
        for element in turn.elements:
            if element.name == name or name.endswith("*") and element.name.startswith(name[:-1]):
                return waldo.tap(element)


def policy(turn):
    """Plays tasks of several suites by what their goals and screens say."""
    goal, screen = turn.goal, turn.untrusted
    if goal.startswith("Delete"):
        people = re.match("Delete (.*) and (.*) from", goal).groups()
        if "dialog" in screen:
            return {"do": "dialog", "reply": "accept"}
        return named(turn, *["Delete " + one for one in people]) or waldo.finish()
    if goal.startswith("Turn the dark theme"):
        return waldo.finish() if turn.step > 2 else named(turn, "Dark theme", "Display, *")
    door = re.search("the (\\w+) door", goal).group(1)
    return waldo.answer(re.search(door + " door: ([\\w-]+)", json.dumps(screen)).group(1))


def play(env, **how):
    seen, info = env.reset(**how)
    done = False
    while not done:
        seen, reward, ended, cut, info = env.step(policy(env.turn))
        done = ended or cut
    return seen, reward, info


def error(call, *args, **more):
    try:
        call(*args, **more)
    except waldo.WaldoError as error:
        return f"{type(error).__name__}: {error}"


def rewards():
    told = []
    for suite, device, task in [("l3-web", None, "confirm-dialog"), ("l3-android", "simphone", "dark-theme"),
                                ("l3-desktop", "desktop", "note-code-answer")]:
        with waldo.Env(suite, device=device, task=task, picture="bare", record=suite) as env:
            seen, reward, info = play(env, seed=3)
            picture, goal = seen["picture"], seen["goal"]
            again, _ = env.reset(seed=3)
            other, _ = env.reset(seed=4)
            told.append([reward, info["outcome"], info["partial"], picture.shape[2], len(bytes(picture)) == picture.nbytes,
                         again["goal"] == goal, other["goal"] == goal, goal])
    with waldo.Env("l4-devices", picture="labelled") as env:
        env.reset(task=env.tasks[0])
        told.append([len(env.turn.begun["screens"]) > 1, env.step(waldo.give_up("enough"))[1:4]])
    return told


def bid(seen, name):
    """The number of what has this name in BrowserGym's tree."""
    return next(node["browsergym_id"] for node in seen["axtree_object"]["nodes"]
                if node.get("name", {}).get("value") == name and "browsergym_id" in node)


def by_browsergym(task):
    """A task of pages, by actions of BrowserGym's."""
    with BrowserEnv("l3-web", task=task) as env:
        seen, _ = env.reset(seed=3)
        if task == "confirm-dialog":
            for name in re.match("Delete (.*) and (.*) from", seen["goal"]).groups():
                seen, *_ = env.step(f"click('{bid(seen, 'Delete ' + name)}')")
                seen, *_ = env.step("click('dialog-ok')")
        elif task == "prompt-dialog":
            name, area = re.search("“(.*)” in (.*)\\.", seen["goal"]).groups()
            seen, *_ = env.step(f"click('{bid(seen, 'New folder in ' + area)}')")
            seen, *_ = env.step(f"fill('dialog-text', {name!r})\nclick('dialog-ok')")
        ends = "report_infeasible('no')" if task.startswith("infeasible") else "send_msg_to_user('done')"
        wrong = env.step("click('999')")[0]["last_action_error"]
        _, reward, ended, _, info = env.step(ends)
        return [reward, ended, "'999'" in wrong, info["task_info"]["outcome"]]


def place(seen, name):
    """The middle of what has this name in OSWorld's tree."""
    spaces = "{https://accessibility.ubuntu.example.org/ns/component}"
    node = next(one for one in xml.fromstring(seen["accessibility_tree"]).iter() if one.get("name") == name or one.tag == name)
    corner, size = (json.loads(node.get(spaces + part).replace("(", "[").replace(")", "]")) for part in ("screencoord", "size"))
    return [corner[n] + size[n] // 2 for n in range(2)]


def by_osworld(task):
    """A task of the desktop, by code and dictionaries of OSWorld's."""
    with DesktopEnv("l3-desktop", task=task) as env:
        seen = env.reset(task_config={"id": task, "seed": 3})
        assert seen["screenshot"].startswith(b"\x89PNG")
        if task == "dialog-yes":
            x, y = place(seen, "Yes")
            actions = [{"action_type": "CLICK", "parameters": {"x": x, "y": y}}]
        elif task == "dialog-entry":
            name = re.search("the name (.*) into", seen["instruction"]).group(1)
            actions = [f"import pyautogui\npyautogui.click{tuple(place(seen, 'entry'))}\npyautogui.typewrite({name!r})",
                       f"pyautogui.click{tuple(place(seen, 'OK'))}"]
        else:
            line = re.search("the line '(.*)' at", seen["instruction"]).group(1)
            actions = [f"pyautogui.hotkey('ctrl', 'end'); pyautogui.write({line!r}); pyautogui.hotkey('ctrl', 's')"]
        errors = [env.step(action)[3].get("error") for action in [*actions, "WAIT"]]
        wrong = env.step("pyautogui.locateOnScreen('a.png')")[3]["error"]
        _, _, done, _ = env.step("DONE")
        return [env.evaluate(), done, "locateOnScreen" in wrong, [one for one in errors if one]]


def adaptors():
    return [[by_browsergym(task) for task in ("confirm-dialog", "prompt-dialog", "infeasible-delete")],
            [by_osworld(task) for task in ("dialog-yes", "dialog-entry", "note-append")]]


def sessions():
    told = {}
    with waldo.VectorEnv("./s", 3, autoreset=False) as envs:
        told["mode"] = oct(os.stat(envs.server.socket).st_mode)
        told["full"] = error(waldo.Env, server=envs.server)
        told["unbegun"] = error(envs.step, [[]] * 3)
        told["unknown"] = error(envs.reset, task=["one", "tow", "two"])
        envs.reset(task=["one", "one", "two"], seed=[7, 7, 7])
        told["bad"] = error(envs.step, [SAVE, "tap", []])
        seen, _, _, _, infos = envs.step([SAVE, {"do": "tap", "element": 99}, []])
        told["titles"] = seen["title"]
        told["last"] = [json.loads(one)[0]["seen"] for one in seen["last"]]
        told["tags"] = list(infos["tags"])
        _, rewards, ended, _, infos = envs.step([waldo.finish(), [SAVE, waldo.finish()], []])
        told["rewards"] = [list(map(float, rewards)), list(map(bool, ended)), infos["outcome"][1]]
        _, _, _, cut, infos = envs.step([[], [], []])
        told["cut"] = [list(map(bool, cut)), infos["outcome"][2], list(map(bool, infos["_outcome"]))]
        told["mask"] = envs.reset(options={"reset_mask": [False, True, False]}, task="two")[1]["task"][1]
        one, two = envs.envs[:2]
        told["over"] = error(one.step, SAVE)
        told["seed"] = error(one.reset, seed=-1)
        one.reset()
        if os.fork() == 0:
            open("fork", "w").write(error(one.step, SAVE))
            os._exit(0)
        os.wait()
        told["fork"] = open("fork").read()
        # A reset gives up what is under way; the others go on.
        one.reset(task="one")
        told["after"] = [one.step(SAVE)[0]["title"], two.step([])[0]["title"]]
        os.kill(envs.server.pid, signal.SIGKILL)
        told["killed"] = error(one.step, SAVE)
        told["gone"] = error(one.reset)
    return told


def owned():
    env = waldo.Env("./s")
    env.reset()
    print(env.server.pid, flush=True)
    signal.pause()


def connected(waits=False):
    async def one():
        env = waldo.AsyncEnv(server=waldo.Server(socket="socket"))
        await env.reset()
        if waits:
            print("begun", flush=True)
            signal.pause()
        told = [(await env.step(SAVE))[0]["title"], (await env.step(waldo.finish()))[1]]
        await env.close()
        return told
    return asyncio.run(one())


def waiting():
    connected(waits=True)


print(json.dumps(globals()[sys.argv[1]]()))
