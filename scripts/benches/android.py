"""AppAgent's way from a dump and a screenshot to a labelled picture for a model, timed beside waldo's.

bench_android.py FOLDER LOG   (NAME.xml and NAME.png for every screen; what criterion said of waldo's way)

Written from the description of its code, step by step and with its costs: the dump is parsed twice as a stream
(clickable, then focusable elements), near doubles are dropped by comparing each with all kept ones, each number is
drawn by the library that it uses (pyshine, on OpenCV), the picture is read from and written to a PNG file, and read
again as base64.
"""
import base64
import contextlib
import io
import pathlib
import re
import statistics
import sys
import time
import xml.etree.ElementTree as ElementTree

import cv2

with contextlib.redirect_stdout(io.StringIO()):  # It tells of what it could also use.
    import pyshine

MIN_DIST = 30
folder = pathlib.Path(sys.argv[1])


def corners(bounds):
    first, second = bounds[1:-1].split("][")
    return tuple(map(int, first.split(","))), tuple(map(int, second.split(",")))


def centre(box):
    (x1, y1), (x2, y2) = box
    return (x1 + x2) // 2, (y1 + y2) // 2


def near(a, b):
    (ax, ay), (bx, by) = centre(a), centre(b)
    return ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 <= MIN_DIST


def uid(node):
    (x1, y1), (x2, y2) = corners(node.get("bounds"))
    name = node.get("resource-id", "").replace(":", ".").replace("/", "_") or f"{node.get('class')}_{x2 - x1}_{y2 - y1}"
    said = node.get("content-desc", "")
    if said and len(said) < 20:
        name += "_" + said.replace("/", "_").replace(" ", "").replace(":", "_")
    return name


def elements(path, attribute):
    kept, way = [], []
    for event, node in ElementTree.iterparse(path, ["start", "end"]):
        if event == "end":
            way.pop()
            continue
        way.append(node)
        if node.get(attribute) != "true":
            continue
        box = corners(node.get("bounds"))
        if not any(near(box, other) for _, other in kept):
            kept.append((f"{uid(way[-2])}_{uid(node)}_{node.get('index')}", box))
    return kept


def label(source, target, boxes):
    picture = cv2.imread(source)
    for number, (_, box) in enumerate(boxes, 1):
        x, y = centre(box)
        try:
            picture = pyshine.putBText(
                picture,
                str(number),
                text_offset_x=x + 10,
                text_offset_y=y + 10,
                vspace=10,
                hspace=10,
                font_scale=1,
                thickness=2,
                background_RGB=(10, 10, 10),
                text_RGB=(255, 250, 250),
                alpha=0.5,
            )
        except (cv2.error, ValueError):
            pass  # A number beside the picture: it is left out, and counting goes on.
    cv2.imwrite(target, picture)
    with open(target, "rb") as file:
        return base64.b64encode(file.read()).decode()


def once(name):
    dump = str(folder / f"{name}.xml")
    clickable = elements(dump, "clickable")
    found = clickable + [f for f in elements(dump, "focusable") if not any(near(f[1], c[1]) for c in clickable)]
    label(str(folder / f"{name}.png"), str(folder / "labelled.png"), found)
    return len(found)


def theirs(name):
    times = []
    for _ in range(25):
        start = time.perf_counter()
        count = once(name)
        times.append((time.perf_counter() - start) * 1000)
    return count, statistics.median(times)


UNITS = {"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3}
said = re.findall(r"^android/observation/(.*?)\s+time:\s+\[\S+ \S+ (\S+) (\S+)", pathlib.Path(sys.argv[2]).read_text(), re.M)
rows = [(name, *theirs(name), float(value) * UNITS[unit]) for name, value, unit in said]
print(f"screens of 1080x2400; OpenCV {cv2.__version__}, pyshine {pyshine.__version__}; medians in ms\n")
print("| screen | labels | AppAgent's way in Python | waldo: tree, tags, list, drawing, PNG | ratio |")
print("| --- | --: | --: | --: | --: |")
for name, count, their, our in rows:
    print(f"| {name} | {count} | {their:.1f} | {our:.2f} | {their / our:.1f} |")
their, our = sum(row[2] for row in rows), sum(row[3] for row in rows)
print(f"| all | {sum(row[1] for row in rows)} | {their:.1f} | {our:.2f} | {their / our:.1f} |")
