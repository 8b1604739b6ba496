'use strict';
// Invariant: text of screens and models reaches the document through textContent and attributes of
// fixed names only; nothing here makes markup from strings, and nothing is loaded but pictures and steps.
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const $ = (id) => document.getElementById(id);
  const fill = (node, props, kids) => {
    for (const [key, value] of Object.entries(props || {})) {
      if (value === undefined || value === null || value === false) continue;
      if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
      else node.setAttribute(key, value === true ? '' : value);
    }
    for (const kid of kids.flat(3)) if (kid !== null && kid !== undefined && kid !== false) node.append(kid);
    return node;
  };
  const h = (tag, props, ...kids) => fill(document.createElement(tag), props, kids);
  const s = (tag, props, ...kids) => fill(document.createElementNS(SVG, tag), props, kids);
  const count = (n, word) => `${n} ${word}${n === 1 ? '' : 's'}`;
  const ms = (n) => n >= 10000 ? `${(n / 1000).toFixed(1)} s` : n >= 1000 ? `${(n / 1000).toFixed(2)} s` : `${Math.round(n)} ms`;
  const usd = (micro) => micro === null || micro === undefined ? 'cost unknown' : `$${(micro / 1e6).toFixed(micro >= 1e6 || micro === 0 ? 2 : 4)}`;
  const tokens = (u) => u.prompt === null || u.prompt === undefined ? 'tokens unknown' : `${u.prompt.toLocaleString('en')} + ${(u.completion ?? 0).toLocaleString('en')} tokens`;

  // ---- the tasks: filters

  const rows = [...document.querySelectorAll('#tasks tbody tr')].map((row) => ({
    row,
    text: row.querySelector('th').textContent.toLowerCase(),
    category: row.dataset.category,
    cells: [...row.querySelectorAll('.cell')].map((cell) => [...cell.children].map((chip) => chip.dataset.state)),
  }));
  const filters = { text: $('f-text'), category: $('f-category'), outcome: $('f-outcome'), contestant: $('f-contestant') };
  const filter = () => {
    const words = filters.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const { category, outcome, contestant } = Object.fromEntries(Object.entries(filters).map(([k, v]) => [k, v.value]));
    let shown = 0;
    for (const r of rows) {
      const cells = contestant === '' ? r.cells : [r.cells[Number(contestant)]];
      const fits = words.every((w) => r.text.includes(w)) && (category === '' || r.category === category) && (outcome === ''
        || (outcome === 'differ' ? new Set(r.cells.flat().filter((x) => x !== 'missing' && x !== 'invalid')).size > 1
          : cells.flat().includes(outcome)));
      r.row.hidden = !fits;
      shown += fits;
    }
    for (const cell of document.querySelectorAll('#tasks [data-column]')) {
      cell.hidden = contestant !== '' && outcome !== 'differ' && cell.dataset.column !== contestant;
    }
    $('f-count').textContent = shown === rows.length ? count(shown, 'task') : `${shown} of ${count(rows.length, 'task')}`;
    $('f-none').hidden = shown > 0;
  };
  for (const control of Object.values(filters)) control.addEventListener('input', filter);
  document.querySelector('.filters').addEventListener('submit', (e) => e.preventDefault());

  // ---- the player

  const dialog = $('player');
  const chips = new Map();
  for (const chip of document.querySelectorAll('a.chip')) chips.set(chip.getAttribute('href').slice(1), chip);
  const open = new Map([['Checks', true]]);
  let ep = null, anchor = '', at = 0, wanted = 0, origin = null, marks = true, both = true, lines = null, parts = null;

  const read = (id) => { const block = $(id); return block ? JSON.parse(block.textContent) : null; };
  const unpack = (packed) => packed.map((x) => typeof x === 'number' ? (ep?.lines ?? (lines ??= read('lines') ?? []))[x] : x).join('\n');

  // Steps beside the page come as scripts, as a page that was opened as a file can read nothing else. They call this.
  const beside = $('tasks').dataset.steps;
  const KEPT = 40;
  const loaded = new Map();
  window.waldoSteps = (number, text) => {
    loaded.set(String(number), JSON.parse(text));
    if (loaded.size > KEPT) loaded.delete(loaded.keys().next().value);
  };
  const load = (number) => new Promise((done) => {
    const end = () => { script.remove(); done(loaded.get(number) ?? null); };
    const script = h('script', { src: `${beside}e${number}.js`, onload: end, onerror: end });
    document.head.append(script);
  });
  // What the table says of an episode, where its steps are on their way or not here.
  const outline = (chip, more) => {
    const row = chip.closest('tr');
    return { task: row.querySelector('.id').textContent, title: row.querySelector('.title').textContent, state: chip.dataset.state,
      outcome: chip.title.split(': ').pop(), steps: [], ...more };
  };
  const address = (step) => `#${anchor}/${step + 1}`;

  const follow = () => {
    const path = location.hash.slice(1).split('/');
    const key = path.slice(0, 3).join('/');
    if (path.length < 3 || !chips.has(key)) { if (dialog.open) dialog.close(); return; }
    if (key !== anchor || !dialog.open) show(key);
    const step = path[3] === undefined ? 0 : Math.max(1, parseInt(path[3], 10) || 1) - 1;
    if (!ep) return;
    go(step);
    if (!ep.waits) return;
    // The address stays that of the step that was asked for.
    wanted = step;
    if (location.hash !== address(step)) history.replaceState(null, '', address(step));
  };

  // To an episode at once, not with the hashchange that a link brings later: until then a second press would
  // start from the episode before, and what closes meanwhile would take the address away.
  const visit = (key) => {
    if (location.hash !== `#${key}`) history.pushState(null, '', `#${key}`);
    follow();
  };

  const show = (key) => {
    const chip = chips.get(key);
    const number = chip.dataset.episode;
    anchor = key;
    ep = beside ? loaded.get(number) ?? outline(chip, { waits: true }) : read(`e${number}`);
    if (!ep && document.readyState !== 'loading') ep = outline(chip, { problem: 'Its steps are not in this page, but in the report in the run folder.' });
    if (ep?.waits) load(number).then((whole) => {
      if (anchor !== key || !dialog.open) return;
      ep = whole ?? outline(chip, { problem: `Its steps are not here: the folder ${beside} has to be beside this page.` });
      frame();
      parts.strip.focus({ preventScroll: true });
      go(wanted);
    });
    if (!dialog.open) origin = chip;
    if (!ep) { // The data comes after the table: it is still on its way.
      if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', follow, { once: true });
      return;
    }
    ep.steps ??= [];
    frame();
    if (!dialog.open) dialog.showModal();
    parts.strip.focus({ preventScroll: true });
  };

  // The chips of the rows that the filters leave, for going from one episode to the next.
  const neighbours = () => {
    const chip = chips.get(anchor);
    const column = chip.closest('td').dataset.column;
    const all = [...document.querySelectorAll(`#tasks td[data-column="${column}"] a.chip`)].filter((c) => !c.closest('tr').hidden || c === chip);
    const place = all.indexOf(chip);
    return [all[place - 1], all[place + 1]];
  };
  const turn = (which) => { const to = neighbours()[which]; if (to) visit(to.getAttribute('href').slice(1)); };

  const frame = () => {
    const row = chips.get(anchor).closest('tr');
    const names = [...document.querySelectorAll('#tasks thead th.who .name')].map((n) => n.textContent);
    const peers = [...row.querySelectorAll('a.chip')].map((chip) => {
      const column = Number(chip.closest('td').dataset.column);
      const href = chip.getAttribute('href');
      return h('a', { href, class: `c${column % 8}`, 'aria-current': href.slice(1) === anchor ? 'true' : null, title: chip.title },
        h('i', { class: chip.dataset.state, 'aria-hidden': 'true' }, chip.querySelector('i').textContent),
        names[column] + (chip.parentNode.children.length > 1 ? ` ${href.split('/').pop()}` : ''));
    });
    const [back, next] = neighbours();
    const stage = h('div', { class: 'p-stage' });
    const strip = h('div', { class: 'p-strip', role: 'group', 'aria-label': 'Steps', tabindex: '-1' }, ep.steps.map((step, i) => h('button',
      { type: 'button', class: effect(step).kind, onclick: () => go(i) },
      h('b', {}, step.decided ? `step ${step.n}` : 'end'), brief(step), onScreen(step))));
    const side = h('div', { class: 'p-side', tabindex: '0', role: 'group', 'aria-label': 'What happened' });
    parts = { stage, strip, side };
    dialog.replaceChildren(
      h('div', { class: 'p-head' },
        h('div', { class: 'p-name' }, h('h2', { id: 'player-title' }, ep.title || ep.task), h('span', { class: 'p-peers' }, peers)),
        h('button', { type: 'button', title: 'Previous episode of this contestant  [', disabled: !back, onclick: () => turn(0) }, '‹ previous'),
        h('button', { type: 'button', title: 'Next episode of this contestant  ]', disabled: !next, onclick: () => turn(1) }, 'next ›'),
        h('button', { type: 'button', title: 'Close  Esc', onclick: () => dialog.close() }, 'Close')),
      h('div', { class: 'p-main' }, stage, strip), side);
  };

  // Which of several screens a step was on, in that screen's colour.
  const front = (step) => step.seen?.screens?.find((x) => x.front);
  const onScreen = (step) => {
    const shown = front(step);
    return shown && h('span', { class: `p-on c${step.seen.screens.indexOf(shown) % 8}` }, shown.name);
  };
  // "phone 6, desk 4, switching 3"
  const byScreen = (steps) => {
    const sums = new Map();
    for (const step of steps.filter((x) => x.decided && front(x))) {
      const on = step.acted?.name === 'switch_screen' ? 'switching' : front(step).name;
      sums.set(on, (sums.get(on) ?? 0) + 1);
    }
    return [...sums].sort(([a], [b]) => (a === 'switching') - (b === 'switching')).map(([name, n]) => `${name} ${n}`).join(', ');
  };

  const brief = (step) => {
    if (!step.decided) return 'final screen';
    const c = step.decided.choice;
    if ('finish' in c) return 'finish';
    if ('infeasible' in c) return 'infeasible';
    if ('give_up' in c) return 'give up';
    if ('hand_over' in c) return 'hand over';
    if ('fail' in c) return 'failed';
    if ('pass' in c) return step.decided.call ? step.decided.call.split(/[( ]/)[0] : 'no action';
    return step.acted ? step.acted.name.replace('_', ' ') : c.act.split(' ')[0];
  };
  const said = (step) => {
    if (!step.decided) return 'The screen at the end';
    const c = step.decided.choice;
    if ('finish' in c) return c.finish ? `finish with the answer “${c.finish}”` : 'finish';
    if ('infeasible' in c) return `declare it infeasible: ${c.infeasible}`;
    if ('give_up' in c) return `give up: ${c.give_up}`;
    if ('hand_over' in c) return `hand it over: ${c.hand_over}`;
    if ('fail' in c) return `the agent failed: ${c.fail}`;
    if ('pass' in c) return `no action: ${c.pass}`;
    return step.acted ? step.acted.action : c.act;
  };
  const effect = (step) => {
    const acted = step.acted;
    if (!acted) return { kind: '', text: '' };
    const note = acted.note;
    if (acted.report) {
      const r = acted.report;
      return { kind: r.effect, text: { confirmed: `confirmed: ${r.evidence}`, unverifiable: 'carried out; nothing tells whether it took', suspected_noop: 'carried out; nothing was seen to change', not_as_asked: `not as asked: “${r.found}” stands there`, refused: `refused (${r.kind}): ${r.reason}` }[r.effect] ?? r.effect };
    }
    if (note) return { kind: note.note === 'refused' ? 'refused' : 'failed', text: `${note.note.replace('_', ' ')}${note.reason ? `: ${note.reason}` : ''}` };
    return { kind: 'failed', text: 'not carried out' };
  };

  const go = (to) => {
    at = Math.min(Math.max(to, 0), Math.max(ep.steps.length - 1, 0));
    if (location.hash !== address(at)) history.replaceState(null, '', address(at));
    [...parts.strip.children].forEach((button, i) => {
      if (i === at) { button.setAttribute('aria-current', 'step'); button.scrollIntoView({ block: 'nearest', inline: 'nearest' }); }
      else button.removeAttribute('aria-current');
    });
    picture(ep.steps[at]);
    tell(ep.steps[at]);
  };

  const elements = (step) => typeof step.seen?.elements === 'number' ? ep.steps[step.seen.elements].seen.elements : step.seen?.elements ?? [];
  const target = (step, element) => step.decided?.tag !== undefined && element[0] === step.decided.tag;

  // The screen before a step with what was done drawn on it, and beside it the screen after.
  const picture = (step) => {
    const next = both && step?.decided ? ep.steps[ep.steps.indexOf(step) + 1] : null;
    const before = screen(step, true);
    if (!before) { parts.stage.replaceChildren(h('p', { class: 'p-none' }, ep.waits ? 'Its steps are on their way.' : 'Nothing was observed here.')); return; }
    const after = next && screen(next, false);
    parts.stage.classList.toggle('upright', step.seen.w < step.seen.h);
    parts.stage.replaceChildren(...[half(before, after && 'before'), after && half(after, 'after')].filter(Boolean));
  };
  const half = (shot, caption) => h('figure', { class: 'p-half' }, caption && h('figcaption', {}, caption), h('div', { class: 'p-fit' }, shot));

  const screen = (step, drawn) => {
    const seen = step?.seen;
    if (!seen || !(seen.w > 0 && seen.h > 0)) return null;
    const shot = h('div', { class: 'p-shot' });
    // As large as its place allows, in the screen's own shape.
    shot.style.aspectRatio = `${seen.w} / ${seen.h}`;
    shot.style.width = `min(100cqw, ${100 * seen.w / seen.h}cqh)`;
    const bare = seen.pic === null;
    if (!bare) {
      const src = typeof seen.pic === 'number' ? $(`p${seen.pic}`).textContent : seen.pic;
      shot.append(h('img', { alt: drawn ? `The screen at step ${step.n}, with numbered tags` : 'The screen after it', src,
        onerror: () => shot.replaceChildren(h('p', { class: 'p-none' }, 'The picture is in the run folder, which is not beside this page.')) }));
    }
    shot.append(s('svg', { viewBox: `0 0 ${seen.w} ${seen.h}`, 'aria-hidden': 'true' },
      bare && elements(step).map((e) => [s('rect', { class: 'box', x: e[4], y: e[5], width: e[6], height: e[7] }),
        s('text', { class: 'box-text', x: e[4] + 4, y: e[5] + 15 }, `${e[0] ?? ''} ${e[2]}`.trim())]),
      drawn && elements(step).filter((e) => target(step, e)).map((e) => s('rect', { class: 'box target', x: e[4], y: e[5], width: e[6], height: e[7] })),
      drawn && marks && mark(step), s('g', {})));
    return shot;
  };

  const mark = (step) => {
    const points = step.acted?.points ?? step.decided?.choice.points ?? [];
    if (!points.length) return null;
    const r = Math.max(step.seen.w, step.seen.h) / 64;
    const both = (tag, props) => [s(tag, { ...props, class: 'mark-halo' }), s(tag, { ...props, class: 'mark' })];
    const arrow = ([x0, y0], [x, y]) => {
      const angle = Math.atan2(y - y0, x - x0);
      const wing = (turn) => `${x - 1.1 * r * Math.cos(angle + turn)} ${y - 1.1 * r * Math.sin(angle + turn)}`;
      return `M${wing(0.5)}L${x} ${y}L${wing(-0.5)}`;
    };
    const [x, y] = points[0];
    const dot = s('circle', { class: 'mark-dot', cx: x, cy: y, r: r / 3 });
    if (points.length > 1) {
      const [a, b] = points.slice(-2);
      return [both('path', { d: `M${points.map((p) => p.join(' ')).join('L')}${arrow(a, b)}` }), dot];
    }
    const by = step.acted?.by;
    if (by && (by[0] || by[1])) {
      const end = [x + Math.sign(by[0]) * 5 * r, y + Math.sign(by[1]) * 5 * r];
      return [both('path', { d: `M${x} ${y}L${end.join(' ')}${arrow([x, y], end)}` }), dot];
    }
    return [both('circle', { cx: x, cy: y, r: 1.4 * r }), dot];
  };

  // A part that people open and close; it stays as they left it from step to step.
  const fold = (title, detail, build) => {
    const body = h('div', {});
    const node = h('details', { open: open.get(title) ? true : null, ontoggle: () => {
      open.set(title, node.open);
      if (node.open && !body.firstChild) body.append(...[build()].flat(3));
    } }, h('summary', {}, detail), body);
    if (node.open) body.append(...[build()].flat(3));
    return node;
  };
  const note = (title, text) => text ? [h('h3', {}, title), h('p', {}, text)] : [];
  const facts = (...list) => h('p', { class: 'p-facts' }, list.filter(Boolean).map((x) => h('span', {}, x)));

  const tell = (step) => {
    const r = ep.result;
    const verdict = { passed: 'solved', partial: 'partly solved', failed: 'not solved', invalid: 'invalid', unchecked: 'not checked', assisted: 'assisted by a person' }[ep.state] ?? ep.state;
    const now = effect(step ?? {});
    const kids = [
      h('section', {},
        h('h3', {}, 'Goal'), h('p', { class: 'p-goal' }, ep.goal || (ep.waits ? '…' : '(not recorded)')),
        facts(h('b', { class: `effect ${ep.state === 'passed' ? 'confirmed' : ep.state === 'partial' || ep.state === 'unchecked' ? 'unverifiable' : 'failed'}` }, `${verdict}, ${ep.outcome}`),
          r && `${r.steps} of ${count(r.max_steps, 'step')}`, byScreen(ep.steps) || null, r && ms(r.wall * 1000), r?.model_calls ? `${count(r.model_calls, 'call')}, ${tokens(r.usage)}, ${usd(r.usage.micro_usd)}` : null,
          r?.bad_replies ? count(r.bad_replies, 'bad reply').replace('replys', 'replies') : null, r?.refused ? `${r.refused} refused` : null, r?.attempts > 1 ? `attempt ${r.attempts}` : null),
        note('Why it is invalid', r?.reason), note('The record cannot be read', ep.problem)),
    ];
    if (step) kids.push(h('section', {},
      h('h3', {}, step.decided ? `Step ${step.n} of ${ep.steps.filter((x) => x.decided).length}` : 'End'),
      h('p', { class: 'p-now' }, said(step)),
      step.decided?.person && h('p', { class: 'effect unverifiable' }, { approved: 'A person approved of it', advised: 'A person gave advice', edited: 'A person put this in place of the agent’s action', refused: 'A person refused it', decided: 'A person did this' }[step.decided.person]),
      now.text && h('p', { class: `effect ${now.kind}` }, now.text),
      step.acted?.note && step.acted.report && step.acted.note.note !== 'no_change' && note('Told to the agent', step.acted.note.reason),
      step.decided && [note('Sees', step.decided.observation), note('Thinks', step.decided.thought), note('Sums up', step.decided.summary),
        step.decided.call && [h('h3', {}, 'Call'), h('pre', {}, step.decided.call)]],
      step.decided?.plan && plan(step.decided.plan),
      step.decided?.exchanges && fold('Exchanges', `Prompt and reply (${count(step.decided.exchanges.length, 'model call')})`, () => step.decided.exchanges.map(exchange)),
      step.seen && fold('Elements', `Elements on the screen (${elements(step).length})`, () => list(step)),
      fold('Times', 'Screen and times', () => times(step))));
    else if (!ep.problem && !ep.waits) kids.push(h('section', {}, h('p', {}, 'No step was recorded.')));
    if (r?.checks.length) kids.push(h('section', {}, fold('Checks', `Checks (${r.checks.filter((c) => c.passed).length} of ${r.checks.length} held)`, () => h('ul', { class: 'p-checks' },
      r.checks.map((c) => h('li', {}, h('i', { class: c.passed ? 'ok' : 'no', 'aria-label': c.passed ? 'held' : 'failed' }, c.passed ? '✓' : '✕'), h('span', {}, c.what), c.found && h('small', {}, `found: ${c.found}`)))))));
    kids.push(h('section', {}, note('Claim of the agent', r?.claim),
      fold('Episode', 'Parameters and identity', () => [h('pre', {}, JSON.stringify({ task: ep.task, contestant: ep.contestant, repeat: ep.repeat, category: ep.category, level: ep.level, platform: ep.platform, infeasible: ep.infeasible, seed: r?.seed, params: ep.params }, null, 2))]),
      h('p', { class: 'hint' }, h('kbd', {}, '←'), ' ', h('kbd', {}, '→'), ' steps, ', h('kbd', {}, 'Home'), ' ', h('kbd', {}, 'End'), ', ', h('kbd', {}, '['), ' ', h('kbd', {}, ']'), ' episodes, ', h('kbd', {}, 'm'), ' mark on or off, ', h('kbd', {}, 'b'), ' both screens or one, ', h('kbd', {}, 'Esc'))));
    parts.side.replaceChildren(...kids);
  };

  // What a planner located, remembered, and was told by waldo.
  const plan = (p) => [
    p.groundings && [h('h3', {}, 'Located'), h('table', { class: 'p-elements' }, h('tbody', {}, p.groundings.map((g) => h('tr', {},
      h('td', { class: 'soft' }, g.grounder), h('td', {}, g.description, h('small', {}, g.refused ? ` refused: ${g.refused}`
        : ` ${g.point.map(Math.round).join(', ')} on ${g.hit ? `${g.hit.role} ${g.hit.name ?? ''}` : 'no element'}${g.shots > 1 ? `, second shot${g.first_point ? ` (first ${g.first_point.map(Math.round).join(', ')})` : ''}` : ''}`))))))],
    p.notices && note('Told by waldo', p.notices.join('\n')),
    (p.memory || p.memory_ops) && fold('Memory', `Memory (${count(Object.keys(p.memory?.data ?? {}).length, 'entry').replace('entrys', 'entries')}${p.memory_ops ? ', changed' : ''})`, () => [
      h('table', { class: 'p-elements' }, h('tbody', {}, Object.entries(p.memory?.data ?? {}).map(([key, e]) => h('tr', {},
        h('td', { class: 'soft' }, key), h('td', {}, typeof e.value === 'string' ? e.value : JSON.stringify(e.value), h('small', {}, ` ${e.description}`)))))),
      p.forgotten && h('p', { class: 'effect unverifiable' }, `dropped: ${p.forgotten.join(', ')}`)]),
    p.context && p.plans > 0 && facts(`about ${p.context.tokens.toLocaleString('en')} of ${p.context.limit.toLocaleString('en')} tokens`, p.context.short ? `${p.context.short} steps in short` : null, p.context.left_out ? `${p.context.left_out} left out` : null, p.plans > 1 ? `planned ${p.plans} times` : null),
  ];

  const exchange = (x) => [
    facts(h('b', {}, x.purpose || 'call'), ms(x.ms), tokens(x.usage), x.usage.cached ? `${x.usage.cached.toLocaleString('en')} from cache` : null, usd(x.usage.micro_usd), x.pictures ? count(x.pictures, 'picture') : null, x.retries ? `sent ${x.retries + 1} times` : null),
    x.rejected && h('p', { class: 'effect failed' }, `could not be used: ${x.rejected}`),
    x.dropped && h('p', { class: 'effect failed' }, `the reply was not waited for: ${x.dropped}`),
    x.repairs && h('p', { class: 'effect unverifiable' }, `mended: ${x.repairs.join('; ')}`),
    h('h3', {}, 'Reply'), h('pre', { tabindex: '0' }, unpack(x.reply)), h('h3', {}, 'Prompt'), h('pre', { tabindex: '0' }, unpack(x.prompt)),
  ].filter(Boolean);

  const list = (step) => {
    const hot = (e) => () => {
      const layer = parts.stage.querySelector('svg > g:last-child');
      if (layer) layer.replaceChildren(...(e ? [s('rect', { class: 'box hot', x: e[4], y: e[5], width: e[6], height: e[7] })] : []));
    };
    return h('table', { class: 'p-elements' }, h('tbody', {}, elements(step).map((e) => h('tr',
      { tabindex: '0', class: target(step, e) ? 'target' : null, onmouseenter: hot(e), onmouseleave: hot(null), onfocus: hot(e), onblur: hot(null) },
      h('td', { class: 'num' }, e[0] === null ? '' : String(e[0])), h('td', { class: 'soft' }, e[1]), h('td', {}, e[2], e[3] && h('small', {}, ` ${e[3]}`))))));
  };

  const times = (step) => {
    const seen = step.seen, out = [];
    if (seen) {
      out.push(facts(seen.title, seen.at), facts(`${seen.w} × ${seen.h} px`, seen.settled && `settling ended: ${seen.settled.replace('_', ' ')}`));
      if (seen.dialog) out.push(h('p', {}, `Dialog: ${seen.dialog}`));
      if (seen.screens) out.push(h('p', {}, seen.screens.map((s) => `${s.front ? '▸ ' : ''}${s.name} (${s.platform}): ${s.showing}${s.changed ? ', changed' : ''}`).join('\n')));
      if (seen.tabs) out.push(h('p', {}, seen.tabs.join('\n')));
      if (seen.blocked) out.push(h('p', {}, `Blocked: ${seen.blocked.join(', ')}`));
      if (seen.notices) out.push(h('p', {}, `Notices: ${seen.notices.join('; ')}`));
    }
    const parts = [['settle', seen?.ms.settle], ['observe', seen?.ms.observe], ['tags', seen?.ms.label], ['decide', step.decided?.ms], ['act', step.acted?.ms]].filter(([, n]) => n !== undefined);
    const total = parts.reduce((sum, [, n]) => sum + n, 0) || 1;
    out.push(h('div', { class: 'p-bars', 'aria-hidden': 'true' }, parts.map(([, n], i) => { const bar = h('span', { class: `c${i}` }); bar.style.width = `${100 * n / total}%`; return bar; })),
      facts(...parts.map(([name, n]) => `${name} ${ms(n)}`)), seen && facts(`picture ${ms(seen.ms.picture)}`, `elements ${ms(seen.ms.elements)}`));
    return out.filter(Boolean);
  };

  dialog.addEventListener('close', () => {
    // The event comes after the closing; another episode may have been opened in between, or be on its way.
    if (dialog.open) return;
    if (location.hash.startsWith(`#${anchor}/`) || location.hash === `#${anchor}`) history.replaceState(null, '', location.href.split('#')[0]);
    anchor = ''; ep = null;
    (origin?.isConnected ? origin : $('tasks-title')).focus();
    dialog.replaceChildren();
  });
  dialog.addEventListener('keydown', (e) => {
    if (!ep || e.ctrlKey || e.altKey || e.metaKey) return;
    const does = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(ep.steps.length - 1), '[': () => turn(0), ']': () => turn(1), m: () => { marks = !marks; picture(ep.steps[at]); }, b: () => { both = !both; picture(ep.steps[at]); } }[e.key];
    if (does) { e.preventDefault(); does(); }
  });
  document.addEventListener('click', (e) => {
    const key = e.target.closest('a[href^="#"]')?.getAttribute('href').slice(1);
    if (!chips.has(key) || e.button || e.ctrlKey || e.altKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    visit(key);
  });
  addEventListener('hashchange', follow);
  follow();
})();
