// What stands on a page beside what can be touched: its texts, and the headings that tell equal names apart; runs
// in an isolated world before elements.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.texts) return;
  const { fold, cut, apart, textOf } = W.text;
  const SEEN = { visibilityProperty: true, opacityProperty: true };
  // Nodes of text that are looked at, pieces that are kept and characters of one.
  const LOOKS = 20000;
  const PIECES = 600;
  // More than is told, so that nothing is cut before it is masked.
  const LONG = 900;
  // What is drawn smaller is for screen readers.
  const SMALL = 3;

  // Punctuation between elements says nothing; in a paragraph it does.
  const MARKS = /^[\s.,;:()[\]{}<>\/|·•–—'"-]+$/;

  const begin = () => ({ looked: 0, kept: 0, unread: 0, last: null });

  // Notes a node of text in the order of the document where a part of it is in view.
  const note = (job, level, node) => {
    const { texts } = job;
    if (texts.looked >= LOOKS || !/\S/.test(node.data)) return;
    texts.looked++;
    const { place } = level;
    const { off, scale } = place;
    const toTop = (r) => [off[0] + r.left * scale, off[1] + r.top * scale, r.width * scale, r.height * scale];
    const seen = () => {
      place.range.selectNodeContents(node);
      const rect = W.meet(toTop(place.range.getBoundingClientRect()), level.clip);
      return rect[2] < SMALL || rect[3] < SMALL ? null : rect;
    };
    if (level.far && (!seen() || !W.near(job, level))) return;
    const { owner } = level;
    // The value of what is edited holds it.
    if (level.editable || (owner && owner.kind.edit)) return;
    // A field in its own label is called by it.
    if (level.el && level.el.localName === 'label' && level.el.control && level.el.contains(level.el.control)) return;
    const rect = seen();
    if (!rect) return;
    if (!level.el) return;
    if (level.shown === null) level.shown = W.isSeen(level.el, SEEN);
    if (!level.shown) return;
    if (texts.kept >= PIECES) { texts.unread++; return; }
    let at = rect;
    for (const line of place.range.getClientRects()) {
      const part = W.meet(toTop(line), level.clip);
      if (part[2] >= SMALL && part[3] >= SMALL) { at = part; break; }
    }
    texts.kept++;
    job.found.push({ text: node, parent: level.el, rect, at, place, owner, block: level.block, kind: null, el: null });
  };

  // Words of a frame are seen where something was pressed so near to them, in pixels.
  const BESIDE = 32;
  // Whether something unrelated lies on it.
  const covered = (job, { parent, at, place }) => {
    const { doc, off, scale, chain } = place;
    const x = at[0] + at[2] / 2, y = at[1] + at[3] / 2;
    const top = W.topAt(doc, (x - off[0]) / scale, (y - off[1]) / scale, parent);
    if (!top) return true;
    const root = parent.getRootNode();
    const near = top === parent || parent.contains(top) || top.contains(parent) ||
      (root.host && (top.contains(root.host) || root.host === top));
    const reached = chain.length && job.reached.get(chain[chain.length - 1].el);
    if (near && reached && Math.hypot(reached[0] - x, reached[1] - y) < BESIDE) return false;
    return !near || !W.through(chain, x, y, job.reached);
  };

  // Whether the name or value of what it lies in, or of the field that it labels, says it already.
  const isSaid = (job, item, text) => {
    for (let owner = item.owner; owner; owner = owner.owner) {
      const { out } = owner;
      if (out && ((out.n && out.n.includes(text)) || (out.v && out.v.includes(text)))) return true;
    }
    const label = item.parent.closest('label');
    const field = label && label.control;
    return !!field && job.known.has(field);
  };

  const bare = (text) => text.replace(/[\s:*]+$/, '');
  const union = (a, b) => {
    const x = Math.min(a[0], b[0]), y = Math.min(a[1], b[1]);
    return [x, y, Math.max(a[0] + a[2], b[0] + b[2]) - x, Math.max(a[1] + a[3], b[1] + b[3]) - y];
  };

  const report = (job, item) => {
    const { texts, items } = job;
    const { data } = item.text;
    const text = fold(data.length > 4 * LONG ? data.slice(0, 4 * LONG) : data);
    const last = items[items.length - 1];
    const goesOn = last && last.t !== undefined && texts.last && texts.last.block === item.block;
    if (!text || (MARKS.test(text) ? !goesOn : isSaid(job, item, text)) || covered(job, item)) return;
    if (goesOn) {
      // Words of one paragraph, in several nodes.
      const before = texts.last.text;
      const gap = /\s$/.test(before.data) || /^\s/.test(data) || apart(before, item.text) ? ' ' : '';
      if (last.t.length < LONG) last.t += gap + text;
      last.b = union(last.b, item.rect).map(W.round);
    } else {
      if (last && last.n && last.n === bare(text)) return;
      const out = { t: text, b: item.rect.map(W.round) };
      if (item.place.frame) out.m = item.place.frame;
      items.push(out);
    }
    texts.last = item;
    const now = items[items.length - 1];
    if (now.t.length > LONG) now.t = Array.from(now.t).slice(0, LONG).join('');
  };

  // An element comes: where its name is the text right before it, the text need not be told. In another cell of a table that is the
  // name of a field alone.
  const TYPED = new Set(['input', 'select', 'textarea']);
  const before = (job, { kind, el }, out) => {
    const last = job.items[job.items.length - 1], near = job.texts.last;
    if (!out.n || !last || last.t === undefined || bare(last.t) !== out.n) return;
    if (TYPED.has(kind.target.localName) || !near || near.parent.closest('td,th') === el.closest('td,th')) job.items.pop();
  };

  const HEADINGS = 'h1,h2,h3,h4,h5,h6,legend,[role=heading]';
  const GROUPS = 'fieldset,section,nav,dialog,[role=group],[role=region],[role=dialog],[role=radiogroup],[role=listbox],[role=navigation]';
  // The first headings in a box, as many as are looked at.
  const headingsIn = (known, at) => {
    let found = known.get(at);
    if (!found) known.set(at, (found = Array.from(at.querySelectorAll(HEADINGS)).slice(0, 101)));
    return found;
  };
  // The heading that an element stands under; `known` remembers those of boxes.
  const headingOf = (known, el) => {
    let at = el;
    for (let n = 0; n < 12; n++) {
      at = at.assignedSlot || at.parentElement || (at.getRootNode().host ?? null);
      if (!at) return '';
      // The last one before it; a title may also stand after its own buttons.
      let best = null, looked = 0;
      for (const heading of headingsIn(known, at)) {
        if (++looked > 100) break;
        if (heading.contains(el)) {
          // A link in a heading belongs to that heading, unless it is all of it; signs around it are no words of it.
          return textOf(heading, new Set([el])).replace(/[^\p{L}\p{N}]+$/u, '');
        }
        // A fieldset's legend says nothing of what lies outside.
        if (heading.localName === 'legend' && !heading.parentElement.contains(el)) continue;
        const precedes = heading.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING;
        if (!precedes && best) break;
        best = heading;
        if (!precedes) break;
      }
      const text = best && best.checkVisibility(SEEN) ? textOf(best) : '';
      if (text) return text;
      const label = at.matches(GROUPS) && cut(at.getAttribute('aria-label') || '');
      if (label) return label;
    }
    return '';
  };

  // Names that several elements of one role have get the heading that each stands under, where that differs.
  const MANY = 40;
  const WORDS = 60;
  const tellApart = (items, own) => {
    const same = new Map(), known = new Map();
    for (const out of items) {
      if (!out.n) continue;
      const key = `${out.r} ${out.n}`, all = same.get(key);
      if (all) all.push(out); else same.set(key, [out]);
    }
    for (const all of same.values()) {
      if (all.length < 2 || all.length > MANY) continue;
      const headings = all.map((out) => headingOf(known, own[out.i]));
      if (headings.some((text) => !text || text.length > WORDS) || new Set(headings).size < 2) continue;
      all.forEach((out, i) => { out.n = cut(`${headings[i]}: ${out.n}`); });
    }
  };

  W.texts = { begin, note, report, before, tellApart };
})();
