// agent-browser: a program on the command line and the daemon that it leaves running. Every observation starts the program,
// as an agent does.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { CHROMIUM, HEIGHT, WIDTH, serve, version } from "./line.mjs";

const run = promisify(execFile);
const folder = mkdtempSync(path.join(tmpdir(), "bench-peers-ab-"));
// The program itself, as an installation for all leads to it, not the script in front of it.
const program = path.join(process.env.MODULES, `agent-browser/bin/agent-browser-linux-${process.arch}`);
const env = {
  ...process.env, HOME: folder, AGENT_BROWSER_EXECUTABLE_PATH: CHROMIUM, AGENT_BROWSER_SESSION: `bench-${process.pid}`,
  AGENT_BROWSER_ARGS: "--no-sandbox", AGENT_BROWSER_DEFAULT_TIMEOUT: "60000",
};
const told = async (...args) => (await run(program, args, { env, maxBuffer: 1 << 28 })).stdout;

await serve(async () => {
  await told("open", "about:blank");
  await told("set", "viewport", String(WIDTH), String(HEIGHT));
  const shot = path.join(folder, "shot.png");
  return {
    ready: version("agent-browser"),
    own: false,
    open: (url) => told("open", url),
    async observe(what) {
      if (what === "list") return { text: await told("snapshot", "-i") };
      const text = await told("batch", "snapshot -i", `screenshot ${shot}`);
      return { text, picture: readFileSync(shot) };
    },
    named: (words) => new RegExp(`"${words}[^\\n]*?ref=(\\w+)`),
    // What is asked at once is one batch, as its documentation has it.
    async act(what, on) {
      const words = { click: ["click", `@${on}`], fill: ["fill", `@${on}`, what.text], drag: ["drag", `@${on}`, `@${what.to}`] }[what.do];
      return what.list ? told("batch", words.join(" "), "snapshot -i") : told(...words);
    },
    async close() {
      await told("close").catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
});
