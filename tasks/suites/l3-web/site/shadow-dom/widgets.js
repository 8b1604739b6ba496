// Two small custom elements, each in an open shadow root, as component
// libraries ship them. They speak to the page by a `change` event.

const LOOK = `
  :host { display: inline-flex; gap: 4px; align-items: center; font: 15px/1.45 inherit; }
  button { font: inherit; min-width: 38px; height: 38px; border: 1px solid #b9c1cd; border-radius: 6px; background: #fff; color: #1c2430; cursor: pointer; }
  button:hover { background: #f0f3f8; }
  button:focus-visible { outline: 3px solid #8fb0f3; outline-offset: 1px; }
  button:disabled { opacity: .5; cursor: not-allowed; }
  svg { width: 20px; height: 20px; display: block; margin: auto; fill: none; stroke: #7a828e; stroke-width: 1.4; }
  .on svg { fill: #e0a100; stroke: #b07c00; }
  output { min-width: 38px; text-align: center; font-weight: 600; font-variant-numeric: tabular-nums; }
`;
const STAR = '<svg viewBox="0 0 20 20" aria-hidden="true"><path d="M10 2l2.4 5.2 5.6.6-4.2 3.8 1.2 5.6-5-2.9-5 2.9 1.2-5.6L2 7.8l5.6-.6z"/></svg>';

/** `<star-rating label="Comfort">`: five radio buttons; `value` is 0 to 5. */
class StarRating extends HTMLElement {
  value = 0;

  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    const label = this.getAttribute("label");
    root.innerHTML = `<style>${LOOK}</style><div role="radiogroup" style="display:flex;gap:4px"></div>`;
    const group = root.querySelector("[role=radiogroup]");
    group.setAttribute("aria-label", label);
    for (let n = 1; n <= 5; n += 1) {
      const star = document.createElement("button");
      star.type = "button";
      star.setAttribute("role", "radio");
      star.setAttribute("aria-label", `${label}: ${n} of 5`);
      star.innerHTML = STAR;
      star.addEventListener("click", () => this.set(n));
      group.append(star);
    }
    this.set(0);
  }

  set(n) {
    this.value = n;
    this.shadowRoot.querySelectorAll("button").forEach((star, i) => {
      star.className = i < n ? "on" : "";
      star.setAttribute("aria-checked", String(i + 1 === n));
    });
    this.dispatchEvent(new Event("change"));
  }
}

/** `<quantity-stepper label="Seats" min="1" max="9">`: two buttons and the number between. */
class QuantityStepper extends HTMLElement {
  value = 0;

  connectedCallback() {
    const root = this.attachShadow({ mode: "open" });
    const label = this.getAttribute("label").toLowerCase();
    root.innerHTML = `<style>${LOOK}</style><button type="button">−</button><output></output><button type="button">+</button>`;
    const [less, more] = root.querySelectorAll("button");
    less.setAttribute("aria-label", `Fewer ${label}`);
    more.setAttribute("aria-label", `More ${label}`);
    less.addEventListener("click", () => this.set(this.value - 1));
    more.addEventListener("click", () => this.set(this.value + 1));
    this.set(Number(this.getAttribute("min")));
  }

  set(n) {
    const min = Number(this.getAttribute("min"));
    const max = Number(this.getAttribute("max"));
    this.value = Math.min(max, Math.max(min, n));
    const [less, more] = this.shadowRoot.querySelectorAll("button");
    less.disabled = this.value === min;
    more.disabled = this.value === max;
    this.shadowRoot.querySelector("output").textContent = String(this.value);
    this.dispatchEvent(new Event("change"));
  }
}

customElements.define("star-rating", StarRating);
customElements.define("quantity-stepper", QuantityStepper);
