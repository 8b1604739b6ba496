// What scripts/reach asks of a page, in its own world with the console's helpers.
var reach = (() => {
  const listenersOf = getEventListeners;
  const PRESS = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'touchend', 'dblclick'];
  const ROLES = new Set('button link tab menuitem menuitemcheckbox menuitemradio checkbox radio switch option treeitem slider combobox textbox searchbox spinbutton'.split(' '));
  const SEEN = { visibilityProperty: true, opacityProperty: true };
  const STEP = 6, closed = new Map(), asked = [];
  const rootOf = (el) => el.shadowRoot || closed.get(el);
  const docOf = (frame) => { try { return frame.contentDocument; } catch { return null; } };
  const everything = () => {
    const all = [];
    const visit = (root) => {
      for (const el of root.querySelectorAll('*')) {
        all.push(el);
        if (rootOf(el)) visit(rootOf(el));
        if (/^i?frame$/.test(el.localName) && docOf(el)) visit(docOf(el));
      }
    };
    visit(document);
    return all;
  };
  const slots = new Map();
  const over = (node) => slots.get(node) || node.parentElement || (node.getRootNode().host ?? null);
  // The innermost element at a point of the top page.
  const at = (x, y) => {
    let doc = document, el = doc.elementFromPoint(x, y);
    for (;;) {
      if (!el) return null;
      const root = rootOf(el);
      if (root) {
        const inner = root.elementFromPoint(x, y);
        if (inner && inner !== el) { el = inner; continue; }
        return el;
      }
      const inner = /^i?frame$/.test(el.localName) && docOf(el);
      if (!inner) return el;
      const box = el.getBoundingClientRect(), k = el.offsetWidth ? box.width / el.offsetWidth : 1, style = getComputedStyle(el);
      x = (x - box.left) / k - el.clientLeft - parseFloat(style.paddingLeft);
      y = (y - box.top) / k - el.clientTop - parseFloat(style.paddingTop);
      el = inner.elementFromPoint(x, y);
    }
  };
  const native = (el) => {
    const tag = el.localName;
    if ((tag === 'a' || tag === 'area') && el.hasAttribute('href')) return 'link';
    if (tag === 'button' || tag === 'select' || tag === 'textarea' || tag === 'summary') return tag;
    if (tag === 'input' && el.type !== 'hidden') return 'input';
    if ((tag === 'video' || tag === 'audio') && el.controls) return tag;
    if (el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable)) return 'editable';
    return '';
  };
  const listens = (el, names) => { const all = listenersOf(el); return names.some((name) => all[name] && all[name].length); };
  const sizeOf = (el) => { const box = el.getBoundingClientRect(); return box.width * box.height; };
  const whyOf = (el, drags) => {
    if (el.localName === 'html' || el.localName === 'body' || el.closest('[inert]')) return '';
    if (el.localName === 'label') return el.control && !el.control.disabled ? 'label' : '';
    if (native(el)) return native(el);
    const view = innerWidth * innerHeight, role = (el.getAttribute('role') || '').trim().split(/\s+/)[0];
    if (el.draggable && el.localName !== 'img') return 'draggable';
    if (sizeOf(el) > view / 4) return '';
    if (listens(el, PRESS)) return 'listener';
    const up = el.parentElement, cursor = getComputedStyle(el).cursor;
    if (/^(pointer|grab|move)$/.test(cursor) && (!up || getComputedStyle(up).cursor !== cursor)) return 'pointer';
    if (delegated.has(el)) return 'delegated';
    if (ROLES.has(role) && el.tabIndex >= 0) return 'role';
    if (drags && listens(el, ['drop'])) return 'drop';
    return el.hasAttribute('tabindex') && el.tabIndex >= 0 ? 'focus' : '';
  };
  // What a box or the whole page listens for: by the selectors that jQuery knows, or that the listener asks for.
  const delegated = new Set();
  const noteDelegated = (all) => {
    const add = (root, selector) => { try { for (const el of root.querySelectorAll(selector)) delegated.add(el); } catch {} };
    for (const root of [window, document, ...all]) {
      const inside = root === window ? document : root, jq = window.jQuery && window.jQuery._data && window.jQuery._data(root, 'events');
      for (const name of PRESS) {
        for (const { listener } of listenersOf(root)[name] || []) {
          for (const found of String(listener).matchAll(/(?<![!\w.$])[\w.$?]+\.(?:closest|matches)\(['"`]([^'"`]+)['"`]\)/g)) add(inside, found[1]);
        }
        for (const handler of (jq && jq[name]) || []) if (handler.selector) add(inside, handler.selector);
      }
    }
  };
  const disabled = (el) => el.matches(':disabled') || el.getAttribute('aria-disabled') === 'true';

  // Elements that some rule for the pointer may open.
  const candidates = () => {
    const visit = (rules) => {
      for (const rule of rules) {
        if (rule.cssRules && !rule.selectorText) visit(rule.cssRules);
        for (const one of (rule.selectorText || '').split(',')) {
          const cut = one.indexOf(':hover');
          if (cut < 1 || !/^:hover[^\s>+~]*[\s>+~]+\S/.test(one.slice(cut))) continue;
          try { for (const el of [...document.querySelectorAll(one.slice(0, cut))].slice(0, 20)) if (!asked.includes(el) && asked.length < 60) asked.push(el); } catch {}
        }
      }
    };
    for (const sheet of document.styleSheets) { try { visit(sheet.cssRules); } catch {} }
    return asked.length;
  };
  const CONTROLS = 'a[href],button,input,select,textarea,li,[role],[onclick],[tabindex]';
  const shownIn = (i) => {
    const box = asked[i].parentElement || asked[i];
    return [...box.querySelectorAll(CONTROLS)].filter((el) => el.checkVisibility(SEEN) && el.getBoundingClientRect().height > 1).length;
  };

  const textIn = (el) => {
    const inner = rootOf(el), kids = el.localName === 'slot' && el.assignedNodes().length ? el.assignedNodes() : (inner || el).childNodes;
    let out = '';
    for (const kid of kids) {
      if (kid.nodeType === 3) out += ` ${kid.data}`;
      else if (kid.nodeType === 1 && !/^(script|style|select|textarea|template)$/.test(kid.localName)) {
        if (getComputedStyle(kid).display !== 'none' && getComputedStyle(kid).visibility === 'visible') out += ` ${textIn(kid)}`;
        out += ['aria-label', 'alt', 'title'].map((name) => ` ${kid.getAttribute(name) || ''}`).join('');
      }
    }
    return out;
  };
  const wordsOf = (el) => {
    const ids = (el.getAttribute('aria-labelledby') || '').split(/\s+/).map((id) => id && el.getRootNode().getElementById(id));
    const parts = [...ids, ...(el.labels || [])].filter(Boolean).map(textIn);
    for (const name of ['aria-label', 'title', 'alt', 'placeholder']) parts.push(el.getAttribute(name) || '');
    if (el.localName === 'input' && /^(submit|button|reset)$/.test(el.type)) parts.push(el.value);
    if (el.localName !== 'select' && el.localName !== 'textarea') parts.push(textIn(el));
    return parts.join(' ').replace(/\s+/g, ' ').trim();
  };

  const measure = (points, hovers) => {
    const all = everything();
    for (const slot of all) if (slot.localName === 'slot') for (const node of slot.assignedNodes()) slots.set(node, slot);
    const drags = all.some((el) => el.draggable && el.localName !== 'a' && el.localName !== 'img');
    const why = new Map();
    noteDelegated(all);
    for (const el of all) { const reason = whyOf(el, drags); if (reason) why.set(el, reason); }
    for (const i of hovers) if (!why.has(asked[i])) why.set(asked[i], 'hover');
    const inner = new Map();
    for (const el of why.keys()) for (let box = over(el); box; box = over(box)) if (why.has(box)) inner.set(box, [...(inner.get(box) || []), el]);
    // What an element is a part of, or stands for.
    const meant = (el) => {
      if (el.localName === 'label') return el.control;
      for (let box = over(el); box; box = over(box)) if (why.has(box) && /^(button|link|summary)$/.test(why.get(box)) && !native(el)) return box;
      const kids = inner.get(el) || [], reason = why.get(el);
      if (kids.length && /^(listener|pointer|role|focus|delegated)$/.test(reason)) {
        if (kids.length === 1 && textIn(el).replace(/\s+/g, '') === textIn(kids[0]).replace(/\s+/g, '')) return meant(kids[0]);
        // A box that listens for what lies in it.
        if (/listener|focus|delegated/.test(reason) && getComputedStyle(el).cursor !== 'pointer') return null;
      }
      return el;
    };
    const climb = (x, y) => {
      for (let el = at(x, y); el; el = over(el)) if (why.has(el)) return el;
      return null;
    };
    const found = new Map(), things = [];
    for (let y = STEP / 2; y < innerHeight; y += STEP) {
      for (let x = STEP / 2; x < innerWidth; x += STEP) {
        const raw = climb(x, y), el = raw && meant(raw);
        if (!el || disabled(el) || !(raw.checkVisibility(SEEN) || /^(input|select|textarea|label)$/.test(raw.localName) || raw.localName === 'area' || getComputedStyle(raw).display === 'contents')) continue;
        if (found.has(el)) { things[found.get(el)].points++; continue; }
        found.set(el, things.length);
        things.push({ why: why.get(el) || why.get(raw), tag: el.localName, words: wordsOf(el).slice(0, 300), point: [x, y], points: 1 });
      }
    }
    const told = points.map(([x, y]) => {
      const top = at(x, y), raw = climb(x, y), el = raw && meant(raw), here = [];
      // What holds the drop or the hover lies around what is pressed.
      for (let box = raw; box; box = over(box)) if (box === raw ? found.has(el) : /^(drop|hover|draggable)$/.test(why.get(box)) && found.has(box)) here.push(found.get(box === raw ? el : box));
      let scrolls = false;
      for (let box = top; box; box = over(box)) scrolls ||= box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
      return { things: here, reacts: !!raw || (!!top && top.localName === 'canvas'), scrolls, on: top ? `<${top.localName}> "${(top.textContent || '').trim().slice(0, 30)}"` : 'nothing' };
    });
    return { things, at: told };
  };
  return { closed, asked, candidates, shownIn, measure };
})();
