// Passes requests on to `waldo mcp` with its token. Hosts and origins stay as they are, but that this relay's own is the server's.
import http from 'node:http';

const [own, server, token] = process.argv.slice(2);
const host = (value) => value?.replace(`127.0.0.1:${own}`, `127.0.0.1:${server}`).replace(`localhost:${own}`, `localhost:${server}`);
http.createServer((asked, answer) => {
  const headers = { ...asked.headers, host: host(asked.headers.host), authorization: `Bearer ${token}` };
  if (headers.origin) headers.origin = host(headers.origin);
  const passed = http.request({ host: '127.0.0.1', port: server, path: asked.url, method: asked.method, headers }, (came) => {
    answer.writeHead(came.statusCode, came.headers);
    came.pipe(answer);
  });
  passed.on('error', () => answer.destroy());
  answer.on('close', () => passed.destroy());
  asked.pipe(passed);
}).listen(Number(own), '127.0.0.1');
