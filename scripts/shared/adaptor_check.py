"""Has agents of AgentLab and OSWorld play waldo's tasks over the adaptors, and holds their interfaces against ours.

`scripts/adaptor-check` runs it.
"""
import ast
import inspect
import json
import logging
import os
import pathlib
import sys

import adaptor_policies

runs = pathlib.Path(sys.argv[1])
endpoint = adaptor_policies.Endpoint()
os.environ["OPENAI_BASE_URL"] = endpoint.address
PAGES = ["prompt-dialog", "register-form", "infeasible-delete"]


def agentlab(names, max_steps):
    """Rewards of AgentLab's agent in BrowserGym's loop."""
    from agentlab.agents.generic_agent import AGENT_4o_VISION
    from agentlab.llm.chat_api import OpenAIModelArgs
    from bgym import EnvArgs, ExpArgs, HighLevelActionSetArgs

    AGENT_4o_VISION.chat_model_args = OpenAIModelArgs(
        model_name="gpt-4", max_total_tokens=100_000, max_input_tokens=90_000, max_new_tokens=2_000, vision_support=True)
    flags = AGENT_4o_VISION.flags
    flags.obs.use_screenshot = flags.obs.use_som = flags.obs.use_html = flags.obs.use_tabs = True
    flags.action.action_set = HighLevelActionSetArgs(subsets=["chat", "infeas", "bid", "nav", "tab"], multiaction=False)
    rewards = []
    for name in names:
        exp = ExpArgs(AGENT_4o_VISION, EnvArgs(task_name=name, task_seed=3, max_steps=max_steps), logging_level=logging.ERROR,
                      logging_level_stdout=logging.ERROR)
        exp.prepare(runs)
        exp.run()
        summary = json.loads((exp.exp_dir / "summary_info.json").read_text())
        assert summary["err_msg"] is None, summary["stack_trace"]
        rewards.append(summary["cum_reward"])
    return rewards


def browsergym():
    from browsergym.core.action.highlevel import ACTION_SUBSETS, HighLevelActionSet
    from waldo.browsergym import register
    from waldo.browsergym_actions import ACTIONS, parsed

    known = HighLevelActionSet(subsets=[name for name in ACTION_SUBSETS]).action_set
    assert set(known) <= set(ACTIONS), set(known) - set(ACTIONS)
    for name, action in known.items():
        for example in action.examples:
            for called in parsed(example):
                called.bound(ACTIONS[called.name][0])
    print(f"ok    the {len(known)} actions of BrowserGym are known, with their examples", flush=True)

    names = [name for name in register("l3-web", max_steps=30) if name.rpartition(".")[2] in PAGES]
    endpoint.decide = adaptor_policies.browsergym
    rewards = agentlab(names, 25)
    assert rewards == [1.0] * 3, dict(zip(names, rewards))
    print(f"ok    AgentLab's GenericAgent solves {', '.join(names)}", flush=True)
    endpoint.decide = lambda messages: "<think>no</think>\n<action>\nnoop(10)\n</action>"
    rewards = agentlab(names, 3)
    assert rewards == [0.0] * 3, dict(zip(names, rewards))
    print("ok    the same agent that does nothing solves none of them", flush=True)


DESKTOP = [("dialog-yes", "som"), ("dialog-entry", "a11y_tree"), ("note-append", "screenshot_a11y_tree")]


def prompt_agent(max_steps):
    """Scores of OSWorld's agent, in a loop as OSWorld's run scripts have it."""
    from mm_agents.agent import PromptAgent
    from waldo.osworld import DesktopEnv

    scores = []
    for task, sees in DESKTOP:
        agent = PromptAgent(model="gpt-4o", observation_type=sees, action_space="pyautogui", max_trajectory_length=3)
        env = DesktopEnv("l3-desktop", action_space="pyautogui", task=task, provider_name="vmware", os_type="Ubuntu", headless=True)
        try:
            agent.reset()
            obs, done, step = env.reset(task_config={"id": task, "seed": 3}), False, 0
            env.controller.start_recording()
            while not done and step < max_steps:
                _, actions = agent.predict(env.instruction, obs)
                for action in actions:
                    obs, _, done, info = env.step(action, 0.1)
                    assert "error" not in info, info
                    if done:
                        break
                step += 1
            scores.append(env.evaluate())
            env.controller.end_recording(os.fspath(runs / "film.mp4"))
        finally:
            env.close()
    return scores


def osworld():
    import importlib.util

    from desktop_env.actions import ACTION_SPACE
    from waldo.hand import Hand
    from waldo.osworld import DesktopEnv
    from waldo.osworld_actions import Translation, special

    folder = importlib.util.find_spec("desktop_env").submodule_search_locations[0]
    source = ast.parse(pathlib.Path(folder, "desktop_env.py").read_text())
    theirs = next(node for node in source.body if isinstance(node, ast.ClassDef) and node.name == "DesktopEnv")
    checked = [one for one in theirs.body if isinstance(one, ast.FunctionDef)
               and (not one.name.startswith("_") or one.name == "_get_obs")]
    for function in checked:
        ours = inspect.getattr_static(DesktopEnv, function.name)
        ours = ours.fget if isinstance(ours, property) else ours
        names = [argument.arg for argument in function.args.args]
        assert list(inspect.signature(ours).parameters)[:len(names)] == names, (function.name, names)
    examples = {str: "a", float: 5, int: 2, list: ["ctrl", "a"]}
    for action in ACTION_SPACE:
        given = {name: (what.get("range") or [None])[0] if what["type"] is str and name == "button" else examples[what["type"]]
                 for name, what in action.get("parameters", {}).items()}
        given |= {"key": "ctrl"} if action["action_type"] in ("KEY_DOWN", "KEY_UP") else {}
        given |= {"num_clicks": 2} if "num_clicks" in given else {}
        one = {"action_type": action["action_type"], "parameters": given}
        assert special(one) or Translation(Hand((9, 9)), False).of(one), one
    print(f"ok    {len(checked)} methods of OSWorld's DesktopEnv are here, and the {len(ACTION_SPACE)} actions of computer_13",
          flush=True)

    print("skip  PromptAgent with computer_13, whose prompt desktop-env 1.0.2 itself cannot fill in")
    endpoint.decide = adaptor_policies.osworld
    scores = prompt_agent(5)
    assert scores == [1.0] * 3, dict(zip(DESKTOP, scores))
    print(f"ok    OSWorld's PromptAgent solves {', '.join('/'.join(one) for one in DESKTOP)}", flush=True)
    endpoint.decide = lambda messages: "```\nWAIT\n```"
    scores = prompt_agent(2)
    assert scores == [0.0] * 3, dict(zip(DESKTOP, scores))
    print("ok    the same agent that waits solves none of them", flush=True)


browsergym()
osworld()
