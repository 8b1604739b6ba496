# waldo apps-desktop canary f0bfc316-24ed-4131-b7f4-995c5ec1cc19: benchmark data, not for training corpora
"""Tells the size of a picture and what it shows: python3 look.py FILE across|down|jpeg [PARTS]."""
import struct, sys, zlib

def png(data):
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, lace = struct.unpack(">IIBBBBB", body)
        if kind == b"PLTE":
            palette = body
        if kind == b"IDAT":
            packed += body
        at += size + 12
    if depth != 8 or lace:
        sys.exit(f"{width}x{height} of {depth} bits, interlaced {lace}")
    n = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
    raw, row, rows, line = zlib.decompress(packed), width * n, [], bytes(width * n)
    for y in range(height):
        how, now = raw[y * (row + 1)], bytearray(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for x in range(row):
            a, b, c = (now[x - n] if x >= n else 0), line[x], (line[x - n] if x >= n else 0)
            if how == 1: now[x] = (now[x] + a) & 255
            if how == 2: now[x] = (now[x] + b) & 255
            if how == 3: now[x] = (now[x] + (a + b) // 2) & 255
            if how == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                now[x] = (now[x] + near) & 255
        line = bytes(now)
        rows.append(line)
    def at_place(x, y):
        v = rows[y][x * n:(x + 1) * n]
        if colour == 3: v = palette[v[0] * 3:v[0] * 3 + 3]
        if n == 4 and v[3] != 255: return "clear"
        if colour in (0, 4): v = v[:1] * 3
        return "#%02x%02x%02x" % tuple(v[:3])
    return width, height, at_place

def jpeg(data):
    at, tables = 2, {}
    while at < len(data):
        kind, size = data[at + 1], struct.unpack(">H", data[at + 2:at + 4])[0]
        body = data[at + 4:at + 2 + size]
        if kind == 0xDB:
            while body:
                wide, number = body[0] >> 4, body[0] & 15
                step = 128 if wide else 64
                tables[number] = list(struct.unpack(">64H", body[1:129])) if wide else list(body[1:65])
                body = body[1 + step:]
        if kind in (0xC0, 0xC1, 0xC2):
            height, width, parts = struct.unpack(">HHB", body[1:6])
            return width, height, parts, tables
        at += size + 2

# The luminance table of the standard, in zigzag order.
BASE = [16, 11, 12, 14, 12, 10, 16, 14, 13, 14, 18, 17, 16, 19, 24, 40, 26, 24, 22, 22, 24, 49, 35, 37, 29, 40, 58, 51, 61, 60, 57, 51,
        56, 55, 64, 72, 92, 78, 64, 68, 87, 69, 55, 56, 80, 109, 81, 87, 95, 98, 103, 104, 103, 62, 77, 113, 121, 112, 100, 120, 92, 101, 103, 99]

def table(quality):
    scale = 5000 // quality if quality < 50 else 200 - 2 * quality
    return [min(max((one * scale + 50) // 100, 1), 255) for one in BASE]

data = open(sys.argv[1], "rb").read()
if sys.argv[2] == "jpeg":
    if data[:2] != b"\xff\xd8": sys.exit("it is no JPEG picture")
    width, height, parts, tables = jpeg(data)
    quality = [q for q in range(1, 101) if table(q) == tables[0]]
    print(f"{width}x{height} {'grey' if parts == 1 else 'colours'} quality {quality}")
else:
    if data[:8] != b"\x89PNG\r\n\x1a\n": sys.exit("it is no PNG picture")
    width, height, place = png(data)
    parts = int(sys.argv[3])
    seen = []
    for k in range(parts):
        share = (2 * k + 1) / (2 * parts)
        if sys.argv[2] == "across": spots = [(int(width * share), y) for y in (1, height // 2, height - 2)]
        else: spots = [(x, int(height * share)) for x in (1, width // 2, width - 2)]
        colours = {place(x, y) for x, y in spots}
        seen.append(colours.pop() if len(colours) == 1 else "mixed")
    print(f"{width}x{height} {' '.join(seen)}")
