// Brings what was found into the order in which it is read: scripts sort, and style sheets turn round, what stands
// otherwise in the document; runs in an isolated world after spots.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.order) return;
  const { up } = W.spots;
  const SLACK = 2;
  // Boxes that are brought into order, and things in one of them.
  const BOXES = 100, THINGS = 1000;

  const rectOf = (entry) => entry.rect || entry.clip;
  const nodeOf = (entry, frames) => entry.el || entry.parent || frames.get(entry.frameKey).el;
  const around = (node) => up(node) || (node.ownerDocument.defaultView && node.ownerDocument.defaultView.frameElement);
  const meets = (a, b, at) => Math.min(a[at] + a[at + 2], b[at] + b[at + 2]) - Math.max(a[at], b[at]);
  const inRow = (a, b) => meets(a, b, 1) > Math.min(a[3], b[3]) / 2;
  // Whether `b`, which follows, is seen before `a`.
  const above = (a, b) => b[1] + b[3] <= a[1] + SLACK;
  const leads = (a, b, rtl) => inRow(a, b) && (rtl ? a[0] + a[2] <= b[0] + SLACK : b[0] + b[2] <= a[0] + SLACK);
  const union = (a, b) => {
    const x = Math.min(a[0], b[0]), y = Math.min(a[1], b[1]);
    return [x, y, Math.max(a[0] + a[2], b[0] + b[2]) - x, Math.max(a[1] + a[3], b[1] + b[3]) - y];
  };

  // The box in which two nodes lie apart.
  const common = (a, b) => {
    const over = new Set();
    for (let at = a; at; at = around(at)) over.add(at);
    for (let at = around(b); at; at = around(at)) if (over.has(at)) return at === a ? null : at;
    return null;
  };
  // The child of `box` that holds a node, or null.
  const childOf = (box, node) => {
    for (let at = node; at;) {
      const next = around(at);
      if (next === box) return at;
      at = next;
    }
    return null;
  };

  const arrange = (found, at, box, frames, rtl) => {
    const groups = [];
    const add = (i) => {
      const child = childOf(box, nodeOf(found[i], frames));
      if (!child) return false;
      const last = groups[groups.length - 1];
      if (last && last.child === child) { last.to = i; last.rect = union(last.rect, rectOf(found[i])); }
      else groups.push({ child, from: i, to: i, rect: rectOf(found[i]) });
      return true;
    };
    let from = at, to = at;
    while (from > 0 && childOf(box, nodeOf(found[from - 1], frames))) from--;
    while (to + 1 < found.length && childOf(box, nodeOf(found[to + 1], frames))) to++;
    if (to - from > THINGS) return;
    for (let i = from; i <= to; i++) add(i);
    const rects = groups.map((group) => group.rect);
    const wrong = rects.some((b, i) => i && (leads(rects[i - 1], b, rtl) || (above(rects[i - 1], b) && meets(rects[i - 1], b, 0) > Math.min(rects[i - 1][2], b[2]) / 2)));
    if (!wrong) return;
    // What lies on other things has its place in the document.
    for (let i = 0; i < rects.length; i++) {
      for (let j = 0; j < i; j++) {
        const x = meets(rects[i], rects[j], 0), y = meets(rects[i], rects[j], 1);
        if (x > SLACK && y > SLACK && x * y > 0.2 * Math.min(rects[i][2] * rects[i][3], rects[j][2] * rects[j][3])) return;
      }
    }
    const sorted = groups.slice().sort((a, b) => a.rect[1] - b.rect[1]);
    const rows = [];
    for (const group of sorted) {
      const row = rows[rows.length - 1];
      if (row && inRow(row[0].rect, group.rect)) row.push(group); else rows.push([group]);
    }
    const side = (group) => (rtl ? -group.rect[0] - group.rect[2] : group.rect[0]);
    const order = rows.flatMap((row) => row.sort((a, b) => side(a) - side(b)));
    found.splice(from, to - from + 1, ...order.flatMap((group) => found.slice(group.from, group.to + 1)));
  };

  W.order = (found, frames) => {
    const done = new Set();
    for (let i = 0; i + 1 < found.length; i++) {
      const a = rectOf(found[i]), b = rectOf(found[i + 1]);
      if (!above(a, b) && !(inRow(a, b) && (b[0] + b[2] <= a[0] + SLACK || a[0] + a[2] <= b[0] + SLACK))) continue;
      // In a row from left to right nothing is wrong but where the page is written the other way.
      const box = above(a, b) || b[0] < a[0] || document.dir === 'rtl' ? common(nodeOf(found[i], frames), nodeOf(found[i + 1], frames)) : null;
      if (!box || done.has(box)) continue;
      if (done.size >= BOXES) return;
      done.add(box);
      arrange(found, i, box, frames, getComputedStyle(box).direction === 'rtl');
    }
  };
})();
