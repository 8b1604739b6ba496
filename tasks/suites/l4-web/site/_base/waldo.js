// The small runtime every page of the suite shares: it loads what the episode
// drew (seed, params, state), and stores the state the checks will read.
//
// Invariants: everything a page shows follows from `seed`, `params` and
// `state`, so a reload shows the same page; `save()` sends a snapshot taken at
// the call, and saves reach the server in the order they were called.

const ENDPOINT = "/_waldo/state";

/** Loads the episode: `{ seed, params, state, other_origin, rng, int, pick, shuffle, save }`. */
export async function load() {
  const reply = await fetch(ENDPOINT, { cache: "no-store" });
  if (!reply.ok) throw new Error(`episode state not available: HTTP ${reply.status}`);
  const episode = await reply.json();
  const next = mulberry32(episode.seed >>> 0);
  let queue = Promise.resolve();

  const w = {
    seed: episode.seed >>> 0,
    params: episode.params ?? {},
    state: episode.state ?? {},
    other_origin: episode.other_origin,

    /** The next number of the seeded sequence, in [0, 1). */
    rng: () => next(),
    /** A seeded whole number, both ends included. */
    int: (low, high) => low + Math.floor(next() * (high - low + 1)),
    /** A seeded member of a list. */
    pick: (list) => list[Math.floor(next() * list.length)],
    /** A shuffled copy; the list itself stays as it was. */
    shuffle(list) {
      const out = [...list];
      for (let i = out.length - 1; i > 0; i -= 1) {
        const j = Math.floor(next() * (i + 1));
        [out[i], out[j]] = [out[j], out[i]];
      }
      return out;
    },
    /** Stores `w.state`; resolves once the server has it. */
    save() {
      const body = JSON.stringify(w.state);
      queue = queue.catch(() => {}).then(() => put(body));
      return queue;
    },
  };
  return w;
}

async function put(body) {
  // `keepalive` lets a save outlive a navigation; browsers cap such bodies at 64 KiB.
  const reply = await fetch(ENDPOINT, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    keepalive: body.length < 30000,
    body,
  });
  if (!reply.ok) throw new Error(`state not stored: HTTP ${reply.status}`);
}

function mulberry32(seed) {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** First match of a CSS selector. */
export const $ = (selector, root = document) => root.querySelector(selector);

/** All matches of a CSS selector, as an array. */
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/**
 * Builds an element: `el("button", { class: "primary", onclick: f }, "Save")`.
 * Keys starting with "on" become listeners, booleans become bare attributes
 * (false, null and undefined leave the attribute out), the rest are attributes.
 */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on") && typeof value === "function") node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An amount in whole cents as "$1,234.50". */
export function money(cents) {
  const [whole, part] = (cents / 100).toFixed(2).split(".");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${part}`;
}

/** Shows a polite notice at the foot of the page until the next one replaces it. */
export function notice(text, kind = "good") {
  let box = $("#waldo-notice");
  if (!box) {
    box = el("div", { id: "waldo-notice", class: "notice", role: "status" });
    document.body.append(box);
  }
  box.className = `notice ${kind}`;
  box.textContent = text;
}

/**
 * Marks a form field right or wrong. The message sits in the field's `.field`
 * wrapper and is tied to the input, so it is both visible and announced.
 * An empty message clears the mark.
 */
export function mark(input, message) {
  const field = input.closest(".field") ?? input.parentElement;
  let line = $(".error", field);
  if (!message) {
    line?.remove();
    field.classList.remove("wrong");
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
    return;
  }
  if (!line) {
    line = el("p", { class: "error", id: `${input.id || input.name}-error` });
    field.append(line);
  }
  line.textContent = message;
  field.classList.add("wrong");
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", line.id);
}
