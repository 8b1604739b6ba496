onconnect = () => {
  fetch("http://127.0.0.1:FORBIDDEN/shared", { mode: "no-cors" }).catch(() => {});
  new WebSocket("ws://127.0.0.1:FORBIDDEN/shared");
};
