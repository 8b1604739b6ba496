// What is told of an element; runs in an isolated world after spots.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.report) return;
  const { cut, textOf, nameOf, valueOf, optionName } = W.text;
  const { HOLDERS, CELLS, listens } = W.kinds;

  const flag = (el, name) => {
    const v = el.getAttribute(name);
    return v === null || v === '' ? null : v === 'true' || v === 'mixed';
  };
  const round = (n) => Math.round(n * 100) / 100;

  const report = (item, point, i, active) => {
    const { el, tag, kind, rect } = item;
    const { target, role } = kind;
    const targetTag = target.localName;
    const out = { i, r: role, b: rect.map(round), h: point.map(round) };
    const name = isBox(item) ? nameOfBox(item, target, targetTag, role) : nameOf(target, targetTag, role, branches(item)) || (target !== el ? textOf(el) : '');
    if (name) out.n = name;
    if (kind.refused) out.n = `blocked: documents of ${kind.refused} addresses are not shown`;
    const value = valueOf(target, targetTag, role);
    if (value !== null) out.v = value;
    let a = 0;
    if (kind.click) a |= 1;
    if (kind.edit) a |= 2;
    if (kind.select) a |= 4;
    if (kind.scroll) a |= 8;
    if (kind.drag) a |= 16;
    if (kind.upload) a |= 32;
    if (kind.drop) a |= 64;
    if (kind.hover) a |= 128;
    out.a = a;
    // Most elements have no such attribute; one question answers ten.
    const aria = target.hasAttributes() && target.getAttributeNames().some((name) => name.startsWith('aria-'));
    let s = 0;
    if (target === active) s |= 1;
    if (kind.refused || target.matches(':disabled') || (aria && target.getAttribute('aria-disabled') === 'true')) s |= 2;
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

  // The items of a tree that lie in one of them are called for themselves.
  const branches = ({ el, tag, inner, kind }) =>
    inner && (tag === 'li' || kind.role === 'treeitem') ? new Set(el.querySelectorAll('[role=group],ul,ol')) : undefined;

  // What is not pressed is called by its own words; what takes things that are dropped, by the first of them.
  const WORDS = 60;
  const isBox = ({ kind, drags }) => kind.hover || kind.drop || (drags && kind.why === 'listener');
  const nameOfBox = ({ kind, place }, el, tag, role) => {
    if (kind.hover) return nameOf(el, tag, role, place.openers.get(el));
    if (kind.click && kind.role !== 'generic') return nameOf(el, tag, role);
    const label = el.getAttribute('aria-label') || el.getAttribute('title');
    const own = cut(Array.from(el.childNodes, (node) => node.nodeType === 3 ? node.data : '').join(' '));
    // The first thing that can be dragged out of it is not what it is called.
    const first = own || (el.firstElementChild && el.firstElementChild.getAttribute('draggable') === 'true') ? null : el.firstElementChild;
    const heading = label ? null : el.querySelector('h1,h2,h3,h4,h5,h6,[role=heading],header,legend') || first;
    const name = cut(label || '') || (heading && textOf(heading)) || own || textOf(el);
    return Array.from(name).slice(0, WORDS).join('');
  };

  // A box that is called as the one thing to press in it, or that holds nothing but that and does not listen itself, is
  // the same thing: pressed where it works, called and marked as the box is.
  const NATIVE = new Set(['a', 'button', 'input', 'select', 'textarea', 'summary', 'label', 'option', 'area']);
  // What is moved is also what is pressed where a part without a name fills most of it.
  const fills = ({ rect, kind, owner, out }) =>
    owner.kind.drag && !owner.kind.click && !kind.drag && owner.out.n && !out.n && rect[2] * rect[3] > owner.rect[2] * owner.rect[3] / 2;
  const reported = (item) => (item && !item.out ? reported(item.owner) : item);
  const dropEcho = (job, item) => {
    const { el, kind, out } = item, inCell = out.r === 'generic' && reported(item.owner);
    const owner = inCell && CELLS.has(inCell.kind.role) ? inCell : item.owner;
    if (!owner || !owner.out || NATIVE.has(owner.tag) || owner.kind.scroll || owner.kind.edit || !kind.click) return;
    const { why, role } = owner.kind, same = owner.out.n === out.n, filled = fills(item);
    if (owner.kind.drag && !filled) return;
    if (!filled && !(same && (why || owner === inCell)) && !(owner.presses === 1 && !kind.drag && !HOLDERS.has(role) && (same || textOf(owner.el) === textOf(el)) && !(owner.place.hears && listens(owner.el)))) return;
    const at = job.items.lastIndexOf(owner.out);
    if (at < 0) return;
    job.items.splice(at, 1);
    const { out: box } = owner;
    if (out.r === 'generic' && role !== 'row') out.r = box.r;
    if (box.n) out.n = box.n;
    if (box.s) out.s = (out.s || 0) | box.s;
    for (const key of ['k', 'l', 'e', 'v']) if (out[key] === undefined && box[key] !== undefined) out[key] = box[key];
    out.a |= box.a & (16 | 64 | 128);
  };

  W.round = round;
  W.report = { report, dropEcho };
})();
