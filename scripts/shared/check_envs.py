"""Puts the environments of the package through gymnasium's checks; `scripts/python-check` runs it."""
import gymnasium
import numpy
import waldo
from gymnasium.utils.env_checker import check_env

# Equal seeds have to show equal screens. An editor's title has the path of the home folder, which is new in each episode.
for suite, device, task in [("l3-web", None, "register-form"), ("l3-android", "simphone", "dark-theme"),
                            ("l3-desktop", "desktop", "dialog-yes")]:
    for picture in ("none", "bare", "labelled"):
        with gymnasium.make("waldo/Env-v0", suite=suite, device=device, task=task, picture=picture, render_mode="rgb_array",
                            longest_side=640) as env:
            check_env(env.unwrapped)
            limited = gymnasium.wrappers.TimeLimit(env, 2)
            limited.reset(seed=1)
            assert [limited.step(limited.action_space.sample())[3] for _ in range(2)] == [False, True]
    print(f"ok    {suite}", flush=True)

with waldo.VectorEnv("l3-web", 2, task="register-form", picture="bare", max_steps=2) as envs:
    seen, infos = envs.reset(seed=5)
    assert envs.observation_space.contains(seen) and seen["picture"].shape == (2, 800, 1280, 3), seen["picture"].shape
    cuts = [envs.step(envs.action_space.sample())[3].tolist() for _ in range(4)]
    assert cuts == [[False] * 2, [True] * 2, [False] * 2, [False] * 2], cuts
    # What was shown stays as it was while others come.
    first = seen["picture"].copy()
    one, _ = envs.envs[0].reset(seed=5)
    kept, copy = one["picture"], numpy.array(one["picture"])
    envs.envs[0].step({"do": "tap", "element": {"x": 5, "y": 5}})
    assert (kept == copy).all() and (seen["picture"] == first).all()
print("ok    vectors")
