// The bare picture: Chromium started with nothing but a debugging port, and Page.captureScreenshot.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { CHROMIUM, HEIGHT, WIDTH, serve } from "./line.mjs";

await serve(async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-peers-bare-"));
  const browser = spawn(CHROMIUM, [
    "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--remote-debugging-port=0", `--user-data-dir=${folder}`,
    `--window-size=${WIDTH},${HEIGHT}`, "about:blank",
  ], { stdio: "ignore" });
  const note = path.join(folder, "DevToolsActivePort");
  while (!existsSync(note) || !readFileSync(note, "utf8").includes("\n")) await new Promise((done) => setTimeout(done, 50));
  const [port] = readFileSync(note, "utf8").split("\n");
  const [tab] = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()).filter((one) => one.type === "page");
  const about = await (await fetch(`http://127.0.0.1:${port}/json/version`)).json();
  const socket = new WebSocket(tab.webSocketDebuggerUrl);
  await new Promise((done, failed) => Object.assign(socket, { onopen: done, onerror: failed }));
  const waiting = new Map();
  let loaded = () => {};
  let next = 1;
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    if (message.method === "Page.loadEventFired") loaded();
    const asked = waiting.get(message.id);
    waiting.delete(message.id);
    if (asked && message.error) asked.reject(new Error(message.error.message));
    else asked?.resolve(message.result);
  };
  const call = (method, params = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(next, { resolve, reject });
      socket.send(JSON.stringify({ id: next++, method, params }));
    });
  await call("Page.enable");
  await call("Emulation.setDeviceMetricsOverride", { width: WIDTH, height: HEIGHT, deviceScaleFactor: 1, mobile: false });
  return {
    ready: about.Browser,
    own: false,
    async open(url) {
      const load = new Promise((done) => { loaded = done; });
      await call("Page.navigate", { url });
      await load;
    },
    observe: async () => ({ picture: Buffer.from((await call("Page.captureScreenshot")).data, "base64") }),
    async close() {
      const gone = new Promise((done) => browser.on("exit", done));
      await call("Browser.close").catch(() => {});
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
