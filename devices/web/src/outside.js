// Remembers which parts of a long page lie out of view, so that a look need not ask for each of their boxes again; runs
// in an isolated world beside activity.js and kinds.js, before elements.js.
//
// A part is a run of siblings with all that lies in them, some 150 elements. Its box is remembered beside those of its
// first and its last sibling: where these two have kept their sizes and their distance, it has moved as they have. That
// holds for what is laid out in the flow of the page; a part with anything that is placed otherwise is not remembered. What
// changes in a part, or among the attributes of what lies around it, is told by activity.js, and ends it.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.outside) return;
  const { SKIPPED } = W.kinds;
  // Elements that a look visits before parts are remembered at all.
  const LONG = 3000;
  // Elements of a part: it ends with the sibling that brings it there; siblings with more are divided themselves.
  const ENOUGH = 150, MOST = 1000, LEAST = 16;
  // Wider than any page, CSS px.
  const FAR = 1e7;
  // How long learning holds the page's thread at a time.
  const PIECE_MS = 4;
  // Running animations that are asked where they are.
  const ANIMATIONS = 200;
  // Times that learning may be in vain before it rests for as many looks as REST.
  const VAIN = 4, REST = 16;

  // One for all: each that there is has to be kept right by the browser.
  const range = document.createRange();
  const parts = new WeakMap();
  const changed = new WeakMap();
  let clock = 1, ready = false, learning = false, vain = 0, looks = 0;
  // The clock when all of the page may have changed.
  let since = 0;
  let surroundings = '';

  const parentOf = (el) => el.parentElement || (el.parentNode && el.parentNode.host) || null;
  // Ends the part that an element lies in.
  const end = (el) => {
    for (let at = el; at; at = parentOf(at)) {
      const part = parts.get(at);
      if (part) { part.ended = true; return; }
    }
  };
  const beside = (node, step) => {
    while (node && node.nodeType !== 1) node = node[step];
    return node;
  };

  // What a mutation observer saw.
  const heed = (records) => {
    if (!ready) return;
    clock++;
    for (const { type, target, addedNodes, removedNodes, previousSibling, nextSibling } of records) {
      const el = target.nodeType === 1 ? target : target.parentElement || target.host;
      if (!el) { since = clock; continue; }
      end(el);
      if (type === 'attributes') changed.set(parentOf(el) || el, clock);
      if (type !== 'childList') continue;
      for (const node of [beside(previousSibling, 'previousSibling'), beside(nextSibling, 'nextSibling'), ...addedNodes, ...removedNodes]) {
        const part = node && parts.get(node);
        if (part) part.ended = true;
      }
    }
  };
  const all = () => { since = ++clock; };
  addEventListener('hashchange', all);
  document.addEventListener('fullscreenchange', all, true);

  // What a page's layout depends on and no record tells.
  const around = () => {
    let rules = 0;
    for (const sheet of document.styleSheets) {
      try { rules += sheet.disabled ? 0 : sheet.cssRules.length; } catch { rules++; }
    }
    return [innerWidth, innerHeight, devicePixelRatio, document.styleSheets.length, document.adoptedStyleSheets.length, rules].join();
  };

  // Whether a rule may ask what is ticked. What cannot be read may.
  const MANY_RULES = 20000;
  const asksTicked = () => {
    let left = MANY_RULES;
    const asks = (rules) => {
      for (const rule of rules) {
        if (--left < 0 || (rule.selectorText && rule.selectorText.includes(':checked'))) return true;
        if (rule.cssRules && asks(rule.cssRules)) return true;
      }
      return false;
    };
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
      try { if (asks(sheet.cssRules)) return true; } catch { return true; }
    }
    return false;
  };
  let asked = false, ofTicked = '';
  document.addEventListener('change', ({ target }) => {
    if (!ready || !(target.checked !== undefined || target.localName === 'select')) return;
    const now = around();
    if (ofTicked !== now) asked = asksTicked();
    ofTicked = now;
    if (asked) all();
  }, true);

  // A look begins: since when the page has to have kept still, or -1 where nothing is remembered.
  const begin = () => {
    looks++;
    if (!ready) return -1;
    const now = around();
    if (now !== surroundings) all();
    surroundings = now;
    let running = 0;
    for (const animation of document.getAnimations()) {
      if (animation.playState !== 'running') continue;
      if (++running > ANIMATIONS) return -1;
      if (animation.effect && animation.effect.target) end(animation.effect.target);
    }
    return since;
  };

  // Since when what lies in `el` has to have kept still.
  const inside = (level, el) => Math.max(level.since, changed.get(el) || 0);

  const like = (a, b) => Math.abs(a - b) < 0.5;
  // The part that begins with `el`, where all of it is out of view.
  const passed = (level, el) => {
    const part = parts.get(el);
    if (!part || part.first !== el || part.ended || part.time < level.since) return null;
    const a = part.from.getBoundingClientRect(), b = part.to === part.from ? a : part.to.getBoundingClientRect();
    if (!like(a.width, part.size[0]) || !like(a.height, part.size[1]) || !like(b.width, part.size[2]) || !like(b.height, part.size[3]) ||
        !like(b.left - a.left, part.apart[0]) || !like(b.top - a.top, part.apart[1])) {
      part.ended = true;
      return null;
    }
    const [x, y, w, h] = part.box, seen = W.meet([a.left + x, a.top + y, w, h], level.place.clip);
    return seen[2] > 0 && seen[3] > 0 ? null : part;
  };

  // Of what flows over columns any may come to stand elsewhere, while its first and its last keep their distance.
  const inColumns = ({ columnCount, columnWidth }) => columnCount !== 'auto' || columnWidth !== 'auto';

  // Measures a part; whether all in it is laid out by the flow.
  const measure = (part) => {
    let left = Infinity, top = Infinity, right = -Infinity, bottom = -Infinity;
    const add = (r) => {
      if (r.width + r.height <= 0) return;
      left = Math.min(left, r.left); top = Math.min(top, r.top);
      right = Math.max(right, r.right); bottom = Math.max(bottom, r.bottom);
    };
    let count = 0, wide = false;
    // `held`: lies in something positioned within the part; `within`: has a parent within it.
    const flows = (el, held, within) => {
      if (SKIPPED.has(el.localName)) return true;
      if (++count > 2 * MOST) return false;
      const style = getComputedStyle(el), { position } = style;
      if (position === 'fixed' || (position === 'absolute' && !held)) return false;
      if (position === 'sticky') {
        // Sticks to the side of a row, as columns of tables do: anywhere on its line. Else it keeps within its parent, but for
        // the cells and rows of tables.
        if (style.top === 'auto' && style.bottom === 'auto') wide = true;
        else if (!within || style.display.startsWith('table')) return false;
      }
      if (el.popover || inColumns(style)) return false;
      const box = el.getBoundingClientRect();
      add(box);
      if (box.width + box.height <= 0 && style.display === 'none') return true;
      if (!within && box.width > 0 && box.height > 0) {
        part.from ??= el;
        part.to = el;
      }
      const holds = held || position !== 'static';
      const shadow = W.rootOf(el);
      if (shadow) {
        W.watch(shadow);
        range.selectNodeContents(shadow);
        add(range.getBoundingClientRect());
        for (let kid = shadow.firstElementChild; kid; kid = kid.nextElementSibling) if (!flows(kid, holds, true)) return false;
      }
      let words = false;
      for (let kid = el.firstChild; kid; kid = kid.nextSibling) {
        if (kid.nodeType === 3) words ||= /\S/.test(kid.data);
        else if (kid.nodeType === 1 && !flows(kid, holds, true)) return false;
      }
      // Words can be longer than what they stand in.
      if (words) {
        range.selectNodeContents(el);
        add(range.getBoundingClientRect());
      }
      return true;
    };
    for (let node = part.first; ; node = node.nextSibling) {
      if (!node || (node.nodeType === 1 && !flows(node, false, false))) return false;
      if (node.nodeType === 3 && /\S/.test(node.data)) {
        range.selectNodeContents(node);
        add(range.getBoundingClientRect());
      }
      if (node === part.last) break;
    }
    if (!part.from) return false;
    const a = part.from.getBoundingClientRect(), b = part.to.getBoundingClientRect();
    part.size = [a.width, a.height, b.width, b.height];
    part.apart = [b.left - a.left, b.top - a.top];
    part.box = wide ? [-FAR, top - a.top, 2 * FAR, bottom - top] : [left - a.left, top - a.top, right - left, bottom - top];
    return true;
  };

  const make = (first, last, count) => {
    if (count < LEAST) return;
    const part = { first, last, time: clock, ended: false, from: null, to: null, size: null, apart: null, box: null };
    for (let el = first; ; el = el.nextElementSibling) {
      parts.set(el, part);
      if (el === last) break;
    }
    if (!measure(part)) part.ended = true;
  };

  // Divides a page into parts, a piece at a time.
  const divide = function* () {
    const stack = [{ next: document.documentElement, time: since, columns: false }];
    while (stack.length) {
      const level = stack[stack.length - 1];
      let first = null, last = null, count = 0;
      const close = () => {
        if (first && !level.columns) make(first, last, count);
        first = last = null;
        count = 0;
      };
      let deeper = null;
      for (let el = level.next; el && !deeper; el = level.next) {
        const known = parts.get(el);
        if (known && known.first === el && !known.ended && known.time >= level.time && known.last.parentNode === el.parentNode) {
          close();
          level.next = known.last.nextElementSibling;
          yield;
          continue;
        }
        level.next = el.nextElementSibling;
        const shadow = W.rootOf(el);
        const size = 1 + el.querySelectorAll('*').length + (shadow ? shadow.querySelectorAll('*').length : 0);
        if (size > MOST) {
          close();
          deeper = el;
        } else {
          first ??= el;
          last = el;
          count += size;
          if (count >= ENOUGH) { close(); yield; if (level.next && !level.next.isConnected) level.next = null; }
        }
      }
      close();
      if (deeper) stack.push({ next: (W.rootOf(deeper) || deeper).firstElementChild, time: Math.max(level.time, changed.get(deeper) || 0),
        columns: level.columns || inColumns(getComputedStyle(deeper)) });
      else stack.pop();
      yield;
    }
  };

  const pause = () => globalThis.scheduler && scheduler.postTask ? scheduler.postTask(() => {})
    : new Promise((done) => setTimeout(done, 0));

  // After a look that visited so many elements: makes the next one shorter.
  const learn = async (visited) => {
    if (visited < LONG) { vain = 0; return; }
    if (learning) return;
    if (ready && ++vain > VAIN && looks % REST) return;
    learning = true;
    try {
      if (!ready) surroundings = around();
      // Each part helps from when it is known: on a page that is looked at again and again there is little time to learn.
      ready = true;
      const work = divide();
      for (let done = false; !done;) {
        await pause();
        const until = performance.now() + PIECE_MS;
        while (!done && performance.now() < until) done = work.next().done;
      }
    } finally {
      learning = false;
    }
  };

  W.outside = { heed, begin, inside, passed, learn, learns: () => learning };
})();
