// What style sheets show only under a pointer: menus and buttons of which nothing tells before; runs in an isolated
// world after names.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.hover) return;
  const SHOWS = ['display', 'visibility', 'opacity', 'max-height', 'height', 'width', 'max-width', 'transform', 'scale', 'clip-path',
    'left', 'right', 'top', 'inset', 'grid-template-rows', 'pointer-events'];
  // What a rule changes where it only lights something up.
  const LIGHTS = ['background', 'background-color', 'color', 'fill', 'opacity', 'box-shadow', 'border-color', 'filter'];
  const TOUCHED = 'a,button,input,select,textarea,li,[role],[onclick],[tabindex]';
  // Rules of a page that are read, those of them that are asked, and elements that one of them may mean.
  const RULES = 20000, ASKED = 60, MEANT = 200;
  const SEEN = { visibilityProperty: true, opacityProperty: true };

  // The parts of a list of selectors.
  const parts = (text) => {
    const all = [];
    let depth = 0, from = 0;
    for (let at = 0; at < text.length; at++) {
      if (text[at] === '(' || text[at] === '[') depth++;
      else if (text[at] === ')' || text[at] === ']') depth--;
      else if (text[at] === ',' && !depth) { all.push(text.slice(from, at)); from = at + 1; }
    }
    return [...all, text.slice(from)].map((part) => part.trim());
  };
  // What the pointer has to be over, and what is shown then; null where that is the same.
  const split = (selector) => {
    const hover = selector.lastIndexOf(':hover');
    let depth = 0, end = -1;
    for (let at = 0; at < selector.length && end < 0; at++) {
      if (selector[at] === '(' || selector[at] === '[') depth++;
      else if (selector[at] === ')' || selector[at] === ']') depth--;
      else if (at >= hover && !depth && /[\s>+~]/.test(selector[at])) end = at;
      if (at === hover && depth) return null;
    }
    if (hover < 0 || end < 0) return null;
    const bare = (text) => text.replace(/(^|[\s>+~]):hover/g, '$1*').replace(/:hover/g, '');
    const over = bare(selector.slice(0, end).trim());
    return { over, shown: over + selector.slice(end) };
  };

  let known = new WeakMap();
  const rulesOf = (doc) => {
    const sheets = [...doc.styleSheets, ...doc.adoptedStyleSheets];
    let state = String(sheets.length);
    for (const sheet of sheets) {
      try { state += `,${sheet.disabled ? 0 : sheet.cssRules.length}`; } catch { state += ',?'; }
    }
    const before = known.get(doc);
    if (before && before.state === state) return before;
    const found = [], lit = [];
    let left = RULES;
    const read = (rules, parent) => {
      for (const rule of rules) {
        if (--left < 0 || (found.length >= ASKED && lit.length >= LIT)) return;
        let own = parent;
        if (rule.selectorText) {
          own = rule.selectorText.includes('&') ? rule.selectorText.replaceAll('&', `:is(${parent || '*'})`) : rule.selectorText;
          const sets = (name) => rule.style.getPropertyValue(name) !== '';
          const shows = own.includes(':hover') && SHOWS.some(sets), lights = own.includes(':hover') && LIGHTS.some(sets);
          for (const selector of shows || lights ? parts(own.replace(/:is\(([^(),]+)\)/g, '$1')) : []) {
            const both = split(selector);
            if (both && shows && found.length < ASKED) found.push(both);
            if (lights && lit.length < LIT && LIT_ITSELF.test(selector)) lit.push(selector.replace(/:hover/g, ''));
          }
        }
        if (rule.cssRules) read(rule.cssRules, own);
      }
    };
    for (const sheet of sheets) {
      try { if (!sheet.disabled) read(sheet.cssRules, ''); } catch { /* of another origin */ }
    }
    const valid = lit.filter((selector) => {
      try { return selector && doc.createDocumentFragment().querySelector(selector) === null; } catch { return false; }
    });
    const all = { state, found, lit: valid.join(',') };
    known.set(doc, all);
    return all;
  };
  // Selectors of what is lit up that are kept, and their form: names and classes, the last of which is under the pointer.
  const LIT = 300, LIT_ITSELF = /^[\w\-. >]*[\w-]:hover$/;
  // A selector of what is lit up by itself under the pointer; empty where nothing is.
  const lit = (doc) => rulesOf(doc).lit;

  // Elements that show others under the pointer, with those.
  const openers = (doc) => {
    const all = new Map();
    for (const { over, shown } of rulesOf(doc).found) {
      let meant;
      try { meant = doc.querySelectorAll(shown); } catch { continue; }
      let looked = 0;
      for (const el of meant) {
        if (++looked > MEANT) break;
        if (!el.matches(TOUCHED) && !el.querySelector(TOUCHED)) continue;
        let opener = el.parentElement && el.parentElement.closest(over);
        for (let at = el.previousElementSibling; at && !opener; at = at.previousElementSibling) if (at.matches(over)) opener = at;
        if (!opener || opener.localName === 'body' || opener.localName === 'html') continue;
        if (el.checkVisibility(SEEN) && !opener.matches(':hover') && getComputedStyle(el).pointerEvents !== 'none' && !isCut(el)) continue;
        if (all.has(opener)) all.get(opener).add(el); else all.set(opener, new Set([el]));
      }
    }
    return all;
  };
  // Menus are also hidden by their height.
  const isCut = (el) => {
    const box = el.getBoundingClientRect();
    return box.width < 2 || box.height < 2 || box.right < 0 || box.bottom < 0;
  };

  W.hover = { openers, lit };
})();
