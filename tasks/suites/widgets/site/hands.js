// How each kind of widget is played. A hand gets the widget's data and gives `down`, `move`, `up` (with
// places in units of the drawing) and `state`, the raw end state.

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const mix = (a, b, t) => a + (b - a) * t;
const near = (p, at, half) => Math.abs(p[0] - at[0]) <= half[0] && Math.abs(p[1] - at[1]) <= half[1];
const round = (x) => Math.round(x * 1e4) / 1e4;
const move = (part, [x, y]) => part.setAttribute("transform", `translate(${round(x)} ${round(y)})`);
const show = (part, on) => part.setAttribute("visibility", on ? "visible" : "hidden");

// The share of the way from `from` to `to` that is next to `p`.
const along = (p, from, to) => {
  const d = [to[0] - from[0], to[1] - from[1]];
  return clamp(((p[0] - from[0]) * d[0] + (p[1] - from[1]) * d[1]) / (d[0] * d[0] + d[1] * d[1]), 0, 1);
};
const spot = (from, to, t) => [mix(from[0], to[0], t), mix(from[1], to[1], t)];

const effects = {
  move: (e, part, t) => move(part, spot(e.from, e.to, t)),
  turn: (e, part, t) => part.setAttribute("transform", `rotate(${mix(e.from, e.to, t)} ${e.about})`),
  height: (e, part, t) => {
    const h = mix(e.from, e.to, t);
    part.setAttribute("height", h);
    part.setAttribute("y", e.bottom - h);
  },
  text: (e, part, t) => {
    const steps = Math.round(((e.high - e.low) / e.step) * t);
    part.textContent = `${e.low + steps * e.step}${e.unit}`;
  },
  blur: (e, part, t) => { part.style.filter = `blur(${round(Math.abs(t - e.at) * e.most)}px)`; },
  fade: (e, part, t) => part.setAttribute("opacity", round(mix(e.from, e.to, t))),
  shade: (e, part, t) => part.setAttribute("fill", `hsl(${e.hue} 60% ${round(mix(e.from, e.to, t))}%)`),
  bars: (e, part, t) => [...part.children].forEach((bar, n, all) =>
    bar.setAttribute("fill-opacity", round(clamp(t * all.length - n, 0.12, 1)))),
  radius: (e, part, t) => part.setAttribute("r", round(Math.max(2, mix(e.from, e.to, t)))),
  glide: (e, part, t) => {
    const [x, y] = spot(e.from, e.to, t);
    part.style.transform = `translate(${round(x)}px, ${round(y)}px)`;
    part.style.transition = "transform 250ms ease-out";
  },
};

// Something that is dragged keeps under the pointer where it was taken.
const grip = () => {
  let offset = null;
  return {
    take: (p, at) => { offset = [p[0] - at[0], p[1] - at[1]]; },
    at: (p) => offset && [p[0] - offset[0], p[1] - offset[1]],
    drop: () => { offset = null; },
  };
};

function slide({ data: d, part }) {
  let share = d.start;
  const hold = grip();
  const place = () => {
    move(part("handle"), spot(d.from, d.to, share));
    for (const e of d.effects) effects[e.kind](e, part(e.id), share);
  };
  place();
  return {
    down: (p) => { if (near(p, spot(d.from, d.to, share), d.half)) hold.take(p, spot(d.from, d.to, share)); },
    move: (p) => {
      const to = hold.at(p);
      if (!to) return;
      share = along(to, d.from, d.to);
      place();
    },
    up: hold.drop,
    state: () => ({ share: round(share) }),
  };
}

function knob({ data: d, part }) {
  let turned = 0;
  let from = null;
  const angle = (p) => (Math.atan2(p[0] - d.about[0], d.about[1] - p[1]) * 180) / Math.PI;
  return {
    down: (p) => { if (Math.hypot(p[0] - d.about[0], p[1] - d.about[1]) <= d.r) from = angle(p) - turned; },
    move: (p) => {
      if (from === null) return;
      turned = (angle(p) - from + 720) % 360;
      part("dial").setAttribute("transform", `rotate(${round(turned)} ${d.about})`);
    },
    up: () => { from = null; },
    state: () => ({ share: round(turned / 360) }),
  };
}

function range({ data: d, part }) {
  const shares = [...d.start];
  let held = null;
  const names = ["low", "high"];
  const value = (t) => Math.round(mix(d.low, d.high, t));
  const place = () => {
    names.forEach((name, n) => move(part(name), spot(d.from, d.to, shares[n])));
    const [a, b] = shares.map((t) => spot(d.from, d.to, t));
    part("span").setAttribute("d", `M${a} L${b}`);
    part("readout").textContent = `${value(shares[0])}${d.unit} – ${value(shares[1])}${d.unit}`;
  };
  place();
  return {
    down: (p) => {
      const far = shares.map((t) => { const [x, y] = spot(d.from, d.to, t); return Math.hypot(p[0] - x, p[1] - y); });
      const n = far[0] <= far[1] ? 0 : 1;
      if (far[n] <= d.half) held = n;
    },
    move: (p) => {
      if (held === null) return;
      const t = along(p, d.from, d.to);
      shares[held] = held === 0 ? Math.min(t, shares[1]) : Math.max(t, shares[0]);
      place();
    },
    up: () => { held = null; },
    state: () => ({ low: round(shares[0]), high: round(shares[1]) }),
  };
}

function cycle({ data: d, part }) {
  let index = d.start;
  const last = d.frames.length - 1;
  const place = () => {
    part("view").innerHTML = d.frames[index];
    for (let n = 0; n < d.dots; n++) part(`dot${n}`).setAttribute("fill", n === index ? d.on : d.off);
  };
  const go = (by) => {
    const to = index + by;
    index = d.wraps ? (to + last + 1) % (last + 1) : clamp(to, 0, last);
    place();
  };
  place();
  return {
    down: (p) => {
      if (near(p, d.back, [22, 22])) go(-1);
      else if (near(p, d.next, [22, 22])) go(1);
    },
    state: () => ({ index }),
  };
}

function cells({ data: d, part }) {
  let on = [...d.on];
  const place = () => d.at.forEach((_, n) => show(part(`on${n}`), on.includes(n)));
  place();
  return {
    down: (p) => {
      const n = d.at.findIndex((at) => near(p, at, d.half));
      if (n < 0) return;
      if (on.includes(n)) on = on.filter((one) => one !== n);
      else on = d.mode === "one" ? [n] : [...on, n];
      place();
    },
    state: () => ({ cells: on }),
  };
}

function point({ part }) {
  let mark = null;
  return {
    down: (p) => {
      mark = p;
      move(part("mark"), p);
      show(part("mark"), true);
    },
    state: () => (mark ? { x: round(mark[0]), y: round(mark[1]) } : {}),
  };
}

function drag({ data: d, part }) {
  let at = [...d.at];
  const hold = grip();
  move(part("piece"), at);
  return {
    down: (p) => { if (near(p, at, d.half)) hold.take(p, at); },
    move: (p) => {
      const to = hold.at(p);
      if (!to) return;
      at = [clamp(to[0], d.from[0], d.to[0]), clamp(to[1], d.from[1], d.to[1])];
      move(part("piece"), at);
    },
    up: hold.drop,
    state: () => ({ x: round(at[0]), y: round(at[1]) }),
  };
}

function rows({ data: d, part }) {
  let tiles = [...d.tiles];
  let held = null;
  let height = 0;
  const hold = grip();
  const place = () => tiles.forEach((id, n) => {
    move(part(`t${id}`), id === held ? [d.at[n][0], height] : d.at[n]);
  });
  place();
  return {
    down: (p) => {
      const n = d.at.findIndex((at) => near(p, at, d.half));
      if (n < 0) return;
      held = tiles[n];
      height = d.at[n][1];
      hold.take(p, d.at[n]);
      part(`t${held}`).parentNode.append(part(`t${held}`));
    },
    move: (p) => {
      const to = hold.at(p);
      if (!to) return;
      height = clamp(to[1], d.at[0][1], d.at[d.at.length - 1][1]);
      let best = 0;
      d.at.forEach(([, y], n) => { if (Math.abs(y - height) < Math.abs(d.at[best][1] - height)) best = n; });
      tiles = tiles.filter((id) => id !== held);
      tiles.splice(best, 0, held);
      place();
    },
    up: () => {
      held = null;
      hold.drop();
      place();
    },
    state: () => ({ tiles }),
  };
}

// Two tiles change places by a click on each, or by a drag from one to the other.
function swap({ data: d, part }) {
  const tiles = [...d.tiles];
  let chosen = null;
  let from = null;
  let start = null;
  const ring = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const [w, h] = d.half;
  for (const [name, value] of Object.entries({
    x: -w + 2, y: -h + 2, width: 2 * w - 4, height: 2 * h - 4, rx: 7, fill: "none", stroke: "currentColor",
    "stroke-width": 4, visibility: "hidden",
  })) ring.setAttribute(name, value);
  part("t0").parentNode.append(ring);
  const place = () => {
    tiles.forEach((id, n) => move(part(`t${id}`), d.at[n]));
    show(ring, chosen !== null);
    if (chosen !== null) move(ring, d.at[chosen]);
  };
  const exchange = (a, b) => { [tiles[a], tiles[b]] = [tiles[b], tiles[a]]; };
  place();
  const cell = (p) => d.at.findIndex((at) => near(p, at, d.half));
  return {
    down: (p) => {
      from = cell(p);
      start = p;
    },
    move: (p) => {
      if (from < 0 || Math.hypot(p[0] - start[0], p[1] - start[1]) < 12) return;
      const [x, y] = d.at[from];
      move(part(`t${tiles[from]}`), [x + p[0] - start[0], y + p[1] - start[1]]);
      ring.parentNode.insertBefore(part(`t${tiles[from]}`), ring);
    },
    up: (p) => {
      const to = cell(p);
      if (from >= 0 && to >= 0 && to !== from) {
        exchange(from, to);
        chosen = null;
      } else if (from >= 0 && to === from) {
        if (chosen === null) chosen = from;
        else {
          if (chosen !== from) exchange(chosen, from);
          chosen = null;
        }
      }
      place();
    },
    state: () => ({ tiles }),
  };
}

function draw({ part }) {
  let path = [];
  const place = () => part("trace").setAttribute("points", path.map((p) => p.map(round).join(",")).join(" "));
  return {
    down: (p) => {
      path = [p];
      place();
    },
    move: (p) => {
      path.push(p);
      place();
    },
    state: () => ({ path: path.map((p) => p.map(round)) }),
  };
}

function text({ data: d, more }) {
  const fields = d.fields.map((name) => {
    const label = document.createElement("label");
    const field = document.createElement("input");
    field.autocomplete = "off";
    field.spellcheck = false;
    if (d.labels) label.append(name, field);
    else {
      field.setAttribute("aria-label", name);
      label.append(field);
    }
    more.append(label);
    return field;
  });
  return { state: () => ({ text: fields[0].value, fields: fields.map((field) => field.value) }) };
}

function colour({ data: d, part }) {
  let [h, s, v] = d.start;
  let held = null;
  const inside = (p, [x, y, w, hh]) => p[0] >= x && p[0] <= x + w && p[1] >= y && p[1] <= y + hh;
  const place = () => {
    const [x, y, w, hh] = d.square;
    move(part("spot"), [x + w * s, y + hh * (1 - v)]);
    move(part("bar"), [d.strip[0] + d.strip[2] * h, d.strip[1]]);
    part("pure").style.color = `hsl(${h * 360} 100% 50%)`;
    const l = v * (1 - s / 2);
    const saturation = l === 0 || l === 1 ? 0 : (v - l) / Math.min(l, 1 - l);
    part("chosen").style.color = `hsl(${h * 360} ${saturation * 100}% ${l * 100}%)`;
  };
  const set = (p) => {
    if (held === "square") {
      const [x, y, w, hh] = d.square;
      s = clamp((p[0] - x) / w, 0, 1);
      v = clamp(1 - (p[1] - y) / hh, 0, 1);
    } else if (held === "strip") h = clamp((p[0] - d.strip[0]) / d.strip[2], 0, 1);
    place();
  };
  place();
  return {
    down: (p) => {
      held = inside(p, d.square) ? "square" : inside(p, d.strip) ? "strip" : null;
      if (held) set(p);
    },
    move: (p) => { if (held) set(p); },
    up: () => { held = null; },
    state: () => ({ h: round(h * 360), s: round(s), v: round(v) }),
  };
}

function table({ data: d, more }) {
  const rows = d.rows.map((cells, id) => ({ id, cells }));
  let [column, direction, row] = [-1, 1, -1];
  const body = document.createElement("tbody");
  const heads = d.columns.map((name, n) => {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-label", name);
    button.addEventListener("click", () => {
      [column, direction] = [n, column === n ? -direction : 1];
      rows.sort((a, b) => (a.cells[n] > b.cells[n] ? 1 : a.cells[n] < b.cells[n] ? -1 : 0) * direction);
      place();
    });
    return button;
  });
  const place = () => {
    heads.forEach((head, n) => { head.textContent = d.columns[n] + (n === column ? (direction > 0 ? " ▲" : " ▼") : ""); });
    body.replaceChildren(...rows.map(({ id, cells }) => {
      const tr = document.createElement("tr");
      tr.classList.toggle("on", id === row);
      for (const cell of cells) tr.insertCell().textContent = cell;
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = "Choose";
      button.addEventListener("click", () => {
        row = id;
        place();
      });
      tr.insertCell().append(button);
      return tr;
    }));
  };
  const grid = document.createElement("table");
  const head = grid.createTHead().insertRow();
  for (const button of heads) {
    const th = document.createElement("th");
    th.append(button);
    head.append(th);
  }
  head.append(document.createElement("th"));
  grid.append(body);
  more.append(grid);
  place();
  return { state: () => ({ column, direction, row }) };
}

export const hands = { slide, knob, range, cycle, cells, point, drag, rows, swap, draw, text, colour, table };
