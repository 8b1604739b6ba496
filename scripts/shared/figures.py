"""Times of a run's record, and figures of many of them."""
import datetime
import json
import os
import random
import socket
import statistics

#: The binary that is measured.
WALDO = os.environ.get("WALDO", "target/release/waldo")


def ms(span):
    """Milliseconds of a span of a record."""
    return span["secs"] * 1e3 + span["nanos"] / 1e6


def at(event):
    """When an event was, in milliseconds."""
    whole, _, part = event["at"].rstrip("Z").partition(".")
    return datetime.datetime.fromisoformat(whole).timestamp() * 1e3 + float(f"0.{part or 0}") * 1e3


def events(path):
    """The events of an episode's record."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def interval(values, rounds=4000):
    """The 95 % interval of the median, by bootstrap with a fixed seed."""
    draws = random.Random(0)
    medians = sorted(statistics.median(draws.choices(values, k=len(values))) for _ in range(rounds))
    return medians[int(rounds * 0.025)], medians[int(rounds * 0.975)]


def free_port():
    """A port of loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
