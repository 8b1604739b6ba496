// Measures `waldo mcp` beside @playwright/mcp: the same pages, the same Chromium, one after the other. Tokens are
// counted by o200k. Called by scripts/bench mcp, which sets MODULES (node_modules), WALDO, CHROMIUM, ROUNDS, NOTEBOOK
// (the address of a running notebook application, or nothing) and PAGES (which ones, as a regular expression).
import http from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const { MODULES, WALDO, CHROMIUM, ROUNDS = "5", NOTEBOOK = "", PAGES = "." } = process.env;
const from = createRequire(path.join(MODULES, "package.json"));
const load = (name) => import(pathToFileURL(from.resolve(name)).href);
const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
const { getEncoding } = await load("js-tiktoken");
const o200k = getEncoding("o200k_base");
const tokens = (text) => o200k.encode(text, "all").length;

const form = `<label>Name <input></label><label>Mail <input></label><label>Size <select><option>Small<option>Large</select></label>
<label><input type=checkbox> News</label><button onclick="o.textContent='Order taken'">Send</button><p id=o></p>`;
const field = `<label>Name <input></label><button onclick="o.textContent='Order taken'">Send</button><p id=o></p>`;
const pages = {
  "small form": form,
  "1,000 controls": field + Array.from({ length: 998 }, (_, n) => `<button>Control ${n}</button>`).join(" "),
  "table of 10,000 rows":
    field +
    "<table>" +
    Array.from({ length: 10000 }, (_, n) => `<tr><td>${n}<td>Customer ${n}<td>${(n * 37) % 1000}.00`).join("") +
    "</table>",
};
const served = http.createServer((request, response) => {
  const body = pages[decodeURIComponent(request.url.slice(1))] ?? "<p>Start</p>";
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.end(`<!doctype html><title>Page</title>${body}`);
});
await new Promise((done) => served.listen(0, "127.0.0.1", done));
const base = `http://127.0.0.1:${served.address().port}`;
const folder = mkdtempSync(path.join(tmpdir(), "bench-mcp-"));
let sessions = 0;

const servers = {
  waldo: {
    start: () => {
      sessions += 1;
      const allow = ["--allow", base, ...(NOTEBOOK ? ["--allow", new URL(NOTEBOOK).origin] : [])];
      const args = ["mcp", "--url", `${base}/`, "--browser", CHROMIUM, "--out", `${folder}/${sessions}`, ...allow];
      return { command: WALDO, args };
    },
    open: (url) => ["open", { url }],
    look: () => ["observe", {}],
    click: (ref) => ["tap", { element: Number(ref) }],
    fill: (ref, text) => ["fill", { element: Number(ref), text }],
    ref: /^(\d+) /m,
  },
  playwright: {
    start: () => {
      const flags = ["--headless", "--isolated", "--no-sandbox", "--viewport-size", "1280,800"];
      return {
        command: path.join(MODULES, ".bin/playwright-mcp"),
        args: [...flags, "--executable-path", CHROMIUM, "--output-dir", folder],
      };
    },
    open: (url) => ["browser_navigate", { url }],
    look: () => ["browser_snapshot", {}],
    click: (ref) => ["browser_click", { element: "control", target: ref }],
    fill: (ref, text) => ["browser_type", { element: "field", target: ref, text }],
    ref: /\[ref=(\w+)\]/,
  },
};

const median = (all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];

// One page on one server: tokens and milliseconds of each call, by kind.
async function measured(server, url, steps) {
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(new StdioClientTransport({ ...server.start(), stderr: "ignore", env: { ...process.env } }));
  const calls = [];
  const call = async (kind, [name, args]) => {
    const began = performance.now();
    const result = await client.callTool({ name, arguments: args });
    const text = result.content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
    if (result.isError) throw new Error(`${name}: ${text.slice(0, 300)}`);
    calls.push({ kind, ms: performance.now() - began, tokens: tokens(text) });
    return text;
  };
  try {
    const list = tokens(JSON.stringify((await client.listTools()).tools));
    let known = await call("open", server.open(url));
    // What is not in the last answer has to be looked for.
    const find = async (words) => {
      for (let tries = 0; tries < 20; tries += 1) {
        const line = known.split("\n").find((line) => line.includes(words) && server.ref.test(line));
        if (line) return server.ref.exec(line)[1];
        known = await call("look", server.look());
      }
      throw new Error(`no ${words} in ${known.slice(0, 500)}`);
    };
    for (const [what, words, text] of steps) {
      if (what === "fill") {
        const ref = await find(words);
        known = `${known}\n${await call("fill", server.fill(ref, text))}`;
      }
      if (what === "click") {
        const ref = await find(words);
        known = await call("click", server.click(ref));
      }
      if (what === "see") {
        for (let tries = 0; tries < 20 && !known.includes(words); tries += 1) known = await call("look", server.look());
        if (!known.includes(words)) throw new Error(`${words} is not seen`);
      }
    }
    const task = { ms: calls.reduce((sum, c) => sum + c.ms, 0), tokens: calls.reduce((sum, c) => sum + c.tokens, 0) };
    const looks = [];
    for (let n = 0; n < 3; n += 1) {
      await call("again", server.look());
      looks.push(calls.at(-1));
    }
    const clicks = calls.filter((c) => c.kind === "click");
    return {
      list,
      task,
      look: { ms: median(looks.map((c) => c.ms)), tokens: median(looks.map((c) => c.tokens)) },
      click: { ms: median(clicks.map((c) => c.ms)), tokens: median(clicks.map((c) => c.tokens)) },
    };
  } finally {
    await client.close();
  }
}

const order = [["fill", '"Name"', "Ada"], ["click", '"Send"'], ["see", "Order taken"]];
const tasks = Object.keys(pages).map((name) => [name, `${base}/${encodeURIComponent(name)}`, order]);
tasks[0][2] = [["fill", '"Name"', "Ada"], ["fill", '"Mail"', "ada@example.org"], ...order.slice(1)];
if (NOTEBOOK) tasks.push(["notebook application", NOTEBOOK, [["click", '"File"'], ["see", "New"]]]);

console.log("| page | server | observation | click | task: tokens | task | observe | click |");
console.log("| --- | --- | --- | --- | --- | --- | --- | --- |");
const lists = {};
for (const [page, url, steps] of tasks.filter(([page]) => new RegExp(PAGES).test(page))) {
  const rounds = { waldo: [], playwright: [] };
  for (let n = 0; n < Number(ROUNDS); n += 1) {
    for (const name of Object.keys(servers)) rounds[name].push(await measured(servers[name], url, steps));
  }
  for (const [name, all] of Object.entries(rounds)) {
    lists[name] = all[0].list;
    const of = (what, unit) => Math.round(median(all.map((round) => round[what][unit])));
    console.log(
      `| ${page} | ${name} | ${of("look", "tokens")} | ${of("click", "tokens")} | ${of("task", "tokens")} | ` +
        `${of("task", "ms")} ms | ${of("look", "ms")} ms | ${of("click", "ms")} ms |`,
    );
  }
}
console.log(`\nTokens of the lists of tools: ${Object.entries(lists).map(([name, n]) => `${name} ${n}`).join(", ")}.`);
served.close();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
