const named = (name) => name + '.waldo.test';
const link = (rel, href) => { const l = document.createElement('link'); l.rel = rel; l.href = href; document.head.append(l) };
link('dns-prefetch', '//' + named('prefetch')); link('preconnect', 'https://' + named('preconnect'));
for (const host of [named('transport'), '127.0.0.1:PORT'])
  try { new WebTransport('https://' + host + '/').ready.catch(() => 0) } catch {}
const talk = async (hosts, iceServers) => {
  const pc = new RTCPeerConnection({ iceServers });
  const over = new Promise((done) => pc.onicegatheringstatechange = () => pc.iceGatheringState === 'complete' && done());
  pc.createDataChannel('x');
  await pc.setLocalDescription(await pc.createOffer());
  const lines = ['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0',
    'm=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'c=IN IP4 0.0.0.0', 'a=ice-ufrag:STOLEN',
    'a=ice-pwd:aaaaaaaaaaaaaaaaaaaaaaaa', 'a=fingerprint:sha-256 ' + Array(32).fill('AA').join(':'),
    'a=setup:active', 'a=mid:0', 'a=sctp-port:5000',
    ...hosts.map((host, n) => `a=candidate:${n + 1} 1 udp 2113937151 ${host} typ host`), ''];
  await pc.setRemoteDescription({ type: 'answer', sdp: lines.join('\r\n') });
  (globalThis.kept ??= []).push(pc);
  await over;
};
globalThis.tried = 0;
talk([HOSTS, 'candidate.local 5000', named('candidate') + ' 5000'], []).then(() => tried++);
talk([], [SERVERS, { urls: 'stun:' + named('stun') + ':3478' },
  { urls: 'turn:' + named('turn') + ':3478?transport=udp', username: 'a', credential: 'b' },
  { urls: 'turn:' + named('tcp') + ':3478?transport=tcp', username: 'a', credential: 'b' }]).then(() => tried++);
