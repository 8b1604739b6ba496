// Runs in the page's own world of every frame, before its scripts, with the console's helpers. It answers whether an
// element listens: kinds.js sends the element an event of a name that no page knows, and the answer is that its
// default is prevented. The event ends at the window, so that no script of the page sees it, and nothing is left
// in the page that its scripts could read. Only a hint: a page that lies here changes nothing but what is listed.
(() => {
  if (typeof getEventListeners !== 'function') return;
  const listenersOf = getEventListeners, name = '__LISTENS__', root = window;
  // Pages replace what they like; these are the browser's own.
  const { apply } = Reflect;
  const { preventDefault, stopImmediatePropagation, composedPath } = Event.prototype;
  const { addEventListener } = EventTarget.prototype;
  const presses = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'dblclick'];
  const drops = ['drop', 'dragover', 'dragenter'];
  const hovers = ['mouseenter', 'mouseover', 'pointerenter', 'pointerover'];
  const some = (kinds, listeners) => {
    for (let i = 0; i < kinds.length; i++) if (kinds[i] in listeners) return true;
    return false;
  };
  // Rows that only light up listen too. What opens holds something that is not shown yet, as its own child: the
  // menu and not the bar of menus.
  const shown = { visibilityProperty: true, opacityProperty: true };
  const unseen = ['script', 'style', 'template', 'noscript', 'br', 'link', 'meta'];
  const opens = (el) => {
    for (let kid = el.firstElementChild; kid; kid = kid.nextElementSibling) {
      if (!unseen.includes(kid.localName) && kid.textContent.trim() && !kid.checkVisibility(shown)) return true;
    }
    return false;
  };
  // What listens for everything serves what lies inside.
  const MOST = 12;
  const hears = (el, found) => {
    const listeners = listenersOf(el);
    let kinds = 0;
    for (const _ in listeners) kinds++;
    return kinds > 0 && kinds <= MOST && found(el, listeners);
  };
  const answers = (found) => (event) => {
    const el = apply(composedPath, event, [])[0];
    apply(stopImmediatePropagation, event, []);
    if (found(el)) apply(preventDefault, event, []);
  };
  // Boxes that hear for what lies in them say which it is: in the selectors that jQuery was given, or in words of the
  // listener itself. Frameworks keep beside the element what they call for it.
  const { matches, querySelector } = Element.prototype, { toString } = Function.prototype;
  const { now } = Performance.prototype, { keys } = Object;
  const asks = /(!?)\s*[\w$.?]+\.(?:closest|matches)\(\s*(['"`])([^'"`]{1,200})\2\s*\)/g;
  const controls = 'a,button,input,select,textarea,[onclick]';
  const sources = new WeakMap(), selectors = new WeakMap();
  const namedBy = (listener) => {
    if (typeof listener !== 'function') return [];
    let found = sources.get(listener);
    if (!found) {
      found = [];
      const source = apply(toString, listener, []).slice(0, 20000);
      if (/closest|matches/.test(source)) {
        for (const match of source.matchAll(asks)) if (!match[1] && found.length < 8) found.push({ selector: match[3], whole: true });
      }
      sources.set(listener, found);
    }
    return found;
  };
  const SHORT = 200;
  const selectorsOf = (node) => {
    const time = apply(now, performance, []);
    let known = selectors.get(node);
    if (known && time - known.time < SHORT) return known.all;
    known = { time, all: [] };
    selectors.set(node, known);
    const listeners = listenersOf(node);
    for (const kind of presses) for (const { listener } of listeners[kind] || []) known.all.push(...namedBy(listener));
    for (const key of keys(node)) {
      if (!key.startsWith('jQuery')) continue;
      const data = typeof node[key] === 'object' ? node[key] : root.jQuery && root.jQuery.cache && root.jQuery.cache[node[key]];
      for (const kind of presses) {
        for (const { selector } of (data && data.events && data.events[kind]) || []) if (selector) known.all.push({ selector, whole: false });
      }
    }
    return known.all;
  };
  const meant = (el) => {
    for (let at = el.parentNode; at; at = at.parentNode || at.host) {
      for (const { selector, whole } of at === root.document ? [...selectorsOf(at), ...selectorsOf(root)] : selectorsOf(at)) {
        if (apply(matches, el, [selector]) && !(whole && apply(querySelector, el, [controls]))) return true;
      }
    }
    return false;
  };
  const calls = ['onClick', 'onMouseDown', 'onMouseUp', 'onPointerDown', 'onPointerUp', 'onTouchStart', 'onDoubleClick'];
  const kept = (el) => {
    for (const key of keys(el)) {
      if (key === '$$click' || key === '__click') return true;
      const props = key.startsWith('__reactProps$') && el[key];
      if (props) return calls.some((name) => typeof props[name] === 'function');
    }
    return false;
  };
  const served = (el) => {
    try { return kept(el) || meant(el); } catch { return false; }
  };
  const opened = (el, listeners) => some(hovers, listeners) && opens(el);
  const touched = (el, listeners) => some(presses, listeners) || opened(el, listeners);
  const reacts = (el) => hears(el, touched) || served(el);
  const whether = answers(reacts);
  const pressed = answers((el) => hears(el, (_, listeners) => some(presses, listeners)));
  const kids = answers((el) => {
    for (let kid = el.firstElementChild; kid; kid = kid.nextElementSibling) if (reacts(kid)) return true;
    return false;
  });
  const turns = [...presses, 'input', 'change', 'blur', 'focusout'];
  const turned = (event) => {
    const path = apply(composedPath, event, []);
    apply(stopImmediatePropagation, event, []);
    for (let i = 0; i < path.length; i++) if (some(turns, listenersOf(path[i]))) return apply(preventDefault, event, []);
  };
  const attach = () => {
    apply(addEventListener, root, [`${name}-turns`, turned, true]);
    apply(addEventListener, root, [name, whether, true]);
    apply(addEventListener, root, [`${name}-press`, pressed, true]);
    apply(addEventListener, root, [`${name}-kids`, kids, true]);
    apply(addEventListener, root, [`${name}-opens`, answers((el) => hears(el, opened)), true]);
    apply(addEventListener, root, [`${name}-drop`, answers((el) => hears(el, (_, listeners) => some(drops, listeners))), true]);
  };
  attach();
  // A document that is written anew (document.open) loses its listeners, but not those of this.
  apply(addEventListener, performance, [name, (event) => {
    attach();
    apply(preventDefault, event, []);
  }]);
})();
