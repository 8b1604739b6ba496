// A server of the Model Context Protocol over standard input and output: waldo's, or Playwright's. The time is the client's,
// from the call until its answer was read.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { CHROMIUM, HEIGHT, WIDTH, serve, version } from "./line.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "bench-peers-mcp-"));
const servers = {
  waldo: {
    command: () => [
      process.env.WALDO, "mcp", "--browser", CHROMIUM, "--out", path.join(folder, "run"),
      "--url", process.env.BLANK, ...process.env.ORIGINS.split(" ").flatMap((origin) => ["--allow", origin]),
    ],
    open: (url) => ["open", { url }],
    whole: [["observe", { picture: true }]],
    list: [["observe", {}]],
    named: (words) => new RegExp(`^(\\d+) \\S+ "${words}`, "m"),
    acts: {
      click: (on) => ["tap", { element: Number(on) }],
      fill: (on, { text }) => ["fill", { element: Number(on), text }],
      drag: (on, { to }) => ["drag", { from: Number(on), to: Number(to) }],
    },
  },
  playwright: {
    command: () => [
      process.execPath, path.join(process.env.MODULES, "@playwright/mcp/cli.js"), "--headless", "--isolated", "--no-sandbox",
      "--viewport-size", `${WIDTH}x${HEIGHT}`, "--executable-path", CHROMIUM, "--output-dir", folder,
    ],
    open: (url) => ["browser_navigate", { url }],
    whole: [["browser_snapshot", {}], ["browser_take_screenshot", {}]],
    list: [["browser_snapshot", {}]],
    named: (words) => new RegExp(`"${words}[^\\n]*?\\[ref=(\\w+)\\]`),
    acts: {
      click: (on) => ["browser_click", { element: "control", target: on }],
      fill: (on, { text }) => ["browser_type", { element: "field", target: on, text }],
      drag: (on, { to }) => ["browser_drag", { startElement: "one", startTarget: on, endElement: "other", endTarget: to }],
    },
  },
};

class Client {
  constructor([program, ...args]) {
    this.process = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.waiting = new Map();
    this.next = 1;
    const dead = (why) => {
      for (const { reject } of this.waiting.values()) reject(new Error(why));
      this.waiting.clear();
    };
    this.process.on("exit", (code) => dead(`the server ended with ${code}`));
    this.process.on("error", (error) => dead(String(error)));
    readline.createInterface({ input: this.process.stdout }).on("line", (line) => {
      const message = JSON.parse(line);
      const asked = this.waiting.get(message.id);
      if (!asked || message.method) return;
      this.waiting.delete(message.id);
      if (message.error) asked.reject(new Error(message.error.message));
      else asked.resolve(message.result);
    });
  }
  send(message) {
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
  request(method, params) {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.send({ id, method, params });
    });
  }
  async call([name, args]) {
    const result = await this.request("tools/call", { name, arguments: args });
    const text = result.content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
    if (result.isError) throw new Error(`${name}: ${text.replace(/### Error/, "").replace(/\s+/g, " ").trim().slice(0, 300)}`);
    const image = result.content.find((part) => part.type === "image");
    return { text, image: image && Buffer.from(image.data, "base64") };
  }
}

await serve(async () => {
  const kind = process.argv[2];
  const server = servers[kind];
  const client = new Client(server.command());
  const about = await client.request("initialize", {
    protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench-peers", version: "1" },
  });
  client.send({ method: "notifications/initialized" });
  return {
    ready: kind === "waldo" ? about.serverInfo.version : version("@playwright/mcp"),
    own: false,
    open: (url) => client.call(server.open(url)),
    async observe(what) {
      let text = "";
      let picture = null;
      for (const call of server[what]) {
        const got = await client.call(call);
        // What comes with the picture is a note about its file.
        if (got.image) picture = got.image;
        if (!got.image || kind === "waldo") text += got.text;
      }
      if (what === "whole" && !picture) throw new Error("the answer has no picture");
      return { text, picture };
    },
    named: server.named,
    async act(what, on) {
      const { text } = await client.call(server.acts[what.do](on, what));
      return what.list ? (await client.call(server.list[0])).text : text;
    },
    close() {
      client.process.stdin.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
