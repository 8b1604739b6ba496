# Sections of cdp_agent.rs: each follows the head of the documented client; "sending" comes before some.
#: keys
page = Page()
start = page.evaluate("location.href")
page.evaluate("document.body.innerHTML = '<input id=field autofocus style=position:fixed;left:0;top:0;width:200px;height:40px>'")
page.click(20, 20)
for letter in "hello":
    page.call("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
    page.call("Input.dispatchKeyEvent", type="keyUp", key=letter)
# What reads comes after what was typed.
assert page.evaluate("field.value") == "hello", page.evaluate("field.value")
page.call("Input.dispatchKeyEvent", type="keyDown", key="Backspace", code="Backspace", windowsVirtualKeyCode=8)
page.call("Input.insertText", text=" you")
assert page.evaluate("field.value") == "hell you", page.evaluate("field.value")
page.call("Page.navigate", url=start + "?again")
page.call("Page.enable")
history = page.call("Page.getNavigationHistory")
page.call("Page.navigateToHistoryEntry", entryId=history["entries"][0]["id"])
tab = page.call("Target.createTarget", url="about:blank")["targetId"]
page.call("Target.closeTarget", targetId=tab)
open(sys.argv[3], "w").write('{"give_up": "tried"}')
#: typed last
page = Page()
page.evaluate("document.body.innerHTML = '<input autofocus>'; document.querySelector('input').focus()")
page.call("Input.dispatchKeyEvent", type="keyDown", key="x", text="x")
#: around the guard
page = Page()

def refused(method, **params):
    try:
        said = page.call(method, **params)
    except RuntimeError as error:
        return str(error)
    raise AssertionError(f"{method} was let through: {said}")

for url in ["http://127.0.0.1:9/", "https://example.org/", "file:///etc/passwd", "chrome://version"]:
    assert "allowed" in (why := refused("Page.navigate", url=url)), why
    assert "allowed" in (why := refused("Target.createTarget", url=url)), why
for method in ["Browser.grantPermissions", "Fetch.enable", "IO.read", "Network.getAllCookies", "Storage.getCookies",
               "SystemInfo.getProcessInfo", "Target.createBrowserContext", "Target.exposeDevToolsProtocol",
               "Tracing.start", "DOM.getFileInfo"]:
    assert method in (why := refused(method)), why
assert "offers" in (why := refused("DOM.setFileInputFiles", files=["/etc/passwd"], nodeId=1)), why
assert "outside" in (why := refused("Input.synthesizeTapGesture", x=9000, y=1)), why
with open(sys.argv[3], "w") as answer:
    answer.write("done")
#: sending
page = Page()

def send(method, session=None, **params):
    page.asked += 1
    message = {"id": page.asked, "method": method, "params": params}
    text = json.dumps(message | ({"sessionId": session} if session else {})).encode()
    page.socket.sendall(b"\x81\xff" + len(text).to_bytes(8, "big") + bytes(4) + text)
    return page.asked
#: in order
for turn in range(1000):
    page.asked += 1
    for method in ["Page.getFrameTree", "Runtime.enable", "Runtime.disable"]:
        last = send(method)
answered = created = 0
while answered != last:
    said = page.read()
    if said.get("method") == "Runtime.executionContextCreated":
        # The answer before is that to Page.getFrameTree.
        assert answered % 4 == 2, answered
        created += 1
    answered = said.get("id", answered)
assert created >= 1000, created
#: another session
def ask(method, session=None, **params):
    number = send(method, session, **params)
    while (said := page.read()).get("id") != number:
        pass
    return said["result"] if "result" in said else said["error"]["message"]

browser = ask("Target.attachToBrowserTarget")["sessionId"]
[target] = ask("Target.getTargets", browser)["targetInfos"]
own = ask("Target.attachToTarget", browser, targetId=target["targetId"], flatten=True)["sessionId"]
assert ask("Runtime.evaluate", own, expression="6 * 7")["result"]["value"] == 42
for method in ["Target.setAutoAttach", "Target.setDiscoverTargets", "Target.createBrowserContext", "Storage.getCookies",
               "Browser.grantPermissions"]:
    refused = ask(method, browser, autoAttach=True, waitForDebuggerOnStart=False, flatten=True, discover=True)
    assert isinstance(refused, str), (method, refused)
assert "No target" in ask("Target.attachToTarget", browser, targetId="0" * 32)
for kind, points in [("touchStart", [{"x": 5, "y": 5}]), ("touchEnd", [])]:
    assert ask("Input.dispatchTouchEvent", own, type=kind, touchPoints=points) == {}
#: too late
for n in range(9):
    for kind in ["mousePressed", "mouseReleased"]:
        last = send("Input.dispatchMouseEvent", type=kind, x=5, y=5, button="left", clickCount=1)
answers = {}
try:
    while True:
        if "id" in (said := page.read()):
            answers[said["id"]] = said.get("error", {}).get("message")
except SystemExit as error:
    open("told", "w").write(json.dumps({"answered": sorted(answers), "last": answers.get(last), "closed": str(error)}))
#: token
import subprocess, urllib.error
base, token = url.rsplit("/", 1)
for address, headers in [(base + "/json/version", {}), (base + "/" + "0" * 32 + "/json/version", {}),
                         (url + "/json/version", {"Host": "evil.test"}), (url + "/json/version", {"Origin": "http://a.test"})]:
    try:
        urllib.request.urlopen(urllib.request.Request(address, headers=headers))
        sys.exit(f"{address} {headers} was served")
    except urllib.error.HTTPError as error:
        assert error.code in (403, 404), error
with urllib.request.urlopen(url + "/json/version") as version:
    assert json.load(version)["webSocketDebuggerUrl"].startswith("ws://127.0.0.1:")
open("address", "w").write(url)
until = __import__("time").monotonic() + 60
while not os.path.exists("tried"):
    assert __import__("time").monotonic() < until
#: all steps
import time
page = Page()
for n in range(9):
    try:
        page.click(5, 5)
    except (RuntimeError, SystemExit) as error:
        open('told', 'w').write(str(error))
        break
time.sleep(3600)
