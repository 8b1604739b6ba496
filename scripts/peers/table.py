"""Medians, quartiles and ratios of the rows, as the Markdown section of docs/benchmarks.md."""
import pathlib
import statistics

from . import install
from .child import PEERS
from .pages import PAGES

BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"

IDLE = 2.0  # The load from which on the section says that the machine was not idle.


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high


def number(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def spread(values):
    if not values:
        return ""
    low, middle, high = quartiles(values)
    return f"{number(middle)} ({number(low)}–{number(high)})" if len(values) > 1 else number(middle)


def middle(values):
    return statistics.median(values) if values else None


def ratio(row, base):
    if not row.ms or not base or not base.ms or row is base:
        return ""
    value = middle(row.ms) / middle(base.ms)
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def bytes_of(value):
    return "" if not value else number(value / 1e3)


def table(rows, gone):
    lines = ["| page, tool | observation, ms | n | ratio | settling, ms | list alone, ms | text, KB | tokens | picture, KB | processor, ms | memory, MB |",
             "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |"]
    for page in dict.fromkeys(row.page for row in rows):
        lines.append(f"| **{PAGES[page][0]}** | | | | | | | | | | |")
        of = {row.peer: row for row in rows if row.page == page}
        base = of.get("waldo")
        for peer, row in of.items():
            title = PEERS[peer].title
            if peer in gone and page != rows[0].page:
                continue  # Said once.
            if not row.ms:
                lines.append(f"| {title} | {(row.error or 'nothing seen').replace('|', '/')} | | | | | | | | | |")
                continue
            cpu = "" if peer == "waldo-loop" else number(middle(row.cpu))
            then = f", then {row.error}" if row.error else ""
            memory = "" if peer == "waldo-loop" else number(row.memory)
            lines.append(f"| {title} | {spread(row.ms)}{then} | {len(row.ms)} | {ratio(row, base)} | {number(middle(row.settle))} | "
                         f"{number(middle(row.list_ms))} | {bytes_of(row.text)} | {'' if row.tokens is None else f'{row.tokens:,}'} | "
                         f"{bytes_of(row.picture)} | {cpu} | {memory} |")
    return "\n".join(lines)


def notes(rows, versions, gone):
    """What each tool does for one observation, its version, and what its picture is."""
    lines = []
    for peer in dict.fromkeys(row.peer for row in rows):
        kinds = sorted({row.kind for row in rows if row.peer == peer and row.kind})
        picture = f"; picture {', '.join(kinds)}" if kinds else ""
        state = "(not seen here)" if peer in gone else versions.get(peer, "")
        lines.append(f"- {PEERS[peer].title} {state}: {PEERS[peer].gives}{picture}. {PEERS[peer].note}.")
    return "\n".join(lines)


def section(facts, rows, versions, gone, pictures):
    text = [BEGIN, "",
            f"Made by `{facts['command']}` on {facts['when']}: {facts['machine']}. Load before {facts['load_before']}, after "
            f"{facts['load_after']}; {facts['minutes']:.0f} minutes.", ""]
    # The load afterwards is that of the tools themselves.
    if float(facts["load_before"].split()[0]) > IDLE:
        text += ["**The machine was not idle**: others worked on it all the while. Times, and limits that were reached, are those of a loaded "
                 "machine; a run on an idle one replaces this section.", ""]
    text += [table(rows, gone), "",
             "Medians with quartiles over n observations; the ratio is to waldo's record on the same page; processor time of an observation "
             "and the most memory (proportional share, looked at every 50 ms in a first observation that is not timed) are those of the tool's "
             "whole tree of processes, browser included. Tokens are counted by o200k; those of pictures are not counted. "
             "Where one observation took over 10 s the first is the only one (n is 1). A tool's own settling is in its time; where it can be told, it also stands apart.", "",
             notes(rows, versions, gone), ""]
    for name, (file, words) in pictures.items():
        text += [f"![{name}]({file})", "", words, ""]
    return "\n".join([*text, END])


def write_docs(text, path):
    path = pathlib.Path(path)
    whole = path.read_text()
    if BEGIN not in whole or END not in whole:
        raise install.Missing(f"{path} has no {BEGIN} and {END}")
    before, after = whole.split(BEGIN)[0], whole.split(END)[1]
    path.write_text(before + text + after)
