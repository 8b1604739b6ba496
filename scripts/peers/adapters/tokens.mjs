// Tokens of a text file by o200k, the tokenizer of several current models: tokens.mjs MODULES FILE. Long texts are counted
// line by line, which changes a count by the breaks alone.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [modules, file] = process.argv.slice(2);
const from = createRequire(path.join(modules, "package.json"));
const { getEncoding } = from("js-tiktoken");
const o200k = getEncoding("o200k_base");
let count = 0;
const known = new Map();
for (const line of readFileSync(file, "utf8").split(/(?<=\n)/)) {
  if (!known.has(line)) known.set(line, o200k.encode(line, "all").length);
  count += known.get(line);
}
console.log(count);
