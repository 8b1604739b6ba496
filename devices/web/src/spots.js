// Where what was found can be pressed; runs in an isolated world after kinds.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.spots) return;
  const SVG = 'http://www.w3.org/2000/svg';
  const up = (node) => W.slotOf(node) || node.parentElement || (node.getRootNode().host ?? null);
  const meet = (a, b) => {
    const x = Math.max(a[0], b[0]), y = Math.max(a[1], b[1]);
    return [x, y, Math.max(0, Math.min(a[0] + a[2], b[0] + b[2]) - x), Math.max(0, Math.min(a[1] + a[3], b[1] + b[3]) - y)];
  };
  const area = (r) => r[2] >= 1 && r[3] >= 1;

  // The topmost element at a point of `doc`, through shadow roots. Each question costs the more the more frames the page has, so
  // it is first asked of the tree in which the answer is expected; that gives what lies outside of the tree, too.
  const topAt = (doc, x, y, expected = null) => {
    const scope = expected ? expected.getRootNode() : doc;
    let el = (scope.elementFromPoint && scope.elementFromPoint(x, y)) || doc.elementFromPoint(x, y);
    for (let root; el && (root = W.rootOf(el));) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === el) break;
      el = inner;
    }
    return el;
  };

  // Whether the iframes of `chain` are on top at a point of the top page; `reached` keeps where the innermost was seen to be.
  const through = (chain, x, y, reached = null) => {
    for (const link of chain) {
      if (topAt(link.doc, (x - link.off[0]) / link.scale, (y - link.off[1]) / link.scale) !== link.el) return false;
    }
    if (reached && chain.length) reached.set(chain[chain.length - 1].el, [x, y]);
    return true;
  };

  const SPOTS = [[0.5, 0.5], [0.25, 0.5], [0.75, 0.5], [0.5, 0.25], [0.5, 0.75], [0.15, 0.15], [0.85, 0.15],
    [0.15, 0.85], [0.85, 0.85], [0.04, 0.5], [0.96, 0.5], [0.5, 0.04], [0.5, 0.96]];

  // Half of a line of text.
  const EDGE = 8;

  // A shape is looked for at this many places across and down, in small ones every second pixel.
  const FINE = 12;
  const SHAPES = new Set(['path', 'polygon', 'polyline', 'g']);
  const spot = (r, fx, fy) =>
    [r[0] + Math.min(Math.max(r[2] * fx, 0.5), r[2] - 0.5), r[1] + Math.min(Math.max(r[3] * fy, 0.5), r[3] - 0.5)];
  function* fine(r) {
    const [across, down] = [r[2], r[3]].map((side) => Math.max(3, Math.min(FINE, Math.floor(side / 2))));
    for (let i = 0; i < across * down; i++) yield spot(r, (i % across + 0.5) / across, (Math.floor(i / across) + 0.5) / down);
  }

  // A point of `item` where it is the innermost thing that can be touched, or null.
  const hit = (job, item) => {
    const free = pointOf(job, item, false);
    // What is dropped or hovered may be anywhere in it.
    return free || (item.kind.click ? null : pointOf(job, item, true));
  };
  const pointOf = (job, item, anywhere) => {
    const { el, kind, rect } = item;
    const { doc, off, scale, chain } = item.place;
    const { known } = job;
    const test = (x, y) => {
      job.tested++;
      let at = topAt(doc, (x - off[0]) / scale, (y - off[1]) / scale, el);
      let nested = false;
      const first = at;
      while (at) {
        if (at === el) return nested && !anywhere && (kind.click || kind.drag || kind.drop || kind.hover) ? false : through(chain, x, y, job.reached);
        const other = known.get(at);
        if (other && (other.click || other.drag)) nested = true;
        at = up(at);
      }
      const label = first && first.closest('label');
      return !!label && label.control === el && through(chain, x, y);
    };
    let p = spot(rect, 0.5, 0.5);
    // Something else lies over a drawing: not what it lies in, which is met where the drawing has holes.
    const drawing = el.namespaceURI === SVG ? el.ownerSVGElement || el : null;
    const isCovered = () => drawing && SPOTS.every(([fx, fy]) => {
      const [x, y] = spot(rect, fx, fy);
      job.tested++;
      const at = topAt(doc, (x - off[0]) / scale, (y - off[1]) / scale, el);
      return at && !drawing.contains(at) && !at.contains(drawing);
    });
    // Shapes fill little of their boxes: a point well within is looked for first.
    if (item.tag === 'area' || SHAPES.has(item.tag)) {
      const rim = Math.min(2, rect[2] / 6, rect[3] / 6);
      const isWithin = ([x, y]) => test(x, y) && test(x - rim, y) && test(x + rim, y) && test(x, y - rim) && test(x, y + rim);
      if (isWithin(p)) return p;
      if (isCovered()) return null;
      for (p of fine(rect)) if (isWithin(p)) return p;
      p = spot(rect, 0.5, 0.5);
    }
    if (test(p[0], p[1])) return p;
    if (item.tag === 'a' || kind.role === 'link' || kind.role === 'generic' || item.loose) {
      // A link over several lines: its box has holes.
      item.place.range.selectNodeContents(el);
      for (const line of item.loose ? item.place.range.getClientRects() : el.getClientRects()) {
        const part = meet([off[0] + line.left * scale, off[1] + line.top * scale, line.width * scale, line.height * scale], rect);
        if (!area(part)) continue;
        p = spot(part, 0.5, 0.5);
        if (test(p[0], p[1])) return p;
      }
    }
    for (let i = 1; i < SPOTS.length; i++) {
      p = spot(rect, SPOTS[i][0], SPOTS[i][1]);
      if (test(p[0], p[1])) return p;
    }
    // An item of a tree holds its branches: what is left of it is the line at its top.
    if (rect[3] > 4 * EDGE) {
      for (const x of [rect[2] / 2, EDGE, rect[2] - EDGE]) {
        p = [rect[0] + x, rect[1] + EDGE];
        if (test(p[0], p[1])) return p;
      }
    }
    // Shapes fill little of their boxes.
    if (item.tag === 'area' || (drawing && !isCovered())) {
      for (p of fine(rect)) if (test(p[0], p[1])) return p;
    }
    return null;
  };

  // Points that a collection asks the browser about; after that boxes decide. Each costs the more the more there is.
  const TESTS = 3000;
  const TESTS_OF_CROWDS = 6e6;
  const testsOf = (found) => Math.max(200, Math.min(TESTS, TESTS_OF_CROWDS / found.length));
  const CELL = 64;

  // The same by the boxes of what can be touched, the later one on top: for pages so crowded that asking
  // the browser takes seconds. It does not see what covers without being touchable.
  const guess = (job, at) => {
    const { found } = job;
    if (!job.cells) {
      job.cells = new Map();
      for (let i = 0; i < found.length; i++) {
        const r = found[i].el ? found[i].rect : null;
        // Large boxes hold others rather than cover them.
        if (!r || r[2] * r[3] > 64 * CELL * CELL) continue;
        for (let y = Math.floor(r[1] / CELL); y <= (r[1] + r[3]) / CELL; y++) {
          for (let x = Math.floor(r[0] / CELL); x <= (r[0] + r[2]) / CELL; x++) {
            const key = y * 65536 + x, cell = job.cells.get(key);
            if (cell) cell.push(i); else job.cells.set(key, [i]);
          }
        }
      }
    }
    for (const [fx, fy] of SPOTS) {
      const [x, y] = spot(found[at].rect, fx, fy);
      const cell = job.cells.get(Math.floor(y / CELL) * 65536 + Math.floor(x / CELL)) || [];
      const covered = cell.some((i) => {
        if (i <= at) return false;
        const r = found[i].rect;
        return x >= r[0] && y >= r[1] && x < r[0] + r[2] && y < r[1] + r[3];
      });
      if (!covered) return [x, y];
    }
    return null;
  };

  Object.assign(W, { topAt, meet, through });
  W.spots = { up, area, hit, guess, testsOf };
})();
