#!/usr/bin/env node
// Starts the program of this machine's package, which npm installs as an optional dependency.
"use strict";
const { spawn } = require("node:child_process");

const name = `waldo-gui-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/waldo`);
} catch {
  const known = Object.keys(require("./package.json").optionalDependencies).join(", ");
  console.error(
    `error: the npm package '${name}' is not installed; there are ${known}. ` +
      "Install without --omit=optional, or build waldo from source.",
  );
  process.exit(1);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to the program itself, which then ends in its own way; other senders know only this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
}
child.on("error", (error) => {
  console.error(`error: cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
