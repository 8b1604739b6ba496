// Collects what can be touched, in document order; runs in an isolated world beside
// activity.js and names.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.collect) return;
  const SVG = 'http://www.w3.org/2000/svg';
  // Controls are often laid, invisible, over what pictures them; anything else that is invisible is not there.
  const SHOWN = { visibilityProperty: true };
  const SEEN = { visibilityProperty: true, opacityProperty: true };
  const { fold, kept, forget } = W.text;
  const { SKIPPED, classify, mayListen, heard, hears, isDropTarget, sift, isEditor } = W.kinds;
  const { topAt, meet, through, round } = W;
  const { up, area, hit, guess, testsOf } = W.spots;
  const { report, dropEcho } = W.report;
  let els = [];
  let generation = -1;
  let frames = new Map();
  let frameKeys = new WeakMap();
  let nextKey = 1;

  const deepActive = () => {
    let active = document.activeElement;
    for (;;) {
      const root = active && W.rootOf(active);
      if (root && root.activeElement) active = root.activeElement;
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
      roving: new Map(), delegates: new Map(), silent: new Map(), boxes: new Map(), labels: new Map(), reached: new Map(), texts: W.texts.begin(), visited: 0 };
    enter(job, document, 0, [0, 0], 1, screen, [], W.outside.begin());
    return job;
  };

  // Makes ready to visit a document; `since`: see outside.js, which knows this frame's own document only.
  const enter = (job, doc, frame, off, scale, clip, chain, since) => {
    const root = doc.documentElement;
    if (!root) return;
    const place = { doc, view: doc.defaultView, frame, off, scale, clip, chain, hears: hears(doc.defaultView), range: doc.createRange(),
      openers: W.hover.openers(doc), lit: W.hover.lit(doc), drops: doc.querySelector('[draggable=true]') !== null };
    job.stack.push({ place, el: null, next: root, list: null, clip, abs: clip, cursor: '', editable: doc.designMode === 'on',
      owner: null, block: null, shown: null, far: null, since });
  };

  const boxOf = (place, el) => {
    const r = el.getBoundingClientRect(), { off, scale } = place;
    return [off[0] + r.left * scale, off[1] + r.top * scale, r.width * scale, r.height * scale];
  };
  // The box of what a `display: contents` holds.
  const around = (place, el) => {
    place.range.selectNodeContents(W.rootOf(el) || el);
    return boxOf(place, place.range);
  };
  // What only opens something under the pointer, or only takes what is dropped.
  const nothing = (el) => ({ role: (el.getAttribute('role') || '').trim().split(/\s+/)[0].toLowerCase() || 'generic', click: false,
    edit: false, select: false, scroll: false, drag: false, upload: false, target: el, why: '' });

  // The parts of an image map lie on the picture that uses it.
  const visitMap = (job, level, img, box, clipping) => {
    const root = img.getRootNode(), name = img.useMap.replace(/^[^#]*#/, '');
    const map = Array.from(root.querySelectorAll('map')).find((map) => map.name === name || map.id === name);
    const k = img.offsetWidth ? box[2] / img.offsetWidth : 1;
    for (const el of map ? map.areas : []) {
      let kind = classify(job, level, el, 'area', false, '', '', '');
      if (!kind && level.place.hears) kind = heard(job, level.place, el, null, box);
      if (!kind || !kind.click) continue;
      const at = el.coords.split(/[\s,;]+/).map(Number);
      const xs = at.filter((_, i) => i % 2 === 0), ys = at.filter((_, i) => i % 2 === 1);
      const [left, top, right, bottom] = el.shape === 'default' || at.length < 3 ? [0, 0, img.clientWidth, img.clientHeight]
        : el.shape.startsWith('circ') ? [at[0] - at[2], at[1] - at[2], at[0] + at[2], at[1] + at[2]]
          : [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
      const inner = getComputedStyle(img), x = box[0] + (img.clientLeft + parseFloat(inner.paddingLeft)) * k;
      const y = box[1] + (img.clientTop + parseFloat(inner.paddingTop)) * k;
      keep(job, level, el, 'area', kind, meet([x + left * k, y + top * k, (right - left) * k, (bottom - top) * k], clipping), false);
    }
  };

  // The clip of a positioned element is that of its containing block.
  const clipOf = (level, position) =>
    position === 'fixed' ? level.place.clip : position === 'absolute' ? level.abs : level.clip;
  const keep = (job, level, el, tag, kind, rect, fixed) => {
    if (!area(rect)) return null;
    const item = { el, tag, kind, rect, place: level.place, owner: level.owner, fixed, loose: false, inner: false, presses: 0, serves: false, cells: false,
      drags: false, out: null };
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
    const shadow = W.rootOf(el);
    let leaf = !first && !shadow && tag !== 'slot';
    const bare = leaf && !el.firstChild;
    const box = boxOf(place, el);
    const inView = area(meet(box, place.clip));
    if (tag === 'button' || tag === 'input' || (tag === 'a' && el.hasAttribute('href')) || tag === 'select') {
      if (tag === 'select' && !(el.multiple || el.size > 1)) leaf = true;
      if (leaf && box[2] + box[3] > 0) {
        if (!inView || !near(job, level)) return;
        if (!el.checkVisibility(tag === 'input' || tag === 'select' ? SHOWN : SEEN)) return;
        const kind = classify(job, level, el, tag, false, '', '', '');
        if (!kind) return;
        if (place.openers.has(el)) kind.hover = true;
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
    const shadow = W.rootOf(el);
    if (shadow) {
      W.watch(shadow);
      next = shadow.firstChild;
    } else if (tag === 'slot') {
      const assigned = W.slotted(el);
      if (assigned.length) {
        list = assigned.values();
        next = list.next().value;
        since = -1;
      }
    }
    if (next) {
      job.stack.push({ place, el, next, list, clip: place.clip, abs: place.clip, cursor: '', editable: false, owner: null,
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
      // Documents of such addresses are refused (activity.js): that there is one is told all the same.
      const refused = /^(?:blob|data):/.exec(el.src);
      if (refused && W.isSeen(el, SEEN)) {
        keep(job, level, el, tag, { ...nothing(el), role: 'iframe', click: true, refused: refused[0] }, meet(box, clipOf(level, style.position)), false);
      } else if (style.visibility === 'visible') visitFrame(job, place, el, style, clipOf(level, style.position));
      return null;
    }
    // Inline boxes cut nothing off and do not scroll.
    const flat = display === 'inline';
    const ox = flat ? 'visible' : style.overflowX, oy = flat ? 'visible' : style.overflowY;
    const clips = ox !== 'visible' || oy !== 'visible';
    // As long as nothing cuts anything off, it does not matter how the element is placed.
    const position = clips || !isUncut(level) ? style.position : 'static';
    let clipping = clipOf(level, position);
    const { cursor } = style;
    if (display === 'contents' && tag !== 'slot') box = around(place, el);
    const size = box[2] * box[3], view = innerWidth * innerHeight;
    // What is inherited says nothing more; a map that can be moved is not a thing to move.
    const tells = cursor !== level.cursor && (cursor === 'pointer' || size < view / 8) ? cursor : '';
    let kind = classify(job, level, el, tag, clips, ox, oy, tells);
    const cuts = clips && tag !== 'html' && tag !== 'body' && el.namespaceURI !== SVG;
    if (style.pointerEvents === 'none') kind = null;
    else if ((!kind || !kind.click) && mayListen(level, el, tag)) {
      const seen = meet(box, clipping);
      if (area(seen)) kind = heard(job, place, el, kind, seen);
    }
    if (style.pointerEvents !== 'none' && tag !== 'html' && tag !== 'body') {
      if (place.openers.has(el) && size < view / 4) (kind ||= nothing(el)).hover = true;
      if (place.drops && size < view * 0.9 && place.hears && !(kind && kind.drag) && isDropTarget(el)) (kind ||= nothing(el)).drop = true;
    }
    if (tag === 'img' && el.useMap) visitMap(job, level, el, box, clipping);
    if (kind) {
      const typed = tag === 'input' || tag === 'select' || tag === 'textarea';
      if (!W.isSeen(el, typed ? SHOWN : SEEN)) kind = null;
    }
    const item = kind ? keep(job, level, el, tag, kind, meet(box, clipping), style.position === 'fixed') : null;
    if (item && display === 'contents') item.loose = true;
    if (bare || (leaf && kind && kind.click) || tag === 'select' || tag === 'textarea' || (kind && kind.edit && isEditor(el))) return null;
    if (cuts) {
      clipping = meet(clipping, box);
      // Nothing of the ordinary flow can be seen; only what is positioned elsewhere could be.
      if (!area(clipping) && position !== 'static') return null;
    }
    return { clip: clipping, abs: position !== 'static' ? clipping : level.abs, cursor,
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

  // Of several labels of a field that cannot be seen the one that lies where the field does stands for it.
  const keepLabel = (job, item) => {
    const { target } = item.kind, other = job.labels.get(target), [x, y, w, h] = boxOf(item.place, target);
    const far = ({ rect }) => Math.hypot(x + w / 2 - rect[0] - rect[2] / 2, y + h / 2 - rect[1] - rect[3] / 2);
    const [kept, left] = other && far(other) <= far(item) ? [other, item] : [item, other];
    job.labels.set(target, kept);
    if (left) left.kind.click = false;
  };
  // Whether a field that cannot be seen is told by its label already.
  const isPictured = (job, { el }) => {
    const label = job.labels.get(el);
    if (!label) return false;
    label.point ??= hit(job, label);
    return label.point !== null;
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
      W.order(found, frames);
      sift(found);
      for (const item of found) {
        if (!item.el) continue;
        job.known.set(item.el, item.kind);
        if (item.kind.target !== item.el) keepLabel(job, item);
      }
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
      const { click, drag, scroll, drop, hover } = item.kind;
      if (!click && !drag && !scroll && !drop && !hover) continue;
      if (isPictured(job, item)) continue;
      if (own.length >= job.cap) { job.truncated++; continue; }
      const point = item.point || (job.tested < testsOf(found) ? hit(job, item) : guess(job, job.at));
      if (!point) continue;
      const out = report(item, point, own.length, job.active);
      // A box without words of its own around what can be pressed.
      if (item.inner && !out.n && item.kind.why && !drag && !scroll && !drop && !hover) continue;
      own.push(item.kind.target);
      item.out = out;
      W.texts.before(job, item, out);
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
  W.near = near;
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

  // Elements of the documents that this world can look into, shadow trees included.
  const count = () => {
    let all = 0;
    const add = (root) => {
      for (const el of root.querySelectorAll('*')) {
        all++;
        const inner = W.rootOf(el);
        if (inner) add(inner);
      }
    };
    for (const doc of W.documents()) add(doc);
    return all;
  };
  // The browser counts `total`: whether that is more than is known of. What closed shadow trees hold is told by
  // `adopt`; the rest (markup in texts, frames of other origins) is remembered, so that it is asked about once.
  let beyond = 0;
  W.lacks = (total) => total - count() !== beyond;
  W.adopt = (root) => {
    if (W.closed.get(root.host) === root) return;
    W.closed.set(root.host, root);
    W.watch(root);
    W.own().counts[0]++;
  };
  W.adopted = (total) => { beyond = total - count(); };

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
