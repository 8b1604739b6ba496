// Collects what can be touched, in document order; runs in an isolated world beside
// activity.js and names.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.collect) return;
  const ROLES = new Set(('button link checkbox radio tab menuitem menuitemcheckbox menuitemradio option switch ' +
    'slider combobox textbox searchbox spinbutton treeitem gridcell columnheader rowheader scrollbar listbox').split(' '));
  const TYPES = {
    checkbox: 'checkbox', radio: 'radio', button: 'button', submit: 'button', reset: 'button', image: 'button',
    file: 'button', color: 'button', range: 'slider', number: 'spinbutton', search: 'searchbox',
  };
  const HANDLERS = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'ontouchstart', 'ondblclick'];
  const SKIPPED = new Set(['script', 'style', 'head', 'template', 'noscript', 'br', 'link', 'meta']);
  const SVG = 'http://www.w3.org/2000/svg';
  // Controls are often laid, invisible, over what pictures them; anything else that is invisible is not there.
  const SHOWN = { visibilityProperty: true };
  const SEEN = { visibilityProperty: true, opacityProperty: true };
  const { fold, cut, textOf, nameOf, valueOf, kept } = W.text;
  let els = [];
  let generation = -1;
  let frames = new Map();
  let frameKeys = new WeakMap();
  let nextKey = 1;
  let listening = new Set();

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

  // What `el` is, or null: [role, click, edit, select, scroll, drag, upload, target]
  const classify = (el, tag, clips, ox, oy, pointerRoot, parentEditable) => {
    const given = el.getAttribute('role');
    const explicit = given ? given.trim().split(/\s+/)[0].toLowerCase() : '';
    let role = '', click = false, edit = false, select = false, drag = false, upload = false, target = el;
    switch (tag) {
      case 'a': case 'area': if (el.hasAttribute('href')) { role = 'link'; click = true; } break;
      case 'button': role = 'button'; click = true; break;
      case 'summary': role = 'button'; click = true; break;
      case 'input':
        if (el.type === 'hidden') return null;
        role = TYPES[el.type] || 'textbox';
        click = true;
        edit = role === 'textbox' || role === 'searchbox' || role === 'spinbutton';
        upload = el.type === 'file';
        drag = role === 'slider';
        break;
      case 'select': role = el.multiple || el.size > 1 ? 'listbox' : 'combobox'; click = true; select = true; break;
      case 'option': if (el.parentElement && (el.parentElement.multiple || el.parentElement.size > 1)) { role = 'option'; click = true; } break;
      case 'textarea': role = 'textbox'; click = true; edit = true; break;
      case 'canvas': role = 'canvas'; click = true; break;
      case 'video': case 'audio': if (el.controls) { role = tag; click = true; } break;
      case 'label': {
        const control = el.control;
        if (control && control.localName === 'input') {
          const r = control.getBoundingClientRect();
          const s = getComputedStyle(control);
          if (r.width < 4 || r.height < 4 || s.display === 'none' || s.visibility !== 'visible' || s.opacity === '0' ||
              r.right < 0 || r.bottom < 0 || s.clip !== 'auto' || s.clipPath !== 'none') {
            role = TYPES[control.type] || 'textbox';
            click = true;
            upload = control.type === 'file';
            target = control;
          }
        }
        break;
      }
    }
    if (explicit && ROLES.has(explicit)) {
      role = explicit;
      click = true;
      if ((role === 'textbox' || role === 'searchbox') && el.isContentEditable) edit = true;
      if (role === 'slider') drag = true;
    } else if (explicit && role) role = explicit === 'presentation' || explicit === 'none' ? role : explicit;
    if (!parentEditable && el.hasAttribute('contenteditable') && el.isContentEditable) { role = role || 'textbox'; click = true; edit = true; }
    if (!click && el.attributes.length && HANDLERS.some((name) => el.hasAttribute(name))) {
      role = role || explicit || 'generic';
      click = true;
    }
    if (!click && el.hasAttribute('tabindex') && el.tabIndex >= 0) { role = explicit || 'generic'; click = true; }
    if (!click && el.hasAttribute('aria-haspopup') && el.getAttribute('aria-haspopup') !== 'false') { role = role || explicit || 'generic'; click = true; }
    if (!click && pointerRoot && tag !== 'label' && tag !== 'html' && tag !== 'body') { role = explicit || 'generic'; click = true; }
    if (!click && listening.has(el)) { role = role || explicit || 'generic'; click = true; }
    if (el.hasAttribute('draggable') && el.draggable) { role = role || explicit || 'generic'; drag = true; }
    const scroll = clips && (((oy === 'auto' || oy === 'scroll') && el.scrollHeight > el.clientHeight + 1) ||
        ((ox === 'auto' || ox === 'scroll') && el.scrollWidth > el.clientWidth + 1)) &&
      el.clientHeight > 8 && el.clientWidth > 8 && tag !== 'html' && tag !== 'body' && tag !== 'select';
    if (!click && !drag && !scroll) return null;
    if (!role) role = explicit || (scroll ? 'region' : 'generic');
    return { role, click, edit, select, scroll, drag, upload, target };
  };

  // One collection, made in pieces. `stack` holds the elements whose children are being visited.
  const begin = (gen, clip, cap, hints) => {
    listening = new Set();
    if (hints) {
      const all = document.getElementsByTagName('*');
      // The page may have changed since the hints were taken.
      if (all.length === hints[0]) for (let i = 1; i < hints.length; i++) listening.add(all[hints[i]]);
    }
    const own = [];
    els = own;
    generation = gen;
    frames = new Map();
    const screen = meet([0, 0, innerWidth, innerHeight], clip || [0, 0, innerWidth, innerHeight]);
    const job = { cap, own, found: [], stack: [], frame: 0, known: null, at: 0, items: [], truncated: 0, tested: 0, cells: null };
    enter(job, document, 0, [0, 0], 1, screen, []);
    return job;
  };

  // Makes ready to visit a document.
  const enter = (job, doc, frame, off, scale, clip, chain) => {
    const root = doc.documentElement;
    if (!root) return;
    const place = { doc, view: doc.defaultView, frame, off, scale, clip, chain };
    job.stack.push({ place, next: root, list: null, clip, abs: clip, pointer: false, editable: doc.designMode === 'on' });
  };

  const boxOf = (place, el) => {
    const r = el.getBoundingClientRect(), { off, scale } = place;
    return [off[0] + r.left * scale, off[1] + r.top * scale, r.width * scale, r.height * scale];
  };
  // The clip of a positioned element is that of its containing block.
  const clipOf = (level, position) =>
    position === 'fixed' ? level.place.clip : position === 'absolute' ? level.abs : level.clip;
  const keep = (job, place, el, tag, kind, rect) => {
    if (area(rect)) job.found.push({ el, tag, kind, rect, place });
  };

  // Every property read of every element counts here: what is not needed is not asked for.
  const visit = (job, level, el) => {
    const tag = el.localName;
    if (SKIPPED.has(tag)) return;
    const { place } = level;
    const uncut = level.clip === place.clip && level.abs === place.clip;
    const first = el.firstElementChild;
    let leaf = !first && !el.shadowRoot && tag !== 'slot';
    if (tag === 'button' || tag === 'input' || (tag === 'a' && el.hasAttribute('href')) || tag === 'select') {
      if (tag === 'select' && !(el.multiple || el.size > 1)) leaf = true;
      if (leaf) {
        // Most of a long page is out of view, and ends here.
        const box = boxOf(place, el);
        if (!area(meet(box, place.clip))) return;
        if (!el.checkVisibility(tag === 'input' || tag === 'select' ? SHOWN : SEEN)) return;
        const kind = classify(el, tag, false, '', '', false, level.editable);
        if (!kind) return;
        keep(job, place, el, tag, kind,
          meet(box, uncut ? place.clip : clipOf(level, place.view.getComputedStyle(el).position)));
        return;
      }
    }
    const style = place.view.getComputedStyle(el);
    const display = style.display;
    if (display === 'none') return;
    if (tag === 'iframe' || tag === 'frame') {
      if (style.visibility === 'visible') visitFrame(job, place, el, style, clipOf(level, style.position));
      return;
    }
    // Inline boxes cut nothing off and do not scroll.
    const flat = display === 'inline';
    const ox = flat ? 'visible' : style.overflowX, oy = flat ? 'visible' : style.overflowY;
    const clips = ox !== 'visible' || oy !== 'visible';
    // As long as nothing cuts anything off, it does not matter how the element is placed.
    const position = clips || !uncut ? style.position : 'static';
    let clipping = clipOf(level, position);
    const pointerHere = style.cursor === 'pointer';
    let kind = classify(el, tag, clips, ox, oy, pointerHere && !level.pointer, level.editable);
    if (kind) {
      const typed = tag === 'input' || tag === 'select' || tag === 'textarea';
      if (!el.checkVisibility(typed ? SHOWN : SEEN) || style.pointerEvents === 'none') kind = null;
    }
    if (leaf && !kind) return;
    const cuts = clips && tag !== 'html' && tag !== 'body' && el.namespaceURI !== SVG;
    const box = kind || cuts ? boxOf(place, el) : null;
    if (kind) keep(job, place, el, tag, kind, meet(box, clipping));
    if (leaf) return;
    if (cuts) {
      clipping = meet(clipping, box);
      // Nothing of the ordinary flow can be seen; only what is positioned elsewhere could be.
      if (!area(clipping) && position !== 'static') return;
    }
    let next = first, list = null;
    if (el.shadowRoot) {
      W.watch(el.shadowRoot);
      next = el.shadowRoot.firstElementChild;
    } else if (tag === 'slot') {
      const assigned = el.assignedElements();
      if (assigned.length) {
        list = assigned.values();
        next = list.next().value;
      }
    }
    if (!next) return;
    const abs = position !== 'static' ? clipping : level.abs;
    const editable = level.editable || (kind !== null && kind.edit && el.isContentEditable);
    job.stack.push({ place, next, list, clip: clipping, abs, pointer: pointerHere, editable });
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
      enter(job, other, job.frame, [inner[0], inner[1]], scale * k, seen, [...chain, { el, off, scale, doc }]);
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
  const hit = (item, known) => {
    const { el, kind, rect } = item;
    const { doc, off, scale, chain } = item.place;
    const test = (x, y) => {
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

  // What all hit tests of a collection may take, in ms; after that boxes decide.
  const TESTS = 200;
  const CELL = 64;

  // The same by the boxes of what can be touched, the later one on top: for pages so crowded that asking
  // the browser takes seconds. It does not see what covers without being touchable.
  const guess = (job, at) => {
    const { found } = job;
    if (!job.cells) {
      job.cells = new Map();
      for (let i = 0; i < found.length; i++) {
        const r = found[i].rect;
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
    if (kind.select) out.o = Array.from(target.options).slice(0, 50).map((o) => cut(o.label || o.text));
    if (item.place.frame) out.m = item.place.frame;
    return out;
  };

  // Works on a collection until `until`, a time; whether it is complete.
  const proceed = (job, until) => {
    const { stack, found, own, items } = job;
    for (let n = 1; stack.length; n++) {
      if (n % 8 === 0 && performance.now() > until) return false;
      const level = stack[stack.length - 1], el = level.next;
      if (!el) { stack.pop(); continue; }
      level.next = level.list ? level.list.next().value : el.nextElementSibling;
      visit(job, level, el);
    }
    if (!job.known) {
      job.known = new Map();
      for (const item of found) if (item.el) job.known.set(item.el, item.kind);
      job.active = deepActive();
    }
    for (; job.at < found.length; job.at++) {
      const item = found[job.at];
      if (item.frameKey) {
        items.push({ f: item.frameKey, b: [item.x, item.y, item.k], c: item.clip.map(round), n: item.frame });
        continue;
      }
      if (own.length >= job.cap) { job.truncated++; continue; }
      const start = performance.now();
      if (start > until) return false;
      const point = job.tested < TESTS ? hit(item, job.known) : guess(job, job.at);
      job.tested += performance.now() - start;
      if (!point) continue;
      own.push(item.kind.target);
      items.push(report(item, point, own.length - 1, job.active));
    }
    return true;
  };

  const state = () => W.mark().filter((_, kind) => kind !== 4).join();
  // The state of the page when it was last collected.
  let taken = '';
  // Whether what `gen` collected is still as it was.
  W.still = (gen) => gen === generation && taken === state();

  const written = (job) => {
    const scroller = document.scrollingElement;
    const above = scroller ? Math.max(0, Math.round(scroller.scrollTop)) : 0;
    const below = scroller ? Math.max(0, Math.round(scroller.scrollHeight - innerHeight - scroller.scrollTop)) : 0;
    const refused = Array.from(W.refused);
    W.refused.clear();
    taken = state();
    return JSON.stringify({ items: job.items, refused, frames: job.frame, truncated: job.truncated,
      title: fold(document.title).slice(0, Math.max(300, kept())), url: location.href, above, below });
  };

  // All that can be touched inside `clip` (of this frame, CSS px), at most `cap`.
  W.collect = (gen, clip, cap, hints) => {
    const job = begin(gen, clip, cap, hints);
    proceed(job, Infinity);
    return written(job);
  };

  // The same beside a picture that is being taken. That needs the page's thread for two moments, for its frame
  // and when that has been shown; script that runs then holds up the whole picture. So this works in short
  // pieces, and once more in one piece where the page changed between them.
  const PIECE = 2;
  W.collectBeside = async (gen, clip, cap, hints) => {
    const before = state();
    const job = begin(gen, clip, cap, hints);
    // A page that hardly lets go of its thread gets the rest in one piece.
    const end = performance.now() + 300;
    const until = () => { const now = performance.now(); return now > end ? Infinity : now + PIECE; };
    while (!proceed(job, until())) await rest();
    return job.own === els && state() === before ? written(job) : W.collect(gen, clip, cap, hints);
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

  // Whether pressing there may begin a drag and drop.
  W.draggableAt = (x, y) => {
    let el = topAt(document, x, y), doc = document, ox = 0, oy = 0;
    while (el && el.localName === 'iframe') {
      const r = el.getBoundingClientRect();
      let inner = null;
      try { inner = el.contentDocument; } catch { /* foreign */ }
      if (!inner) return true;
      ox += r.left + el.clientLeft; oy += r.top + el.clientTop;
      doc = inner;
      el = topAt(doc, x - ox, y - oy);
    }
    for (; el; el = up(el)) if (el.draggable) return true;
    return !doc.getSelection().isCollapsed;
  };

  const tell = (el, names) => {
    for (const name of names) el.dispatchEvent(new (el.ownerDocument.defaultView.Event)(name, { bubbles: true, composed: true }));
  };

  // Chooses an option by its name; gives null when done, otherwise what stands in the way.
  W.select = (gen, i, wanted) => {
    const el = W.element(gen, i);
    if (!el) return { gone: true };
    if (el.localName !== 'select') return { not: true };
    const want = fold(wanted);
    const options = Array.from(el.options);
    const by = [(o) => fold(o.label || o.text) === want, (o) => o.value === wanted,
      (o) => fold(o.label || o.text).toLowerCase() === want.toLowerCase()];
    let option = null;
    for (const test of by) if ((option = options.find(test))) break;
    if (!option) return { options: options.slice(0, 50).map((o) => cut(o.label || o.text)) };
    if (el.disabled || option.disabled) return { disabled: true };
    const same = option.selected;
    el.focus();
    if (el.multiple) option.selected = true;
    else el.selectedIndex = option.index;
    tell(el, ['input', 'change']);
    return { same };
  };

  // Focuses an editable element and selects all that is in it, for the Delete key to follow.
  W.prepareClear = (gen, i) => {
    const el = W.element(gen, i);
    if (!el) return { gone: true };
    if (el.disabled || el.readOnly) return { disabled: true };
    el.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    el.focus();
    if ('value' in el) {
      if (el.value === '') return { empty: true };
      if (el.select) {
        el.select();
        // Dates, colours and the like have no selection.
        if (el.localName === 'input' && el.selectionStart === null && !['email', 'number'].includes(el.type)) {
          el.value = '';
          tell(el, ['input', 'change']);
          return { empty: true, set: true };
        }
      }
      return {};
    }
    if (!el.isContentEditable) return { not: true };
    if (el.textContent === '') return { empty: true };
    el.ownerDocument.getSelection().selectAllChildren(el);
    return {};
  };

  // Empties by force what a key could not.
  W.forceClear = (gen, i) => {
    const el = W.element(gen, i);
    if (!el) return false;
    if ('value' in el ? el.value === '' : el.textContent.trim() === '') return true;
    if ('value' in el) {
      const proto = el.localName === 'textarea' ? el.ownerDocument.defaultView.HTMLTextAreaElement : el.ownerDocument.defaultView.HTMLInputElement;
      Object.getOwnPropertyDescriptor(proto.prototype, 'value').set.call(el, '');
    } else el.textContent = '';
    tell(el, ['input', 'change']);
    return 'value' in el ? el.value === '' : el.textContent === '';
  };
})();
