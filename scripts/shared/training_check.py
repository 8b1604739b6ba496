"""Has a policy play two tasks in groups, exports the rollouts, and gives them to TRL and verl; `scripts/training-check` runs it.

    training_check.py WALDO FOLDER
"""
import asyncio
import collections
import json
import pathlib
import subprocess
import sys

import datasets
import numpy
import PIL.Image
import torch
import training_policy
import transformers

datasets.disable_progress_bars()
waldo, folder = sys.argv[1], pathlib.Path(sys.argv[2])
TASKS, ATTEMPTS = ["infeasible-delete", "infeasible-discount"], 4
UNREADABLE = "Nothing that can be read as an action."
ENDS = [f"Observation: o\nThought: t\nAction: {action}\nSummary: s" for action in ['infeasible("it is not there")', "FINISH"]]
policy = training_policy.Policy(training_policy.documentation())


def close(one, other, what):
    difference = max(abs(a - b) for a, b in zip(one, other, strict=True))
    assert difference < 1e-2, f"{what} differs by {difference}"


def ok(what):
    print(f"ok    {what}", flush=True)


def played():
    """The lines of a run in which each attempt has two replies, the first of which is none; half of the attempts are right."""
    endpoint = training_policy.Endpoint(policy, lambda n: ENDS[n // 4 % 2] if n % 2 else UNREADABLE)
    tasks = [part for task in TASKS for part in ("--task", task)]
    subprocess.run([waldo, "eval", "l3-web", *tasks, "--agent", "appagent", "--model", "own", "--base-url", endpoint.address,
                    "--temperature", "1", "--logprobs", "--repeats", str(ATTEMPTS), "--same-instance", "--workers", "1",
                    "--no-report", "--out", folder / "run"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([waldo, "export", folder / "run", "--to", "rollouts"], check=True, stdout=subprocess.DEVNULL)
    file = folder / "run/export/rollouts.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(lines) == len(TASKS) * ATTEMPTS * 2, len(lines)
    lines.sort(key=lambda line: (line["group"], line["repeat"], line["turn"]))
    assert len({(line["group"], line["reward"]) for line in lines}) == 2 * len(TASKS), "each group has attempts of both kinds"
    for line in lines:
        said = policy.tokenizer.decode(line["completion_ids"], skip_special_tokens=True)
        assert said == line["completion"][0]["content"], (said, line["completion"])
        close(policy.logprobs(line["prompt_ids"], line["completion_ids"]), line["logprobs"], "the log probability of a token")
    ok(f"{len(lines)} lines of {len(TASKS)} groups: the ids say the replies, and have the probabilities that the policy gives them")
    return file, lines


def table(file, lines):
    """The lines as `datasets` reads them, for trainers that take a table of messages."""
    from trl.data_utils import is_conversational, prepare_multimodal_messages

    rows = datasets.load_dataset("json", data_files=str(file), split="train", cache_dir=folder / "cache")
    by_place = {(row["group"], row["repeat"], row["turn"]): row for row in rows}
    for line in lines:
        row = by_place[line["group"], line["repeat"], line["turn"]]
        # It reads ten digits of a fraction.
        close(row.pop("logprobs"), line["logprobs"], "a log probability that datasets reads")
        rest = {name: value for name, value in line.items() if name != "logprobs"}
        assert row == rest, {name: (row[name], rest[name]) for name in rest if row[name] != rest[name]}
        assert is_conversational(row)
        pictures = [PIL.Image.open(file.parent / image) for image in row["images"]]
        assert pictures and all(picture.width == 1280 for picture in pictures)
        parts = prepare_multimodal_messages(row["prompt"], images=pictures)[0]["content"]
        assert [part["type"] for part in parts] == ["image", "text"], parts
    ok(f"datasets reads {len(rows)} rows that are the lines; TRL takes their messages and pictures")
    return rows


def settings(kind, **more):
    return kind(output_dir=str(folder / kind.__name__), use_cpu=True, report_to=[], logging_steps=1, disable_tqdm=True, save_strategy="no", max_steps=1,
                gradient_checkpointing=False, bf16=False, **more)


def supervised(rows):
    from trl import SFTConfig, SFTTrainer

    good = rows.filter(lambda row: row["accepted"] and row["reward"] == 1.0).select_columns(["prompt", "completion"])
    trainer = SFTTrainer(policy.model, settings(SFTConfig, per_device_train_batch_size=2, max_length=None), train_dataset=good,
                         processing_class=policy.tokenizer)
    batch = next(iter(trainer.get_train_dataloader()))
    for ids, labels in zip(batch["input_ids"].tolist(), batch["labels"].tolist()):
        learnt = [token for token, label in zip(ids, labels) if label != -100]
        assert policy.tokenizer.decode(learnt, skip_special_tokens=True).strip() == ENDS[0], policy.tokenizer.decode(learnt)
    ok(f"TRL's SFTTrainer takes {len(good)} accepted turns that succeeded, and learns the replies alone")


def grpo(lines):
    from trl import GRPOConfig, GRPOTrainer

    size = ATTEMPTS * 2
    groups = collections.defaultdict(list)
    for line in lines:
        groups[line["group"]].append(line)
    prompts = datasets.Dataset.from_list([{"prompt": name} for name in groups])
    seen = {}

    def rollouts(prompts, trainer):
        taken = seen["taken"] = [groups[name].pop(0) for name in prompts]
        named = {"prompt_ids": "prompt_ids", "completion_ids": "completion_ids", "logprobs": "logprobs",
                 "env_mask": "completion_mask", "rewarded": "reward"}
        return {to: [line[name] for line in taken] for to, name in named.items()}

    def reward(rewarded, **_):
        return rewarded

    class Trainer(GRPOTrainer):
        def _generate_and_score_completions(self, inputs):
            batch = seen["batch"] = super()._generate_and_score_completions(inputs)
            ids, mask = ([batch[f"{part}_{what}"] for part in ("prompt", "completion")] for what in ("ids", "mask"))
            with torch.no_grad():
                logprobs, _, _ = self._get_per_token_logps_and_entropies(
                    self.model, torch.cat(ids, 1), torch.cat(mask, 1), ids[1].size(1))
            seen["logprobs"] = [row[kept.bool()].tolist() for row, kept in zip(logprobs, mask[1])]
            return batch

    trainer = Trainer(policy.model, reward, settings(
        GRPOConfig, num_generations=size, per_device_train_batch_size=size * len(TASKS), max_completion_length=512, beta=0.0,
        learning_rate=1e-3), train_dataset=prompts, processing_class=policy.tokenizer, rollout_func=rollouts)
    before = policy.model.lm_head.weight.detach().clone()
    trainer.remove_callback(transformers.PrinterCallback)
    trainer.train()
    logged = {name: value for entry in trainer.state.log_history for name, value in entry.items()}
    batch = seen["batch"]
    assert not any(groups.values()), "every line was taken"
    assert logged["reward"] == 0.5 and logged["rewards/reward/mean"] == 0.5, logged
    masks = batch["completion_mask"] * batch.get("tool_mask", 1)
    assert int(masks.sum()) == sum(sum(line["completion_mask"]) for line in lines)
    assert {round(one, 2) for one in batch["advantages"].tolist()} == {-0.94, 0.94}, batch["advantages"]
    for line, logprobs in zip(seen["taken"], seen["logprobs"], strict=True):
        close(logprobs, line["logprobs"], "what the trainer computes for a token")
    assert not torch.equal(before, policy.model.lm_head.weight), "the step changed the policy"
    ok(f"TRL's GRPOTrainer takes a step on {len(lines)} rollouts, reward {logged['reward']}; by its own forward pass the "
       "tokens have the probabilities that were recorded")


def verl(file, lines):
    from omegaconf import OmegaConf
    from verl.experimental.agent_loop import AgentLoopOutput, AgentLoopWorker
    from verl.experimental.agent_loop.agent_loop import AgentLoopMetrics
    from verl.trainer.ppo.core_algos import compute_grpo_outcome_advantage
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    outputs = [AgentLoopOutput(prompt_ids=line["prompt_ids"], response_ids=line["completion_ids"],
                               response_mask=line["completion_mask"], response_logprobs=line["logprobs"],
                               reward_score=line["reward"], num_turns=2, metrics=AgentLoopMetrics()) for line in lines]
    # The worker's own way from outputs to a batch, without the servers that it starts for generation.
    worker = AgentLoopWorker.__new__(AgentLoopWorker)
    worker.tokenizer, worker.processor, worker.reward_loop_worker_handles = policy.tokenizer, None, None
    worker.distillation_enabled, worker.mm_processor_kwargs = False, {}
    longest = [max(len(line[name]) for line in lines) for name in ("prompt_ids", "completion_ids")]
    worker.rollout_config = OmegaConf.create({"prompt_length": longest[0], "response_length": longest[1]})

    async def whole():
        return [await worker._agent_loop_postprocess(one, False, raw_prompt=line["prompt"]) for one, line in zip(outputs, lines)]

    batch = worker._postprocess(asyncio.run(whole())).batch
    for nth, line in enumerate(lines):
        kept = batch["response_mask"][nth].bool()
        assert batch["responses"][nth][kept].tolist() == line["completion_ids"]
        close(batch["rollout_log_probs"][nth][kept].tolist(), line["logprobs"], "verl's log probability")
        assert batch["rm_scores"][nth].sum() == line["reward"]
    advantages, _ = compute_grpo_outcome_advantage(
        batch["rm_scores"], batch["response_mask"], numpy.array([line["group"] for line in lines]))
    for row, mask, line in zip(advantages, batch["response_mask"], lines):
        assert {bool(one > 0) for one in row[mask.bool()]} == {line["reward"] == 1.0}
    ok(f"verl's AgentLoopOutput, batch and GRPO advantage take {len(lines)} rollouts")

    config = OmegaConf.create({"cache_dir": str(folder / "verl"), "max_prompt_length": 1 << 16, "image_key": "no pictures",
                               "filter_overlong_prompts_workers": None})
    prompts = RLHFDataset(str(file), policy.tokenizer, config)
    batch = collate_fn([prompts[nth] for nth in range(len(prompts))])
    assert len(batch["raw_prompt"]) == len(lines) and all(policy.ids(one) for one in batch["raw_prompt"])
    ok(f"verl's RLHFDataset reads {len(prompts)} prompts")


file, lines = played()
rows = table(file, lines)
verl(file, lines)
supervised(rows)
grpo(lines)
