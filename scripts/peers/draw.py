"""Small line charts as SVG: a legible file that needs nothing else."""
import math

# Told apart by people who see colours differently, on white and on dark pages.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f5f00", "#5f5f9f", "#8c8c8c", "#a00000"]
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 68, 210, 34, 48


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def ticks(low, high, logarithmic):
    if logarithmic:
        return [10 ** power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]
    step = 10 ** math.floor(math.log10(max(high, 1e-9) / 4))
    while high / step > 6:
        step *= 2 if high / step < 12 else 5
    return [step * n for n in range(int(high / step) + 2)]


def label(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:g}" if value == round(value, 2) else f"{value:.2g}"


def chart(title, across, up, series, log_x=False, log_y=False):
    """`series`: name to a list of (x, y) or (x, y, low, high)."""
    points = [point for line in series.values() for point in line]
    if not points:
        return None
    xs, ys = [p[0] for p in points], [value for p in points for value in p[1:]]
    marks_x = sorted(set(xs)) if log_x else ticks(0, max(xs), False)
    marks_y = ticks(min(ys), max(ys), True) if log_y else ticks(0, max(ys), False)
    low_x, high_x = (min(xs), max(xs)) if log_x else (0, max(xs))
    low_y, high_y = marks_y[0], marks_y[-1]

    def place(value, low, high, logarithmic):
        if logarithmic:
            value, low, high = math.log(value), math.log(low), math.log(high)
        return (value - low) / ((high - low) or 1)

    def at(x, y):
        return (LEFT + place(x, low_x, high_x, log_x) * (WIDTH - LEFT - RIGHT),
                HEIGHT - BOTTOM - place(y, low_y, high_y, log_y) * (HEIGHT - TOP - BOTTOM))

    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<title>{escape(title)}</title><rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="{LEFT}" y="20" font-size="14" fill="#222">{escape(title)}</text>']
    for mark in marks_y:
        _, y = at(low_x if log_x else 0, mark)
        svg.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="#444">{label(mark)}</text>')
    for mark in marks_x:
        if not low_x <= mark <= high_x:
            continue
        x, _ = at(mark, low_y)
        svg.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{HEIGHT - BOTTOM}" y2="{HEIGHT - BOTTOM + 4}" stroke="#444"/>'
                   f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle" fill="#444">{label(mark)}</text>')
    svg.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle" fill="#222">{escape(across)}</text>'
               f'<text transform="translate(14 {(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle" fill="#222">{escape(up)}</text>')
    ends = []
    for number, (name, line) in enumerate(series.items()):
        colour, line = COLOURS[number % len(COLOURS)], sorted(line)
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (at(p[0], p[1]) for p in line))
        svg.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        for p in line:
            x, y = at(p[0], p[1])
            if len(p) == 4:
                svg.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{at(p[0], p[2])[1]:.1f}" y2="{at(p[0], p[3])[1]:.1f}" stroke="{colour}"/>')
            if len(line) <= 12:
                svg.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
        if line:
            ends.append([*at(line[-1][0], line[-1][1]), name, colour])
    # Names stand beside the ends of their lines, moved apart where they would cover each other.
    ends.sort(key=lambda end: end[1])
    for above, below in zip(ends, ends[1:]):
        below.append(max(below[1], (above[4] if len(above) > 4 else above[1]) + 14))
    over = max((end[4] if len(end) > 4 else end[1]) for end in ends) - (HEIGHT - BOTTOM)
    for end in ends:
        y = (end[4] if len(end) > 4 else end[1]) - max(0, over)
        x = WIDTH - RIGHT + 14
        svg.append(f'<line x1="{end[0] + 4:.1f}" y1="{end[1]:.1f}" x2="{x - 3}" y2="{y:.1f}" stroke="{end[3]}" stroke-opacity=".4"/>'
                   f'<text x="{x}" y="{y + 4:.1f}" fill="{end[3]}">{escape(end[2])}</text>')
    return "\n".join(svg + ["</svg>", ""])
