// Invariant: text of screens and models reaches the document through textContent and attributes of fixed names only.
const SVG = 'http://www.w3.org/2000/svg';
const $ = (id) => document.getElementById(id);
const fill = (node, props, kids) => {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : value);
  }
  for (const kid of kids.flat(3)) if (kid !== null && kid !== undefined && kid !== false) node.append(kid);
  return node;
};
const h = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);
const s = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);
const token = location.hash.slice(1);
const page = [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, '0')).join('');
const headers = { Authorization: `Bearer ${token}` };
const count = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
const time = (secs) => secs >= 90 ? `${Math.round(secs / 60)} min` : `${Math.round(secs)} s`;
const COLOURS = ['#2463a6', '#c0561a', '#1d8458', '#8a3f9e', '#b22a3c', '#0d8186', '#77680f', '#5d636d'];
// What an action does, in five groups.
const EFFECTS = {
  presses: ['press', 'drag', 'point', 'select', 'dialog'],
  types: ['type', 'secret', 'key', 'clear', 'copy', 'paste'],
  'goes elsewhere': ['navigate', 'back', 'forward', 'reload', 'new_tab', 'switch_tab', 'close_tab', 'leave_app', 'home', 'recents', 'open_app', 'stop_app', 'focus_window', 'close_window', 'switch_screen'],
  'files, programs, tools, questions': ['upload', 'save', 'run_command', 'call_tool', 'ask_user'],
  'looks and waits': ['scroll', 'zoom', 'rotate', 'media', 'wait'],
};

let run = null;
const episodes = new Map();
let chosen = null;      // the episode that is shown; null: the wall, or the only one
let steps = new Map();
let at = null;          // a past step that is looked at; null: the present one
let stream = null;
let over = null;
let filmed = null;      // the episode whose moving screen is watched
let frame = null;       // the newest picture of it
let editing = false;
let discarding = false;

const current = () => episodes.get(chosen);
const present = () => Math.max(0, ...steps.keys());
const shownStep = () => steps.get(at ?? present());
const driving = () => Boolean(current()?.wheel?.taken) && at === null && !over;
const trouble = (words) => { $('trouble').textContent = words ?? ''; $('trouble').hidden = !words; };

// ---- the stream of lines

const listen = async (episode) => {
  stream?.abort();
  const mine = stream = new AbortController();
  for (let wait = 250; ; wait = Math.min(wait * 2, 4000)) {
    let last = Date.now();
    const watchdog = setInterval(() => { if (Date.now() - last > 15000) reader?.cancel(); }, 2000);
    let reader = null;
    try {
      const query = new URLSearchParams({ page, ...(episode ? { episode } : {}) });
      const response = await fetch(`/events?${query}`, { headers, signal: mine.signal });
      if (!response.ok) { trouble(await response.text()); if (response.status === 401) return; throw new Error('refused'); }
      trouble(null);
      wait = 250;
      reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        last = Date.now();
        const lines = (rest + value).split('\n');
        rest = lines.pop();
        for (const line of lines) if (line) take(JSON.parse(line));
        draw();
      }
    } catch { /* It is tried again. */ } finally { clearInterval(watchdog); }
    if (mine.signal.aborted) return;
    if (over) { $('state').textContent = over; return; }
    $('state').textContent = 'waldo does not answer; trying again…';
    await new Promise((done) => setTimeout(done, wait));
  }
};

const take = (line) => {
  if (line.type === 'whole') { episodes.clear(); steps.clear(); }
  else if (line.type === 'run') run = line;
  else if (line.type === 'episode') {
    const before = episodes.get(line.key);
    episodes.set(line.key, line);
    if (before && line.key === chosen && line.phase === 'starting') steps.clear();
  } else if (line.type === 'step' && line.key === chosen) steps.set(line.step.n, line.step);
  else if (line.type === 'over') over = line.said;
};

const send = async (what) => {
  if (!chosen) return false;
  try {
    const response = await fetch('/do', { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify({ hand: page, episode: chosen, ...what }) });
    const said = await response.json().catch(() => ({ error: 'waldo did not take it' }));
    trouble(response.ok ? null : said.error);
    return response.ok;
  } catch { trouble('waldo does not answer'); return false; }
};

// ---- drawing

let due = false;
const draw = () => { if (!due) { due = true; requestAnimationFrame(() => { due = false; all(); }); } };

const choose = (key) => {
  if (key === chosen) return;
  chosen = key;
  steps = new Map();
  at = null;
  listen(key);
};

const all = () => {
  const keys = [...episodes.keys()];
  if (!chosen && keys.length === 1 && (run?.total ?? 1) <= 1) { choose(keys[0]); return; }
  $('title').textContent = run?.title || 'waldo live';
  document.title = `${run?.title || 'waldo'} · live`;
  $('progress').textContent = run && run.total > 1 ? `${run.done} of ${count(run.total, 'episode')}${run.eta ? `, about ${time(run.eta)} left` : ''}` : '';
  const single = (run?.total ?? 1) <= 1;
  $('wall').hidden = Boolean(chosen);
  $('one').hidden = !chosen;
  $('back').hidden = single;
  if (chosen) one(); else { wall(); clock(null); $('facts').textContent = ''; }
  if (over) $('state').textContent = over;
};

const PHASES = { starting: 'starting', deciding: 'the agent decides', acting: 'acting', looking: 'looking what came of it', ended: 'ended' };
const status = (e) => {
  if (!e) return 'waiting for the first episode';
  if (e.result) return `ended: ${e.result.outcome.replaceAll('_', ' ')}${e.result.assisted ? ', assisted' : ''}`;
  const w = e.wheel;
  if (w?.stopped) return 'stopping';
  if (w?.question) return 'waiting for your answer';
  if (w?.handed) return 'left to you';
  if (w?.taken) return 'you have control';
  if (w?.paused) return e.phase === 'deciding' ? 'paused' : `pausing: ${PHASES[e.phase]}`;
  return PHASES[e.phase] ?? 'playing';
};

// What came of an episode that has ended.
const outcome = (e) => {
  const { invalid, assisted, success, outcome, steps } = e.result;
  const after = `${outcome.replaceAll('_', ' ')} after ${count(steps, 'step')}`;
  if (invalid) return 'invalid';
  if (assisted || !run?.scores.length) return `${after}${assisted ? ', assisted' : ''}`;
  if (success === null) return `not checked: ${after}`;
  return `${success >= 1 ? 'solved' : success > 0 ? `partly solved (${(100 * success).toFixed(0)} %)` : 'not solved'}: ${after}`;
};

const thumbs = new Map();
const wall = () => {
  $('state').textContent = over ?? (episodes.size ? 'playing' : 'waiting for the first episode');
  const kept = new Map([...document.querySelectorAll('.tiles > li')].map((li) => [li.dataset.key, li]));
  const tile = (e) => {
    const li = kept.get(e.key) ?? h('li', { 'data-key': e.key }, h('button', { type: 'button', onclick: () => choose(e.key) }, h('img', { alt: '' }), h('b'), h('span'), h('span', { class: 'who' })));
    const [img, title, state, who] = li.firstChild.children;
    title.textContent = e.title || e.task;
    state.textContent = e.result ? outcome(e) : `${status(e)}, step ${e.step}${e.max_steps ? ` of ${e.max_steps}` : ''}`;
    state.className = e.result && !e.result.invalid && !e.result.assisted && e.result.success !== null && run?.scores.length ? (e.result.success >= 1 ? 'confirmed' : 'failed') : '';
    who.textContent = `${e.contestant}${e.repeat ? ` · repeat ${e.repeat}` : ''}`;
    thumb(img, e);
    return li;
  };
  const lay = (list, tiles) => { if (tiles.length !== list.children.length || tiles.some((li, i) => list.children[i] !== li)) list.replaceChildren(...tiles); };
  const every = [...episodes.values()].sort((a, b) => a.key.localeCompare(b.key));
  const playing = every.filter((e) => !e.result);
  lay($('tiles'), playing.map(tile));
  $('wall-title').textContent = playing.length ? 'Playing now' : 'Nothing plays now';
  lay($('ended-tiles'), every.filter((e) => e.result).map(tile));
  $('ended').hidden = every.every((e) => !e.result);
  $('scores').replaceChildren(...scores());
  $('invalid').replaceChildren(...(run?.invalid.length ? [h('h2', {}, 'Invalid'), h('ul', {}, run.invalid.map((x) => h('li', {}, `${x.key}: ${x.reason}`)))] : []));
};
const thumb = (img, e) => {
  const known = thumbs.get(e.key) ?? { n: 0, last: 0 };
  if (known.n === e.picture || Date.now() - known.last < 1000) return;
  thumbs.set(e.key, { n: e.picture, last: Date.now() });
  load(`/picture?${new URLSearchParams({ episode: e.key, step: e.step })}`).then((url) => { if (url) { if (img.src) URL.revokeObjectURL(img.src); img.src = url; } });
};
const scores = () => {
  if (!run?.scores.length) return [];
  const percent = (x, n) => n ? `${(100 * x).toFixed(1)} %` : '–';
  return [h('h2', {}, 'So far'), h('table', {}, h('thead', {}, h('tr', {}, ['Contestant', 'Success rate', 'EQA', 'n'].map((x) => h('th', { scope: 'col' }, x)))),
    h('tbody', {}, run.scores.map((r, i) => h('tr', {}, h('th', { scope: 'row' }, s('svg', { class: 'key', viewBox: '0 0 4 4', 'aria-hidden': 'true' }, s('rect', { width: 4, height: 4, fill: COLOURS[i % 8] })), r.name), h('td', {}, percent(r.sr, r.n)), h('td', {}, percent(r.eqa, r.n)), h('td', {}, String(r.n)))))),
  run.scores.some((r) => r.n) && h('p', { class: 'soft' }, 'Tasks solved within a share of the step budget'),
  run.scores.some((r) => r.n) && s('svg', { class: 'curve', viewBox: '0 0 100 100', preserveAspectRatio: 'none', role: 'img', 'aria-label': 'Recall over the share of the step budget, each contestant so far' },
    run.scores.map((r, i) => r.n > 0 && s('polyline', { points: r.curve.map((y, x) => `${x},${(100 - 98 * y).toFixed(1)}`).join(' '), stroke: COLOURS[i % 8] })))].filter(Boolean);
};

const load = async (path) => {
  try {
    const response = await fetch(path, { headers });
    return response.ok ? URL.createObjectURL(await response.blob()) : null;
  } catch { return null; }
};

let pictured = '';
const one = () => {
  const e = current();
  $('state').textContent = status(e);
  if (!e) return;
  const w = e.wheel;
  $('goal').textContent = e.goal;
  clock(e);
  $('facts').textContent = [e.title !== e.goal && e.title, e.contestant, e.alone ? `step ${e.step}` : e.max_steps && `step ${e.step} of ${e.max_steps}`, cost()].filter(Boolean).join(' · ');
  document.body.classList.toggle('driving', driving());
  const asked = w?.question;
  $('question').hidden = !asked;
  if (asked) {
    // Where it is about an element, its name says more than the place.
    const what = asked.element ? asked.what.replace(/ at \([^)]*\)$/, '') : asked.what;
    const text = `${what}${asked.element ? ` on [${asked.tag ?? '–'}] ${asked.element.role} “${asked.element.name}”` : ''}`;
    if ($('question-what').textContent !== text) $('question-what').textContent = text;
    $('question-why').textContent = `${asked.thought ? `The agent thinks: ${asked.thought} ` : ''}(it would: ${asked.effects.join(', ')})`;
    $('edit').hidden = !asked.edit;
    // It does not lie over the place that it is about.
    const [, y] = asked.points?.[0] ?? [], stage = $('stage').getBoundingClientRect(), room = $('room').getBoundingClientRect();
    $('question').classList.toggle('above', stage.top + y * stage.height / (shownStep()?.seen?.h || 1) > room.top + room.height / 2);
  } else if (editing) edit(false);
  $('handed').hidden = !w?.handed;
  if (w?.handed && $('handed-why').textContent !== w.handed) $('handed-why').textContent = w.handed;
  for (const id of ['pause', 'step', 'take', 'stop']) $(id).disabled = !w;
  $('pause').setAttribute('aria-pressed', String(Boolean(w?.paused)));
  $('take').setAttribute('aria-pressed', String(Boolean(w?.taken)));
  $('step').disabled = !w || w.taken;
  for (const id of ['hint-form', 'goal-form', 'about', 'pause', 'step', 'take', 'give']) $(id).hidden = !w || e.alone;
  person(e, w);
  $('hand').hidden = !driving();
  checked(w?.about ?? []);
  const step = shownStep();
  if (driving()) keys(e);
  const dialog = step?.seen?.dialog;
  $('dialog').hidden = !dialog;
  $('dialog-text').textContent = dialog ?? '';
  picture(e, step);
  marks(e, step);
  now(step);
  strip();
};

// How long the agent has been deciding, from a moment of this page's clock.
let deciding = null;
const clock = (e) => {
  const secs = e && !over && !e.wheel?.taken && !e.wheel?.question ? e.wheel?.deciding : null;
  if (typeof secs !== 'number') deciding = null;
  else if (deciding?.line !== e) deciding = { line: e, since: performance.now() - 1000 * secs };
  tick();
};
const tick = () => { $('clock').textContent = deciding ? `${((performance.now() - deciding.since) / 1000).toFixed(1)} s` : ''; };
setInterval(tick, 100);

// The stage has the picture's form, and as much of the width as its height can use.
const shape = (seen) => {
  if (!seen?.w) return;
  const ratio = seen.w / seen.h;
  $('one').style.setProperty('--ratio', ratio.toFixed(4));
  $('one').style.setProperty('--stage', `min(100cqw - 364px, (100cqh - 84px) * ${ratio.toFixed(4)})`);
};

// What a person alone has: an answer in place of a note; who demonstrates keeps what they did, or discards it.
const person = (e, w) => {
  $('note-label').hidden = e.demo;
  const words = { 'note-what': e.alone ? 'Your answer, where the goal asks for one' : 'Note for the agent', finish: e.demo ? 'Keep the demonstration' : 'The goal is reached', stop: e.demo ? 'Stop for now' : 'Stop',
    said: w?.said ?? '', discard: discarding ? 'Discard all of it: press again' : 'Discard it' };
  for (const [id, text] of Object.entries(words)) if ($(id).textContent !== text) $(id).textContent = text;
  $('discard').hidden = !e.demo;
};

const cost = () => {
  let tokens = 0, money = 0, known = false;
  for (const x of [...steps.values()].flatMap((step) => step.decided?.exchanges ?? [])) {
    tokens += (x.usage.prompt ?? 0) + (x.usage.completion ?? 0);
    if (x.usage.micro_usd !== null && x.usage.micro_usd !== undefined) { money += x.usage.micro_usd; known = true; }
  }
  return [tokens && count(tokens, 'token'), known && `$${(money / 1e6).toFixed(4)}`].filter(Boolean).join(', ');
};

// The screen between two observations: pictures come one behind the other, each behind its length.
const film = (e) => {
  const wanted = e?.moving && at === null && !e.result && !over && !document.hidden ? chosen : null;
  if ((filmed?.key ?? null) === wanted) return;
  filmed?.stop.abort();
  frame = null;
  filmed = wanted && { key: wanted, stop: new AbortController() };
  if (filmed) roll(filmed);
};
const roll = async (mine) => {
  try {
    const response = await fetch(`/frames?${new URLSearchParams({ episode: mine.key })}`, { headers, signal: mine.stop.signal });
    if (!response.ok) return;
    const reader = response.body.getReader();
    let rest = new Uint8Array();
    for (let n = 1; ;) {
      const { done, value } = await reader.read();
      if (done) break;
      const all = new Uint8Array(rest.length + value.length);
      all.set(rest); all.set(value, rest.length);
      let begin = 0, newest = null;
      while (all.length - begin >= 4) {
        const end = begin + 4 + new DataView(all.buffer).getUint32(begin);
        if (end > all.length) break;
        newest = all.slice(begin + 4, end);
        begin = end;
      }
      rest = all.slice(begin);
      if (newest && filmed === mine) { frame = { n: n++, bytes: newest }; draw(); }
    }
  } catch { /* It is tried again with the next line. */ }
  if (filmed === mine) filmed = null;
};
document.addEventListener('visibilitychange', draw);

const put = (url, alt) => {
  const old = $('picture').src;
  $('picture').src = url;
  $('picture').alt = alt;
  if (old.startsWith('blob:')) URL.revokeObjectURL(old);
};
const picture = (e, step) => {
  if (!step?.seen?.w) return;
  shape(step.seen);
  film(e);
  $('moving').disabled = !e.moving;
  // The numbers are those of what was observed: with them, it moves only while nobody decides.
  if (frame && ($('which').value === 'moving' || ['acting', 'looking'].includes(e.phase))) {
    const want = `${chosen} frame ${frame.n}`;
    if (want !== pictured) { pictured = want; put(URL.createObjectURL(new Blob([frame.bytes])), 'The screen as it moves'); }
    return;
  }
  const bare = $('which').value === 'bare' && at === null && !e.result;
  const n = step.n;
  const want = `${chosen} ${bare} ${n} ${at === null ? e.picture : ''}`;
  if (want === pictured) return;
  pictured = want;
  const query = new URLSearchParams({ episode: chosen, step: n, ...(bare ? { bare: true } : {}) });
  load(`/picture?${query}`).then((url) => {
    if (!url || pictured !== want) return;
    put(url, `The screen at step ${n}`);
  });
};

const marks = (e, step) => {
  const seen = step?.seen;
  const layer = $('marks');
  if (!seen?.w) { layer.replaceChildren(); return; }
  layer.setAttribute('viewBox', `0 0 ${seen.w} ${seen.h}`);
  const asked = at === null ? e.wheel?.question : null;
  const points = asked?.points ?? step.acted?.points ?? step.decided?.choice.points ?? [];
  const by = asked?.by ?? step.acted?.by;
  const r = Math.max(seen.w, seen.h) / 50;
  const shapes = [];
  if (points.length > 1) shapes.push({ d: `M${points.map((p) => p.join(' ')).join('L')}` });
  else if (points.length && by && (by[0] || by[1])) shapes.push({ d: `M${points[0].join(' ')}l${Math.sign(by[0]) * 5 * r} ${Math.sign(by[1]) * 5 * r}` });
  const drawn = shapes.flatMap((shape) => ['halo', 'mark'].map((c) => s('path', { ...shape, class: c })));
  if (points.length) drawn.push(...['halo', 'mark'].map((c) => s('circle', { class: c, cx: points[0][0], cy: points[0][1], r })));
  const hot = layer.querySelector('.hot');
  layer.replaceChildren(...drawn, ...(hot ? [hot] : []));
};
const heat = (element) => {
  const layer = $('marks');
  layer.querySelector('.hot')?.remove();
  if (element) layer.append(s('rect', { class: 'hot', x: element[4], y: element[5], width: element[6], height: element[7] }));
};

let nowDrawn = null;
const now = (step) => {
  const text = JSON.stringify([step?.n, step?.decided, step?.acted, step?.happened, step?.demonstrated, driving(), editing]);
  if (text === nowDrawn) return;
  nowDrawn = text;
  const d = step?.decided, a = step?.acted;
  const part = (title, words, cls) => words ? [h('h3', {}, title), h('p', { class: cls }, words)] : [];
  const effect = a?.report ? [a.report.effect, { confirmed: a.report.evidence, unverifiable: 'carried out; nothing tells whether it took', suspected_noop: 'nothing was seen to change', not_as_asked: `not as asked: “${a.report.found}” stands there`, refused: `refused: ${a.report.reason}` }[a.report.effect]]
    : a ? ['failed', a.note?.reason ?? 'not carried out'] : null;
  const ended = d && !('act' in d.choice) ? Object.entries(d.choice)[0] : null;
  const calls = d?.exchanges ?? [];
  $('now').replaceChildren(...[
    h('p', { class: 'soft' }, step ? `${step.seen?.title ?? ''} ${step.seen?.at ?? ''}` : 'Nothing has been seen yet.'),
    d?.person && h('p', {}, { approved: 'You approved of it.', advised: 'With your words.', edited: 'You put this in its place.', refused: 'You refused it.', decided: 'You did this.' }[d.person]),
    calls.filter((x) => x.dropped).map((x) => h('p', { class: 'unverifiable' }, `A reply of the model was not waited for after ${time(x.ms / 1000)}: ${x.dropped}.`)),
    part('Sees', d?.observation), part('Thinks', d?.thought), part('Does', d ? d.call || d.choice.act : step?.demonstrated, 'call'),
    ended && part(ended[0].replace('_', ' '), ended[1] || ' '),
    effect && part('Came of it', effect[1], effect[0]),
    (step?.happened ?? []).flatMap((x) => part('Happened', x)), part('Sums up', d?.summary),
    d && h('p', { class: 'soft' }, [`decided in ${time((d.ms ?? 0) / 1000)}`, a?.ms !== undefined && `acted in ${Math.round(a.ms)} ms`, step.seen && `seen in ${Math.round(step.seen.ms.settle + step.seen.ms.observe)} ms`, calls.length && count(calls.length, 'model call')].filter(Boolean).join(', ')),
  ].flat(2).filter(Boolean));
  const memory = d?.plan?.memory?.data ?? {};
  $('memory-box').hidden = !Object.keys(memory).length;
  $('memory').replaceChildren(...Object.entries(memory).flatMap(([key, x]) => [h('dt', {}, key), h('dd', {}, typeof x.value === 'string' ? x.value : JSON.stringify(x.value))]));
  const list = step?.seen?.elements ?? [];
  const tagged = list.filter((x) => x[0] !== null);
  $('elements-title').textContent = `Elements (${tagged.length})`;
  $('elements').replaceChildren(...tagged.map((x) => h('li', {}, h('button', { type: 'button', disabled: !(driving() || editing),
    onclick: () => act('tap', { element: x[0] }), onfocus: () => heat(x), onmouseenter: () => heat(x), onblur: () => heat(null), onmouseleave: () => heat(null) }, `[${x[0]}] ${x[1]} ${x[2]} ${x[3]}`.trim()))));
};

const brief = (step) => {
  if (step.demonstrated) return step.demonstrated.split(/[( ]/)[0];
  if (!step.decided) return step.n === present() && !current()?.result ? 'now' : 'screen';
  const c = step.decided.choice;
  if ('pass' in c && step.decided.call) return step.decided.call.split(/[( ]/)[0];
  return step.acted ? step.acted.name.replaceAll('_', ' ') : 'act' in c ? c.act.split(' ')[0] : Object.keys(c)[0].replaceAll('_', ' ');
};
// Pictures of steps, loaded once they are in view.
const inView = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) if (isIntersecting && !target.seen) { target.seen = true; draw(); }
});
const still = (img, step) => {
  const want = `${chosen} ${step.n}`;
  if (img.dataset.of === want || !step.seen?.w) return;
  img.dataset.of = want;
  load(`/picture?${new URLSearchParams({ episode: chosen, step: step.n })}`).then((url) => {
    if (img.src) URL.revokeObjectURL(img.src);
    if (url && img.dataset.of === want) img.src = url; else img.removeAttribute('src');
  });
};
const strip = () => {
  const kept = [...$('strip').children];
  const wanted = [...steps.values()].sort((a, b) => a.n - b.n);
  if (kept.length > wanted.length) $('strip').replaceChildren();
  wanted.forEach((step, i) => {
    let button = $('strip').children[i];
    if (!button) {
      $('strip').append(button = h('button', { type: 'button', onclick: () => look(Number(button.dataset.n)) }, h('img', { alt: '' }), h('b'), h('span')));
      inView.observe(button);
    }
    button.dataset.n = step.n;
    const [img, number, what] = button.children;
    if (button.seen) still(img, step);
    number.textContent = `step ${step.n}`;
    what.textContent = brief(step);
    button.className = step.acted?.report?.effect ?? (step.acted ? 'failed' : '');
    if (step.n === (at ?? present())) { if (!button.hasAttribute('aria-current')) { button.setAttribute('aria-current', 'step'); $('strip').scrollLeft = button.offsetLeft - $('strip').clientWidth / 2; } }
    else button.removeAttribute('aria-current');
  });
};
const look = (n) => { at = n >= present() ? null : Math.max(1, n); heat(null); draw(); };

// ---- steering

const edit = (on) => {
  editing = on;
  $('edit-form').hidden = !on;
  $('edit').setAttribute('aria-expanded', String(on));
  if (on) {
    $('edit-tool').replaceChildren(...(current()?.tools ?? []).map((name) => h('option', { value: name }, name)));
    const asked = current()?.wheel?.question;
    if (asked && current().tools.includes(asked.name)) $('edit-tool').value = asked.name;
    $('edit-args').focus();
  }
  draw();
};
const answer = async (what) => {
  const id = current()?.wheel?.question?.id;
  if (id !== undefined && await send({ ...what, id })) { edit(false); $('no-words').value = ''; }
};
// An action of the person, or the one that takes the agent's place.
const act = (tool, args) => editing ? answer({ do: 'edit', tool, args }) : send({ do: 'act', step: present(), tool, args });
const toggle = (field, on, off) => send({ do: current()?.wheel?.[field] ? off : on, ...(current()?.wheel?.[field] && off === 'give' ? { words: $('note').value } : {}) });
const pause = () => toggle('paused', 'pause', 'resume');
const take_over = () => toggle('taken', 'take', 'give');
const give = async () => { if (await send({ do: 'give', words: $('note').value })) $('note').value = ''; };

$('pause').onclick = pause;
$('step').onclick = () => send({ do: 'step' });
$('take').onclick = take_over;
$('stop').onclick = () => send({ do: 'stop' });
$('yes').onclick = () => answer({ do: 'yes' });
$('no').onclick = () => answer({ do: 'no', words: $('no-words').value });
$('edit').onclick = () => edit(!editing);
$('give').onclick = give;
$('finish').onclick = () => send({ do: 'finish', answer: $('note').value });
$('look').onclick = () => send({ do: 'look' });
$('discard').onclick = () => { if (discarding) send({ do: 'discard' }); discarding = !discarding; draw(); };
$('discard').onblur = () => { discarding = false; draw(); };
$('back').onclick = () => { chosen = null; steps.clear(); listen(null); draw(); };
$('which').onchange = draw;
$('edit-form').onsubmit = (event) => {
  event.preventDefault();
  let args;
  try { args = JSON.parse($('edit-args').value || '{}'); } catch { trouble('the parameters are not JSON, such as {"element": 3}'); return; }
  answer({ do: 'edit', tool: $('edit-tool').value, args });
};
$('hint-form').onsubmit = async (event) => { event.preventDefault(); if (await send({ do: 'hint', words: $('hint').value })) $('hint').value = ''; };
$('goal-form').onsubmit = async (event) => { event.preventDefault(); if (await send({ do: 'goal', words: $('new-goal').value })) $('new-goal').value = ''; };
$('hand').onsubmit = async (event) => { event.preventDefault(); if ($('typed').value && await act('type', { text: $('typed').value })) $('typed').value = ''; };
$('dialog-yes').onclick = () => act('dialog', { reply: 'accept', ...($('dialog-reply').value ? { text: $('dialog-reply').value } : {}) });
$('dialog-no').onclick = () => act('dialog', { reply: 'dismiss' });
const box = (value, words, props) => h('label', {}, h('input', { type: 'checkbox', value, ...props }), words);
$('effects').append(...Object.entries(EFFECTS).map(([name, effects]) => h('fieldset', {}, h('legend', {}, box('', name, { 'data-all': true, onchange: ask })), effects.map((one) => box(one, one.replaceAll('_', ' '), { onchange: ask })))));
const boxes = (parent) => [...parent.querySelectorAll('input:not([data-all])')];
const checked = (about) => {
  for (const one of boxes($('effects'))) one.checked = about.includes(one.value);
  for (const all of document.querySelectorAll('#effects [data-all]')) {
    const own = boxes(all.closest('fieldset'));
    all.checked = own.every((one) => one.checked);
    all.indeterminate = !all.checked && own.some((one) => one.checked);
  }
};
function ask({ target }) {
  if ('all' in target.dataset) for (const one of boxes(target.closest('fieldset'))) one.checked = target.checked;
  const all = boxes($('effects')), about = all.filter((one) => one.checked).map((one) => one.value);
  send({ do: 'ask', about: about.length === all.length ? ['*'] : about });
}
let keysFor = '';
const keys = (e) => {
  const own = e.tools.join();
  if (own === keysFor) return;
  keysFor = own;
  const has = (name) => e.tools.includes(name);
  const key = (name, chord) => h('button', { type: 'button', onclick: () => act('key', { key: chord }) }, name);
  const tool = (name) => has(name) && h('button', { type: 'button', onclick: () => act(name, {}) }, name.replaceAll('_', ' '));
  $('keys').replaceChildren(...[has('key') && [key('Enter', 'enter'), key('Tab', 'tab'), key('Esc', 'escape'), key('Backspace', 'backspace')], !has('key') && tool('enter'), tool('back'), tool('home')].flat().filter(Boolean));
};

// A pointer on the picture: a press, a long one, a stroke; the wheel scrolls.
let down = null;
const place = (event) => {
  const box = $('picture').getBoundingClientRect(), seen = shownStep()?.seen;
  if (!seen?.w || !box.width) return null;
  const clamp = (n, most) => Math.min(Math.max(n, 0), most - 1);
  return [clamp((event.clientX - box.left) * seen.w / box.width, seen.w), clamp((event.clientY - box.top) * seen.h / box.height, seen.h)];
};
const under = ([x, y]) => (shownStep()?.seen?.elements ?? []).filter((e) => e[0] !== null && x >= e[4] && x < e[4] + e[6] && y >= e[5] && y < e[5] + e[7]).sort((a, b) => a[6] * a[7] - b[6] * b[7])[0];
$('stage').addEventListener('pointerdown', (event) => {
  if (!(driving() || editing) || event.button) return;
  event.preventDefault();
  $('stage').focus({ preventScroll: true });
  $('stage').setPointerCapture(event.pointerId);
  down = { from: place(event), x: event.clientX, y: event.clientY, at: event.timeStamp };
});
$('stage').addEventListener('pointermove', (event) => {
  if (!(driving() || editing)) return;
  const p = place(event), hit = p && under(p);
  heat(hit);
  $('under').textContent = hit ? `[${hit[0]}] ${hit[1]} ${hit[2]}` : '';
});
$('stage').addEventListener('pointercancel', () => { down = null; });
$('stage').addEventListener('pointerup', (event) => {
  const start = down;
  down = null;
  if (!start?.from) return;
  const to = place(event);
  if (Math.hypot(event.clientX - start.x, event.clientY - start.y) > 8) {
    if (editing) answer({ do: 'edit', from: start.from, to }); else send({ do: 'act', step: present(), from: start.from, to });
    return;
  }
  const hold = event.timeStamp - start.at >= 500 && current()?.tools.includes('long_press');
  const [x, y] = start.from;
  act(hold ? 'long_press' : 'tap', { element: { x, y } });
});
let scrolled = 0;
$('stage').addEventListener('wheel', (event) => {
  if (!driving() || event.timeStamp - scrolled < 250) return;
  event.preventDefault();
  scrolled = event.timeStamp;
  const p = place(event);
  if (p && current()?.tools.includes('scroll')) act('scroll', { element: { x: p[0], y: p[1] }, direction: event.deltaY > 0 ? 'down' : 'up' });
}, { passive: false });

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || !chosen) return;
  if (event.target.matches('input, select, textarea')) { if (event.key === 'Escape') event.target.blur(); return; }
  if (event.key === ' ' && event.target.matches('button, summary')) return;
  const asked = Boolean(current()?.wheel?.question);
  const does = { ' ': pause, ArrowLeft: () => look((at ?? present()) - 1), ArrowRight: () => look((at ?? present()) + 1), t: take_over, s: () => send({ do: 'step' }), g: () => driving() && give(), l: () => driving() && send({ do: 'look' }),
    y: () => asked && answer({ do: 'yes' }), n: () => asked && answer({ do: 'no', words: $('no-words').value }), e: () => asked && edit(!editing) }[event.key];
  if (does) { event.preventDefault(); does(); }
});

if (token) listen(null); else trouble('This address lacks the token: open the one that waldo printed, including the part after the #.');
