// Collects what can be touched, in document order; runs in an isolated world beside
// activity.js and names.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.collect) return;
  const SVG = 'http://www.w3.org/2000/svg';
  // Controls are often laid, invisible, over what pictures them; anything else that is invisible is not there.
  const SHOWN = { visibilityProperty: true };
  const SEEN = { visibilityProperty: true, opacityProperty: true };
  const { fold, textOf, nameOf, valueOf, optionName, kept, forget } = W.text;
  const { SKIPPED, classify, mayListen, heard, hears, sift, isEditor } = W.kinds;
  let els = [];
  let generation = -1;
  let frames = new Map();
  let frameKeys = new WeakMap();
  let nextKey = 1;

  const deepActive = () => {
    let active = document.activeElement;
    for (;;) {
      if (active && active.shadowRoot && active.shadowRoot.activeElement) active = active.shadowRoot.activeElement;
      else if (active && active.localName === 'iframe') {
        let inner = null;
        try { inner = active.contentDocument && active.contentDocument.activeElement; } catch { /* foreign */ }
        if (!inner) return active;
        active = inner;
      } else return active;
    }
  };
  W.active = deepActive;
  // The origin of the document that has the focus, as far as frames can be looked into.
  W.focusOrigin = () => {
    const active = deepActive();
    const view = active ? active.ownerDocument.defaultView : globalThis;
    return view ? view.origin : null;
  };

  const flag = (el, name) => {
    const v = el.getAttribute(name);
    return v === null || v === '' ? null : v === 'true' || v === 'mixed';
  };
  const up = (node) => node.assignedSlot || node.parentElement || (node.getRootNode().host ?? null);
  const meet = (a, b) => {
    const x = Math.max(a[0], b[0]), y = Math.max(a[1], b[1]);
    return [x, y, Math.max(0, Math.min(a[0] + a[2], b[0] + b[2]) - x), Math.max(0, Math.min(a[1] + a[3], b[1] + b[3]) - y)];
  };
  const area = (r) => r[2] >= 1 && r[3] >= 1;

  // The topmost element at a point of `doc`, through open shadow roots.
  const topAt = (doc, x, y) => {
    let el = doc.elementFromPoint(x, y);
    while (el && el.shadowRoot) {
      const inner = el.shadowRoot.elementFromPoint(x, y);
      if (!inner || inner === el) break;
      el = inner;
    }
    return el;
  };

  // One collection, made in pieces. `stack` holds the elements whose children are being visited.
  const begin = (gen, clip, cap) => {
    const own = [];
    els = own;
    generation = gen;
    finished = null;
    frames = new Map();
    forget();
    const screen = meet([0, 0, innerWidth, innerHeight], clip || [0, 0, innerWidth, innerHeight]);
    const job = { cap, own, found: [], stack: [], frame: 0, known: null, at: 0, items: [], truncated: 0, tested: 0, cells: null,
      roving: new Map(), delegates: new Map(), silent: new Map(), texts: W.texts.begin(), visited: 0 };
    enter(job, document, 0, [0, 0], 1, screen, [], W.outside.begin());
    return job;
  };

  // Makes ready to visit a document; `since`: see outside.js, which knows this frame's own document only.
  const enter = (job, doc, frame, off, scale, clip, chain, since) => {
    const root = doc.documentElement;
    if (!root) return;
    const place = { doc, view: doc.defaultView, frame, off, scale, clip, chain, hears: hears(doc.defaultView), range: doc.createRange() };
    job.stack.push({ place, el: null, next: root, list: null, clip, abs: clip, pointer: false, editable: doc.designMode === 'on',
      owner: null, block: null, shown: null, far: null, since });
  };

  const boxOf = (place, el) => {
    const r = el.getBoundingClientRect(), { off, scale } = place;
    return [off[0] + r.left * scale, off[1] + r.top * scale, r.width * scale, r.height * scale];
  };
  // The clip of a positioned element is that of its containing block.
  const clipOf = (level, position) =>
    position === 'fixed' ? level.place.clip : position === 'absolute' ? level.abs : level.clip;
  const keep = (job, level, el, tag, kind, rect, fixed) => {
    if (!area(rect)) return null;
    const item = { el, tag, kind, rect, place: level.place, owner: level.owner, fixed, inner: false, cells: false, drags: false, out: null };
    job.found.push(item);
    return item;
  };

  // Every property read of every element counts here: what is not needed is not asked for. Most of a long page is out
  // of view: there boxes alone are read.
  const visit = (job, level, el) => {
    job.visited++;
    const tag = el.localName;
    if (SKIPPED.has(tag)) return;
    const { place } = level;
    const first = el.firstElementChild;
    let leaf = !first && !el.shadowRoot && tag !== 'slot';
    const bare = leaf && !el.firstChild;
    const box = boxOf(place, el);
    const inView = area(meet(box, place.clip));
    if (tag === 'button' || tag === 'input' || (tag === 'a' && el.hasAttribute('href')) || tag === 'select') {
      if (tag === 'select' && !(el.multiple || el.size > 1)) leaf = true;
      if (leaf) {
        if (!inView || !near(job, level)) return;
        if (!el.checkVisibility(tag === 'input' || tag === 'select' ? SHOWN : SEEN)) return;
        const kind = classify(job, level, el, tag, false, '', '', false);
        if (!kind) return;
        keep(job, level, el, tag, kind,
          meet(box, isUncut(level) ? place.clip : clipOf(level, place.view.getComputedStyle(el).position)), false);
        return;
      }
    }
    if (!inView) {
      if (bare) return;
      // An empty box says nothing of what lies inside.
      if (box[2] + box[3] > 0) {
        if (tag !== 'iframe' && tag !== 'frame') descend(job, level, el, tag, { far: { above: level, tag, box, leaf } });
        return;
      }
    }
    if (!near(job, level)) return;
    const inner = inside(job, level, el, tag, box, leaf, bare);
    if (inner) descend(job, level, el, tag, inner);
  };

  const isUncut = ({ clip, abs, place }) => clip === place.clip && abs === place.clip;

  // Makes ready to visit what lies in an element.
  const descend = (job, level, el, tag, inner) => {
    const { place } = level;
    let next = el.firstChild, list = null, since = level.since < 0 ? -1 : W.outside.inside(level, el);
    if (el.shadowRoot) {
      W.watch(el.shadowRoot);
      next = el.shadowRoot.firstChild;
    } else if (tag === 'slot') {
      const assigned = el.assignedNodes();
      if (assigned.length) {
        list = assigned.values();
        next = list.next().value;
        since = -1;
      }
    }
    if (next) {
      job.stack.push({ place, el, next, list, clip: place.clip, abs: place.clip, pointer: false, editable: false, owner: null,
        block: null, shown: null, far: null, since, ...inner });
    }
  };

  // Asks what an element out of view does to what lies inside, where that was not asked yet, for some of that is in
  // view; whether any of it can be seen.
  const near = (job, level) => {
    const { far } = level;
    if (!far) return !level.hidden;
    level.far = null;
    const { above, tag, box, leaf } = far;
    const inner = near(job, above) ? inside(job, above, level.el, tag, box, leaf, false) : null;
    if (inner) Object.assign(level, inner);
    else {
      level.hidden = true;
      level.next = null;
    }
    return !!inner;
  };

  // Keeps an element, where it can be touched. What lies inside is seen as is returned; null where nothing of it is.
  const inside = (job, level, el, tag, box, leaf, bare) => {
    const { place } = level;
    const style = place.view.getComputedStyle(el);
    const display = style.display;
    if (display === 'none') return null;
    if (tag === 'iframe' || tag === 'frame') {
      if (style.visibility === 'visible') visitFrame(job, place, el, style, clipOf(level, style.position));
      return null;
    }
    // Inline boxes cut nothing off and do not scroll.
    const flat = display === 'inline';
    const ox = flat ? 'visible' : style.overflowX, oy = flat ? 'visible' : style.overflowY;
    const clips = ox !== 'visible' || oy !== 'visible';
    // As long as nothing cuts anything off, it does not matter how the element is placed.
    const position = clips || !isUncut(level) ? style.position : 'static';
    let clipping = clipOf(level, position);
    const pointerHere = style.cursor === 'pointer';
    let kind = classify(job, level, el, tag, clips, ox, oy, pointerHere && !level.pointer);
    const cuts = clips && tag !== 'html' && tag !== 'body' && el.namespaceURI !== SVG;
    if (style.pointerEvents === 'none') kind = null;
    else if ((!kind || !kind.click) && mayListen(level, el, tag)) {
      const seen = meet(box, clipping);
      if (area(seen)) kind = heard(job, el, kind, seen);
    }
    if (kind) {
      const typed = tag === 'input' || tag === 'select' || tag === 'textarea';
      if (!el.checkVisibility(typed ? SHOWN : SEEN)) kind = null;
    }
    const item = kind ? keep(job, level, el, tag, kind, meet(box, clipping), style.position === 'fixed') : null;
    if (bare || (leaf && kind && kind.click) || tag === 'select' || tag === 'textarea' || (kind && kind.edit && isEditor(el))) return null;
    if (cuts) {
      clipping = meet(clipping, box);
      // Nothing of the ordinary flow can be seen; only what is positioned elsewhere could be.
      if (!area(clipping) && position !== 'static') return null;
    }
    return { clip: clipping, abs: position !== 'static' ? clipping : level.abs, pointer: pointerHere,
      editable: level.editable || (kind !== null && kind.edit && el.isContentEditable), owner: item || level.owner,
      block: flat || display === 'contents' ? level.block : el };
  };

  const visitFrame = (job, place, el, cs, clipping) => {
    const { doc, off, scale, chain } = place;
    const box = el.getBoundingClientRect();
    const k = el.offsetWidth ? box.width / el.offsetWidth : 1;
    const px = el.clientLeft + parseFloat(cs.paddingLeft), py = el.clientTop + parseFloat(cs.paddingTop);
    const inner = [off[0] + (box.left + px * k) * scale, off[1] + (box.top + py * k) * scale,
      (el.clientWidth - parseFloat(cs.paddingLeft) - parseFloat(cs.paddingRight)) * k * scale,
      (el.clientHeight - parseFloat(cs.paddingTop) - parseFloat(cs.paddingBottom)) * k * scale];
    const seen = meet(inner, clipping);
    if (!area(seen)) return;
    let other = null;
    try { other = el.contentDocument; } catch { /* foreign */ }
    job.frame++;
    if (other && other.documentElement) {
      const lib = other.defaultView.__waldo;
      if (lib && lib.watch) lib.watch(other);
      enter(job, other, job.frame, [inner[0], inner[1]], scale * k, seen, [...chain, { el, off, scale, doc }], -1);
    } else {
      let key = frameKeys.get(el);
      if (!key) frameKeys.set(el, (key = nextKey++));
      frames.set(key, { el, off, scale, doc, chain });
      job.found.push({ frameKey: key, x: inner[0], y: inner[1], k: scale * k, clip: seen, frame: job.frame });
    }
  };

  // Whether the iframes of `chain` are on top at a point of the top page.
  const through = (chain, x, y) => {
    for (const link of chain) {
      if (topAt(link.doc, (x - link.off[0]) / link.scale, (y - link.off[1]) / link.scale) !== link.el) return false;
    }
    return true;
  };

  const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.15, 0.15], [0.85, 0.15],
    [0.15, 0.85], [0.85, 0.85], [0.04, 0.5], [0.96, 0.5], [0.5, 0.04], [0.5, 0.96]];

  const spot = (r, fx, fy) =>
    [r[0] + Math.min(Math.max(r[2] * fx, 0.5), r[2] - 0.5), r[1] + Math.min(Math.max(r[3] * fy, 0.5), r[3] - 0.5)];

  // A point of `item` where it is the innermost thing that can be touched, or null.
  const hit = (job, item) => {
    const { el, kind, rect } = item;
    const { doc, off, scale, chain } = item.place;
    const { known } = job;
    const test = (x, y) => {
      job.tested++;
      let at = topAt(doc, (x - off[0]) / scale, (y - off[1]) / scale);
      let nested = false;
      const first = at;
      while (at) {
        if (at === el) return nested && (kind.click || kind.drag) ? false : through(chain, x, y);
        const other = known.get(at);
        if (other && (other.click || other.drag)) nested = true;
        at = up(at);
      }
      const label = first && first.closest('label');
      return !!label && label.control === el && through(chain, x, y);
    };
    let p = spot(rect, 0.5, 0.5);
    if (test(p[0], p[1])) return p;
    if (item.tag === 'a' || kind.role === 'link' || kind.role === 'generic') {
      // A link over several lines: its box has holes.
      for (const line of el.getClientRects()) {
        const part = meet([off[0] + line.left * scale, off[1] + line.top * scale, line.width * scale, line.height * scale], rect);
        if (!area(part)) continue;
        p = spot(part, 0.5, 0.5);
        if (test(p[0], p[1])) return p;
      }
    }
    for (let i = 1; i < SPOTS.length; i++) {
      p = spot(rect, SPOTS[i][0], SPOTS[i][1]);
      if (test(p[0], p[1])) return p;
    }
    return null;
  };

  // Points that a collection asks the browser about; after that boxes decide. Each costs the more the more there is.
  const TESTS = 3000;
  const TESTS_OF_CROWDS = 6e6;
  const testsOf = (found) => Math.max(200, Math.min(TESTS, TESTS_OF_CROWDS / found.length));
  const CELL = 64;

  // The same by the boxes of what can be touched, the later one on top: for pages so crowded that asking
  // the browser takes seconds. It does not see what covers without being touchable.
  const guess = (job, at) => {
    const { found } = job;
    if (!job.cells) {
      job.cells = new Map();
      for (let i = 0; i < found.length; i++) {
        const r = found[i].el ? found[i].rect : null;
        // Large boxes hold others rather than cover them.
        if (!r || r[2] * r[3] > 64 * CELL * CELL) continue;
        for (let y = Math.floor(r[1] / CELL); y <= (r[1] + r[3]) / CELL; y++) {
          for (let x = Math.floor(r[0] / CELL); x <= (r[0] + r[2]) / CELL; x++) {
            const key = y * 65536 + x, cell = job.cells.get(key);
            if (cell) cell.push(i); else job.cells.set(key, [i]);
          }
        }
      }
    }
    for (const [fx, fy] of SPOTS) {
      const [x, y] = spot(found[at].rect, fx, fy);
      const cell = job.cells.get(Math.floor(y / CELL) * 65536 + Math.floor(x / CELL)) || [];
      const covered = cell.some((i) => {
        if (i <= at) return false;
        const r = found[i].rect;
        return x >= r[0] && y >= r[1] && x < r[0] + r[2] && y < r[1] + r[3];
      });
      if (!covered) return [x, y];
    }
    return null;
  };

  const round = (n) => Math.round(n * 100) / 100;

  const report = (item, point, i, active) => {
    const { el, tag, kind, rect } = item;
    const { target, role } = kind;
    const targetTag = target.localName;
    const out = { i, r: role, b: rect.map(round), h: point.map(round) };
    const name = nameOf(target, targetTag, role) || (target !== el ? textOf(el) : '');
    if (name) out.n = name;
    const value = valueOf(target, targetTag, role);
    if (value !== null) out.v = value;
    let a = 0;
    if (kind.click) a |= 1;
    if (kind.edit) a |= 2;
    if (kind.select) a |= 4;
    if (kind.scroll) a |= 8;
    if (kind.drag) a |= 16;
    if (kind.upload) a |= 32;
    out.a = a;
    // Most elements have no such attribute; one question answers ten.
    const aria = target.hasAttributes() && target.getAttributeNames().some((name) => name.startsWith('aria-'));
    let s = 0;
    if (target === active) s |= 1;
    if (target.matches(':disabled') || (aria && target.getAttribute('aria-disabled') === 'true')) s |= 2;
    if (target.readOnly === true && kind.edit || (aria && target.getAttribute('aria-readonly') === 'true')) s |= 4;
    if (target.required === true || (aria && target.getAttribute('aria-required') === 'true')) s |= 8;
    const invalid = aria && target.getAttribute('aria-invalid');
    if ((invalid && invalid !== 'false') || target.matches(':user-invalid')) s |= 16;
    if (s) out.s = s;
    let checked = aria ? flag(target, 'aria-checked') ?? flag(target, 'aria-pressed') : null;
    if (targetTag === 'input' && (target.type === 'checkbox' || target.type === 'radio')) checked = target.checked;
    if (checked !== null) out.k = checked;
    const selected = targetTag === 'option' ? target.selected : aria ? flag(target, 'aria-selected') : null;
    if (selected !== null) out.l = selected;
    let expanded = aria ? flag(target, 'aria-expanded') : null;
    if (tag === 'summary' && el.parentElement && el.parentElement.localName === 'details') expanded = el.parentElement.open;
    if (expanded !== null) out.e = expanded;
    if (kind.select) out.o = Array.from(target.options).slice(0, 50).map(optionName);
    if (item.place.frame) out.m = item.place.frame;
    return out;
  };

  // A box that is called as the one thing to press in it is the same thing.
  const dropEcho = (job, { owner, out }) => {
    if (!owner || !owner.out || !owner.kind.why || owner.kind.drag || owner.kind.scroll || owner.out.n !== out.n) return;
    const at = job.items.lastIndexOf(owner.out);
    if (at >= 0) job.items.splice(at, 1);
  };

  // Works on a collection until `until`, a time; whether it is complete.
  const proceed = (job, until) => {
    const { stack, found, own, items } = job;
    for (let n = 1; stack.length; n++) {
      if (n % 8 === 0 && performance.now() > until) return false;
      const level = stack[stack.length - 1], el = level.next;
      if (!el) { stack.pop(); continue; }
      level.next = level.list ? level.list.next().value : el.nextSibling;
      const part = level.since < 0 || el.nodeType !== 1 ? null : W.outside.passed(level, el);
      if (part) level.next = part.last.nextSibling;
      else if (el.nodeType === 1) visit(job, level, el);
      else if (el.nodeType === 3) W.texts.note(job, level, el);
    }
    if (!job.known) {
      job.known = new Map();
      sift(found);
      for (const item of found) if (item.el) job.known.set(item.el, item.kind);
      job.active = deepActive();
    }
    for (; job.at < found.length; job.at++) {
      const item = found[job.at];
      if (item.frameKey) {
        items.push({ f: item.frameKey, b: [item.x, item.y, item.k], c: item.clip.map(round), n: item.frame });
        continue;
      }
      if (performance.now() > until) return false;
      if (item.text) { W.texts.report(job, item); continue; }
      const { click, drag, scroll } = item.kind;
      if (!click && !drag && !scroll) continue;
      if (own.length >= job.cap) { job.truncated++; continue; }
      const point = job.tested < testsOf(found) ? hit(job, item) : guess(job, job.at);
      if (!point) continue;
      const out = report(item, point, own.length, job.active);
      // A box without words of its own around what can be pressed.
      if (item.inner && !out.n && item.kind.why && !drag && !scroll) continue;
      own.push(item.kind.target);
      item.out = out;
      W.texts.before(job, out);
      dropEcho(job, item);
      items.push(out);
    }
    if (!job.told) {
      W.texts.tellApart(items, own);
      job.told = true;
    }
    return true;
  };

  const state = () => W.mark().filter((_, kind) => kind !== 4).join();
  // The state of the page when it was last collected.
  let taken = '';
  // Whether what `gen` collected is still as it was.
  W.topAt = topAt;
  W.meet = meet;
  W.round = round;
  W.near = near;
  W.through = through;
  W.still = (gen) => gen === generation && taken === state() && !W.moves();

  const written = (job) => {
    const scroller = document.scrollingElement;
    const above = scroller ? Math.max(0, Math.round(scroller.scrollTop)) : 0;
    const below = scroller ? Math.max(0, Math.round(scroller.scrollHeight - innerHeight - scroller.scrollTop)) : 0;
    const refused = Array.from(W.refused);
    W.refused.clear();
    // What is on its way somewhere lies elsewhere by and by, and nothing tells of that.
    taken = W.moves() ? '' : state();
    W.outside.learn(job.visited);
    return JSON.stringify({ items: job.items, refused, frames: job.frame, truncated: job.truncated,
      unread: job.texts.unread,
      title: fold(document.title).slice(0, Math.max(300, kept())), url: location.href, above, below });
  };

  // What was gathered last. Whoever asked for it may have waited no longer: a page with much on it answers late on
  // a busy machine, and would do all the work again for the next who ask, and again be late. So one look, which has
  // one `gen`, gets it as long as the page is as it was.
  let finished = null;
  const answered = (gen, key, job, text) => {
    finished = { gen, key, own: job.own, text };
    return text;
  };
  const known = (gen, key) =>
    finished && finished.gen === gen && finished.key === key && finished.own === els && W.still(gen) ? finished.text : null;

  // All that can be touched inside `clip` (of this frame, CSS px), at most `cap`.
  W.collect = (gen, clip, cap) => {
    const key = JSON.stringify([clip, cap]), found = known(gen, key);
    if (found !== null) return found;
    const job = begin(gen, clip, cap);
    proceed(job, Infinity);
    return answered(gen, key, job, written(job));
  };

  // The same beside a picture that is being taken. That needs the page's thread for two moments, for its frame
  // and when that has been shown; script that runs then holds up the whole picture. So this works in short
  // pieces, and once more in one piece where the page changed between them.
  const PIECE = 2;
  // One that nobody waits for any more goes on in the next one, where the page is as it was.
  let unfinished = null;
  W.collectBeside = async (gen, clip, cap) => {
    const key = JSON.stringify([clip, cap]), found = known(gen, key);
    if (found !== null) return found;
    const before = state();
    const goesOn = unfinished && unfinished.key === key && unfinished.before === before && unfinished.job.own === els;
    const job = goesOn ? unfinished.job : begin(gen, clip, cap);
    generation = gen;
    const mine = (unfinished = { key, before, job });
    // A page that hardly lets go of its thread gets the rest in one piece.
    const end = performance.now() + 300;
    const until = () => { const now = performance.now(); return now > end ? Infinity : now + PIECE; };
    while (!proceed(job, until())) {
      await rest();
      if (unfinished !== mine) return '';
    }
    unfinished = null;
    return job.own === els && state() === before ? answered(gen, key, job, written(job)) : W.collect(gen, clip, cap);
  };
  const rest = () => globalThis.scheduler && scheduler.postTask ? scheduler.postTask(() => {})
    : new Promise((done) => setTimeout(done, 0));

  // The iframe element of a foreign frame.
  W.frame = (key) => frames.get(key)?.el ?? null;

  // For points of this frame: whether the foreign frame `key` is on top there.
  W.uncovered = (key, points) => {
    const f = frames.get(key);
    if (!f) return points.map(() => false);
    return points.map(([x, y]) =>
      topAt(f.doc, (x - f.off[0]) / f.scale, (y - f.off[1]) / f.scale) === f.el && through(f.chain, x, y));
  };

  // An element of the collection `gen`, or null when it is gone.
  W.element = (gen, i) => {
    const el = gen === generation ? els[i] : null;
    return el && el.isConnected ? el : null;
  };

  // What an element is to an upload, and where to press it (top page's own frame only).
  W.field = (gen, i) => {
    const el = W.element(gen, i);
    return el ? { file: el.localName === 'input' && el.type === 'file' } : { gone: true };
  };
  W.pointOf = (gen, i) => {
    const el = W.element(gen, i);
    if (!el || window.top !== window) return null;
    const r = el.getBoundingClientRect();
    return [r.left + r.width / 2, r.top + r.height / 2];
  };

  // The topmost element there, in frames of the same origin too; a foreign frame itself.
  W.deepAt = (x, y) => {
    let el = topAt(document, x, y), ox = 0, oy = 0;
    while (el && el.localName === 'iframe') {
      const r = el.getBoundingClientRect();
      let inner = null;
      try { inner = el.contentDocument; } catch { /* foreign */ }
      if (!inner) break;
      ox += r.left + el.clientLeft; oy += r.top + el.clientTop;
      el = topAt(inner, x - ox, y - oy);
    }
    return el;
  };
  // Whether pressing there may begin a drag and drop.
  W.draggableAt = (x, y) => {
    const top = W.deepAt(x, y);
    if (top && top.localName === 'iframe') return true;
    for (let el = top; el; el = up(el)) if (el.draggable) return true;
    return !(top ? top.ownerDocument : document).getSelection().isCollapsed;
  };
})();
