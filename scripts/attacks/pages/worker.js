fetch("http://127.0.0.1:FORBIDDEN/worker", { mode: "no-cors" }).catch(() => {});
new WebSocket("ws://127.0.0.1:FORBIDDEN/worker");
try { importScripts("http://127.0.0.1:FORBIDDEN/workerimport"); } catch {}
