// Runs in an isolated world of every frame from its start: counts what changes, so that settling and
// effects need no polling. Nothing here can be seen or reached by the page.
(() => {
  if (globalThis.__waldo) return;
  const W = (globalThis.__waldo = {});

  // A caret that blinks would make two pictures of one state differ. Where the page sets its own sheets
  // the caret blinks again; nothing else depends on it.
  try {
    const still = new CSSStyleSheet();
    still.replaceSync(':root { caret-animation: manual }');
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  } catch {}

  // Documents and workers of data: and blob: addresses never reach the proxy: a policy of the document
  // itself refuses them. It holds from when the element is inserted, and stays when it goes.
  const POLICY = 'frame-src http: https:; worker-src http: https:; object-src http: https:';
  const refused = (W.refused = new Set());
  (() => {
    const html = 'http://www.w3.org/1999/xhtml';
    const meta = document.createElementNS(html, 'meta');
    meta.httpEquiv = 'Content-Security-Policy';
    meta.content = POLICY;
    if (document.head) {
      document.head.append(meta);
      meta.remove();
    } else {
      const head = document.createElementNS(html, 'head');
      head.append(meta);
      if (document.documentElement) {
        document.documentElement.prepend(head);
        head.remove();
      } else {
        const root = document.createElementNS(html, 'html');
        root.append(head);
        document.append(root);
        root.remove();
      }
    }
    document.addEventListener('securitypolicyviolation', (event) => {
      if (event.originalPolicy === POLICY) {
        // A data: address is reported as an empty one.
        refused.add(`${event.blockedURI.split(':')[0] || 'data'}:`);
      }
    }, true);
  })();

  // content, value, focus, scroll, selection, other
  const counts = [0, 0, 0, 0, 0, 0];
  const wakers = new Set();
  let last = performance.now();
  const note = (kind) => {
    counts[kind]++;
    if (kind !== 4) last = performance.now();
    for (const wake of wakers) wake();
  };
  // What changes without end (a counter, a spinner that a script draws) is told from what an action brings: a node's
  // text, one of its attributes or what is replaced in it, changed at 10 Hz or more through a whole wait in vain.
  // Afterwards its changes count no more, until it has rested for a while.
  const PRESSED = 'a,button,input,select,textarea,summary,label,[role],[onclick],[tabindex],[contenteditable]';
  const OFTEN = 100, RESTED = 1000, LONG_ENOUGH = 500;
  const restless = new WeakMap();
  let heard = null;
  const partOf = ({ type, target, attributeName, addedNodes, removedNodes }) => {
    if (type === 'attributes') return attributeName;
    if (type === 'characterData') return 'text';
    const texts = (nodes) => Array.prototype.every.call(nodes, (node) => node.nodeType === 3);
    if (texts(addedNodes) && texts(removedNodes)) return 'text';
    // What is put in the place of another; a document's body gets dialogs.
    return addedNodes.length === removedNodes.length && target.localName !== 'body' && target.localName !== 'html' ? 'inside' : null;
  };
  const isNews = (record, now) => {
    const part = partOf(record);
    if (!part) return true;
    const node = record.type === 'characterData' ? record.target.parentNode || record.target : record.target;
    const parts = restless.get(node), at = parts && parts.get(part);
    if (at !== undefined) {
      if (now - at < RESTED) { parts.set(part, now); return false; }
      parts.delete(part);
    }
    if (heard) {
      let known = heard.get(node);
      if (!known) heard.set(node, (known = new Map()));
      const times = known.get(part);
      if (!times) known.set(part, { count: 1, first: now, last: now });
      else if (now > times.last) { times.count++; times.last = now; }
    }
    return true;
  };
  // Begins a wait; ends one that was in vain and had `ms`, or (with 0) one that was not.
  W.listen = () => { heard = new Map(); };
  W.learn = (ms) => {
    const now = performance.now();
    for (const [node, known] of ms >= LONG_ENOUGH && heard ? heard : []) {
      for (const [part, { count, first, last }] of known) {
        if (count * OFTEN < ms || last - first < ms * 0.75 || now - last > 4 * OFTEN) continue;
        // What can be pressed may move with it: where it is then has to be asked again and again.
        if (part !== 'text' && node.nodeType === 1 && (node.matches(PRESSED) || node.querySelector(PRESSED))) continue;
        if (!restless.has(node)) restless.set(node, new Map());
        restless.get(node).set(part, now);
      }
    }
    heard = null;
  };
  const observer = new MutationObserver((records) => {
    const now = performance.now();
    // All are looked at: each may be one that changes without end.
    let news = 0;
    for (const record of records) if (isNews(record, now)) news++;
    if (W.outside) W.outside.heed(records);
    if (news) note(0);
  });
  const watched = new WeakSet();
  W.watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    const on = (kind, names) => {
      for (const name of names) root.addEventListener(name, () => note(kind), { capture: true, passive: true });
    };
    on(1, ['input', 'change']);
    on(2, ['focusin', 'focusout']);
    on(3, ['scroll']);
    on(4, ['selectionchange', 'select']);
    on(5, ['submit', 'toggle', 'fullscreenchange', 'play', 'pause', 'close', 'cancel']);
  };
  W.watch(document);
  addEventListener('hashchange', () => note(5));

  // Worlds of frames of the same origin, this one first.
  const worlds = () => {
    const all = [];
    const visit = (win) => {
      let lib;
      try { lib = win.__waldo; } catch { return; }
      if (!lib || !lib.own) return;
      all.push(lib);
      for (let i = 0; i < win.frames.length; i++) visit(win.frames[i]);
    };
    visit(window);
    return all;
  };
  W.documents = () => worlds().map((lib) => lib.document);
  W.document = document;
  W.own = () => ({ counts, last, moving: W.moving() });
  W.wakers = wakers;

  // Whether the page shows anything, as far as that is known without a picture.
  W.shows = () => !!document.body && (/\S/.test(document.body.innerText) || !!document.querySelector('img,svg,canvas,video,iframe,object,embed'));

  // Finite animations that run now; endless ones are the page's own business.
  W.moving = () => {
    try {
      return document.getAnimations().some((a) => {
        if (a.playState !== 'running') return false;
        const end = a.effect && a.effect.getComputedTiming().endTime;
        return Number.isFinite(Number(end));
      });
    } catch { return false; }
  };

  W.moves = () => worlds().some((world) => world.own().moving);

  const total = () => {
    const sum = [0, 0, 0, 0, 0, 0];
    for (const world of worlds()) world.own().counts.forEach((n, i) => (sum[i] += n));
    return sum;
  };
  W.mark = () => total();

  const state = () => total().filter((_, i) => i !== 4).join();
  // How many frames were drawn in a row without a change, as far as somebody waited for them, and the state that they showed.
  let unchanged = 0, shown = '', since = 0;
  const compare = (drawn) => {
    const now = state();
    unchanged = now === shown ? unchanged + drawn : 0;
    if (now !== shown) since = performance.now();
    shown = now;
  };
  const frame = async () => {
    await new Promise((done) => {
      const timer = setTimeout(done, 50);
      requestAnimationFrame(() => { clearTimeout(timer); done(); });
    });
    compare(1);
  };
  const nap = (ms) => new Promise((done) => setTimeout(done, ms));

  // Resolves once nothing has moved for `still` ms and two frames were drawn: with 2 when nothing has changed
  // since it was asked, else 1; with 0 after `bound` ms. What then has moved all the time is not waited for again.
  W.quiet = async (still, bound) => {
    for (const world of worlds()) world.listen();
    const came = await rests(still, bound);
    for (const world of worlds()) world.learn(came ? 0 : bound);
    return came;
  };
  const rests = async (still, bound) => {
    const end = performance.now() + bound;
    const first = state();
    // Frames from before count where nothing has changed since.
    for (compare(0); ; ) {
      while (unchanged < 2 && performance.now() <= end) await frame();
      const now = performance.now();
      // Other worlds have clocks of their own: of their changes it is known when they were seen here.
      let rest = still - (now - Math.max(last, since));
      if (W.moves()) rest = Math.max(rest, 8);
      if (unchanged >= 2 && rest <= 0) return first === shown ? 2 : 1;
      if (now + Math.max(rest, 0) > end) return 0;
      await nap(rest);
      compare(0);
    }
  };

  // Which kinds changed since `before`; waits up to `bound` ms for the first of those not in `ignore`, and then until
  // a frame passes without another kind: one change brings the next, and which of them is seen first is chance.
  W.changed = async (before, bound, ignore) => {
    const diff = () => {
      const now = total();
      return now.map((n, i) => i).filter((i) => now[i] !== before[i] && !ignore.includes(i));
    };
    if (bound <= 0) return diff();
    const end = performance.now() + bound;
    if (!diff().length) {
      const all = worlds();
      await new Promise((done) => {
        const finish = () => {
          if (!diff().length && performance.now() < end) return;
          clearTimeout(timer);
          for (const world of all) world.wakers.delete(finish);
          done();
        };
        const timer = setTimeout(finish, bound + 1);
        for (const world of all) world.wakers.add(finish);
      });
    }
    // Frames that are drawn from here on show the change.
    compare(0);
    for (let found = diff(); ; ) {
      if (!found.length) return found;
      await frame();
      const more = diff();
      if (more.length === found.length || performance.now() >= end) return more;
      found = more;
    }
  };
})();
