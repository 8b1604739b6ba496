import time, Quartz
def send(code, c):
    for down in (True, False):
        event = Quartz.CGEventCreateKeyboardEvent(None, code, down)
        if c is not None:
            Quartz.CGEventKeyboardSetUnicodeString(event, len(c.encode("utf-16-le")) // 2, c)
        Quartz.CGEventPost(Quartz.kCGHIDEventTap, event)
for c in text.replace("\r\n", "\n"):
    if c in "\r\n":
        send(36, None)
    elif c == "\t":
        send(48, None)
    else:
        send(0, c)
    time.sleep(0.01)
