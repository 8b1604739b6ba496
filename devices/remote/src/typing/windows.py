import ctypes, time
from ctypes import wintypes
class Key(ctypes.Structure):
    _fields_ = [("vk", wintypes.WORD), ("scan", wintypes.WORD), ("flags", wintypes.DWORD), ("time", wintypes.DWORD),
                ("extra", ctypes.c_size_t)]
class Input(ctypes.Structure):
    _fields_ = [("type", wintypes.DWORD), ("key", Key), ("rest", ctypes.c_ubyte * 8)]
def send(vk, scan, flags):
    one = Input(1, Key(vk, scan, flags, 0, 0))
    if ctypes.windll.user32.SendInput(1, ctypes.byref(one), ctypes.sizeof(Input)) != 1:
        raise SystemExit("the system took no key")
for c in text.replace("\r\n", "\n"):
    if c in "\r\n\t":
        vk = 0x09 if c == "\t" else 0x0d
        send(vk, 0, 0)
        send(vk, 0, 2)
    else:
        units = c.encode("utf-16-le")
        for at in range(0, len(units), 2):
            unit = units[at] | units[at + 1] << 8
            send(0, unit, 4)
            send(0, unit, 6)
    time.sleep(0.008)
