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
  const touched = (el, listeners) => some(presses, listeners) || (some(hovers, listeners) && opens(el));
  const whether = answers((el) => hears(el, touched));
  const pressed = answers((el) => hears(el, (_, listeners) => some(presses, listeners)));
  const kids = answers((el) => {
    for (let kid = el.firstElementChild; kid; kid = kid.nextElementSibling) if (hears(kid, touched)) return true;
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
  };
  attach();
  // A document that is written anew (document.open) loses its listeners, but not those of this.
  apply(addEventListener, performance, [name, (event) => {
    attach();
    apply(preventDefault, event, []);
  }]);
})();
