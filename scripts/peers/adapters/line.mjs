// The lines that every adapter speaks (scripts/peers/child.py says which), for adapters in JavaScript.
import { readFileSync, writeFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

export const CHROMIUM = process.env.CHROMIUM;
export const WIDTH = 1280;
export const HEIGHT = 800;
const say = (answer) => {
  const bytes = Buffer.from(`${JSON.stringify(answer)}\n`);
  for (let at = 0; at < bytes.length; ) at += writeSync(3, bytes, at);
};
const from = createRequire(path.join(process.env.MODULES ?? "/", "package.json"));
// A package by its name, or a file of it where it has no entry for `require`; what CommonJS exports stands beside the rest.
export const load = async (name, file) => {
  const found = await import(pathToFileURL(file ? path.join(process.env.MODULES, name, file) : from.resolve(name)).href);
  return { ...found.default, ...found };
};
export const version = (name) => JSON.parse(readFileSync(path.join(process.env.MODULES, name, "package.json"))).version;

// `tool`: { ready, own, open(url), observe(kind) -> { text, picture (bytes), settle_ms }, close() }, and where it acts
// act(what, number) -> text, named(words) -> expression for the number of what is called so.
export async function serve(start) {
  let tool;
  const failed = (error) => say({ error: String(error?.message ?? error) || "failed" });
  process.on("unhandledRejection", (error) => console.error("unhandled", error));
  try {
    tool = await start();
  } catch (error) {
    console.error(error);
    failed(error);
    process.exit(1);
  }
  say({ ready: tool.ready, own: tool.own });
  for await (const line of readline.createInterface({ input: process.stdin })) {
    const message = JSON.parse(line);
    try {
      if (message.close) break;
      if (message.open) {
        await tool.open(message.open);
        say({ done: true });
      } else if (message.act) {
        // Who acts has looked before; that look is not timed.
        const { text: list } = await tool.observe("list");
        const find = (words) => {
          const found = tool.named(words).exec(list);
          if (!found) throw new Error(`no ${words} in ${list.slice(0, 300)}`);
          return found[1];
        };
        const what = { ...message.act, ...(message.act.to && { to: find(message.act.to) }) };
        const on = find(what.on);
        const began = performance.now();
        const said = await tool.act(what, on);
        say({ ms: performance.now() - began, said });
      } else {
        const began = performance.now();
        const { text = "", picture = null, settle_ms = null } = await tool.observe(message.observe);
        const ms = performance.now() - began;
        if (message.save) {
          writeFileSync(path.join(message.save, "text"), text);
          if (picture) writeFileSync(path.join(message.save, "picture"), picture);
        }
        say({ ms, settle_ms, text: Buffer.byteLength(text), picture: picture?.length ?? 0 });
      }
    } catch (error) {
      console.error(error);
      failed(error);
    }
  }
  await tool.close();
  process.exit(0);
}
