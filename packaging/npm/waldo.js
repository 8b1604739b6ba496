#!/usr/bin/env node
// Starts the program of this machine's package, which npm installs as an optional dependency. Runs with Node 12, which Debian 11 has.
"use strict";
const { spawn } = require("child_process");

const name = `waldo-gui-${process.platform}-${process.arch}`;

function fail(words) {
  console.error(`error: ${words}`);
  process.exit(1);
}

// What to do where the program needs a newer C library than this system has, or where that is none of GNU's.
function aboutLibrary() {
  const needed = require(`${name}/package.json`).glibc;
  const found = process.report && process.report.getReport().header.glibcVersionRuntime;
  const number = (version) => version.split(".").reduce((sum, part) => sum * 1000 + Number(part), 0);
  if (found && number(found) >= number(needed)) return undefined;
  return `waldo needs the GNU C library ${needed} or newer, and this system has ${found || "another C library"}: build waldo from source`;
}

let program;
try {
  program = require.resolve(`${name}/bin/waldo`);
} catch (error) {
  const known = Object.keys(require("./package.json").optionalDependencies);
  fail(
    known.includes(name)
      ? `the npm package '${name}' is not installed: install it beside waldo-gui, and without --omit=optional`
      : `there is no npm package of waldo for this machine (${name}), only ${known.join(" and ")}: build waldo from source`,
  );
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// A terminal sends Ctrl-C to the program itself, which then ends in its own way; other senders know only this process.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
}
child.on("error", (error) => fail(aboutLibrary() || `cannot start ${program}: ${error.message}`));
child.on("exit", (code, signal) => {
  if (signal === null) {
    const words = code === 1 && aboutLibrary();
    if (words) fail(words);
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
