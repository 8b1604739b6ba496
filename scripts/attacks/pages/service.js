addEventListener("install", () => { skipWaiting(); fetch("http://127.0.0.1:FORBIDDEN/install", { mode: "no-cors" }).catch(() => {}); });
addEventListener("activate", event => event.waitUntil(
  clients.claim().then(() => fetch("http://127.0.0.1:FORBIDDEN/activate", { mode: "no-cors" })).catch(() => {})));
