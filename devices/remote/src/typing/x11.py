import time
from Xlib import X, display
from Xlib.ext import xtest
d = display.Display()
first, last = d.display.info.min_keycode, d.display.info.max_keycode
keymap = [list(row) for row in d.get_keyboard_mapping(first, last - first + 1)]
width = len(keymap[0])
shift = d.keysym_to_keycode(0xffe1)
lock = d.keysym_to_keycode(0xffe5)
def symbol(c):
    code = ord(c)
    if c in "\r\n":
        return 0xff0d
    if c == "\t":
        return 0xff09
    return code if 0x20 <= code <= 0x7e or 0xa0 <= code <= 0xff else 0x1000000 | code
keys = {}
for row, symbols in enumerate(keymap):
    for level in (1, 0):
        if level < width and symbols[level] and first + row != shift:
            keys[symbols[level]] = (first + row, level)
    lower = symbols[0]
    if (0x61 <= lower <= 0x7a or 0xe0 <= lower <= 0xfe and lower != 0xf7) and (width < 2 or not symbols[1]):
        keys[lower - 0x20] = (first + row, 1)
spare = [first + row for row, symbols in enumerate(keymap) if not any(symbols)]
def press(code, level):
    if level:
        xtest.fake_input(d, X.KeyPress, shift)
    xtest.fake_input(d, X.KeyPress, code)
    xtest.fake_input(d, X.KeyRelease, code)
    if level:
        xtest.fake_input(d, X.KeyRelease, shift)
    d.sync()
locked = bool(d.screen().root.query_pointer().mask & X.LockMask)
if locked and lock:
    press(lock, 0)
laid = {}
def lay(symbols):
    for code, symbol in zip(spare, symbols):
        d.change_keyboard_mapping(code, [[symbol] * width])
        laid[symbol] = code
    d.sync()
    time.sleep(0.2)
try:
    wanted = [symbol(c) for c in text]
    at = 0
    while at < len(wanted):
        one = wanted[at]
        if one in keys:
            press(*keys[one])
        elif one in laid:
            press(laid[one], 0)
        else:
            if not spare:
                raise SystemExit("no key is free for a character that the keyboard lacks")
            coming = []
            for other in wanted[at:]:
                if other not in keys and other not in coming:
                    coming.append(other)
            if laid:
                time.sleep(0.3)
            laid.clear()
            lay(coming[:min(len(spare), 16)])
            continue
        time.sleep(0.008)
        at += 1
finally:
    if laid:
        time.sleep(0.3)
        for code in laid.values():
            d.change_keyboard_mapping(code, [[0] * width])
        d.sync()
    if locked and lock:
        press(lock, 0)
    d.close()
