// What fields are filled and chosen with; runs in an isolated world after elements.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.select) return;
  const { fold, cut, valueOf, optionName } = W.text;
  const { isEditor } = W.kinds;
  const nap = (ms) => new Promise((done) => setTimeout(done, ms));
  const isLocked = (el) => el.matches(':disabled') || el.readOnly === true;

  const tell = (el, names) => {
    for (const name of names) el.dispatchEvent(new (el.ownerDocument.defaultView.Event)(name, { bubbles: true, composed: true }));
  };

  // Looks for up to `come` ms whether `holds`, and then for up to `stay` ms whether it goes on to; whether it does.
  const lasts = async (holds, come, stay) => {
    for (let end = performance.now() + come; !holds(); await nap(20)) if (performance.now() >= end) return false;
    for (let end = performance.now() + stay; performance.now() < end; await nap(20)) if (!holds()) return false;
    return holds();
  };
  // How long a page that reacts may take to turn back what was chosen.
  const TURNS_BACK = 500;
  const staysFor = (el) => (W.kinds.isHeard(el) ? TURNS_BACK : 0);

  // Fields that the browser draws and that hold one form of text only are set whole; and the form.
  const WHOLE = { date: '2026-12-24', time: '18:05', 'datetime-local': '2026-12-24T18:05', month: '2027-02', week: '2027-W03',
    range: '70', color: '#ff8800' };
  const NO_TEXT = new Set(['button', 'checkbox', 'file', 'hidden', 'image', 'radio', 'reset', 'submit']);
  const isWhole = (el) => el.localName === 'input' && Object.hasOwn(WHOLE, el.type);
  // What such a field makes of a text, or null where it takes it for nothing.
  const taken = (el, text) => {
    const wanted = el.type === 'datetime-local' ? text.trim().replace(' ', 'T') : text.trim();
    if (el.type === 'range') return wanted && Number.isFinite(Number(wanted)) ? String(Number(wanted)) : null;
    const trial = el.ownerDocument.createElement('input');
    trial.type = el.type;
    trial.value = wanted;
    return trial.value === '' || (trial.value === '#000000' && !/^(#0{3}(0{3})?|black)$/i.test(wanted)) ? null : trial.value;
  };

  // A value from which one press of an arrow key makes `wanted`: the page is not told of it, and hears of `wanted` alone,
  // from the browser itself. Of a date the part that is written first has the focus.
  const ORDER = { date: { dateStyle: 'short' }, 'datetime-local': { dateStyle: 'short' }, month: { year: 'numeric', month: 'long' },
    time: { timeStyle: 'short' }, week: null };
  const AT = { year: [0, 4], month: [5, 2], day: [8, 2], hour: [0, 2], week: [6, 2] };
  const beside = (el, wanted) => {
    if (el.type === 'range') {
      const step = Number(el.step || 1), n = Number(wanted);
      if (!(step > 0)) return null;
      return n - step >= Number(el.min) ? [String(n - step), 'ArrowUp'] : [String(n + step), 'ArrowDown'];
    }
    if (!(el.type in ORDER)) return null;
    const parts = ORDER[el.type] ? new Intl.DateTimeFormat(undefined, ORDER[el.type]).formatToParts() : [{ type: 'week' }];
    const part = AT[parts[0].type];
    if (!part) return null;
    const [at, long] = part, n = Number(wanted.slice(at, at + long));
    // From 11 to 12 the half of the day would stay.
    const up = part === AT.hour ? n % 12 > 0 : n > 1;
    return [wanted.slice(0, at) + String(up ? n - 1 : n + 1).padStart(long, '0') + wanted.slice(at + long), up ? 'ArrowUp' : 'ArrowDown'];
  };

  // Sets such a field, unseen by the page until it is told, or all but for the `press` of a key; of another what it is.
  W.setWhole = (gen, i, text) => {
    const el = W.element(gen, i);
    if (!el) return { gone: true };
    if (el.localName === 'select') return { select: true };
    if (!isWhole(el)) return { text: true };
    if (isLocked(el)) return { disabled: true };
    if (text === '' && !['range', 'color'].includes(el.type)) return { text: true };
    const wanted = taken(el, text);
    if (wanted === null) return { form: WHOLE[el.type], holds: el.value };
    el.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    el.focus();
    if (el.value === wanted) return { same: true };
    const held = el.value, near = beside(el, wanted);
    if (near) {
      el.value = near[0];
      if (el.value === near[0]) return { press: near[1] };
      el.value = held;
    }
    return W.mendWhole(gen, i, text);
  };
  // Sets it by force where no key did.
  W.mendWhole = (gen, i, text) => {
    const el = W.element(gen, i), wanted = el && taken(el, text);
    if (!el || el.value === wanted) return {};
    el.value = wanted;
    tell(el, ['input', 'change']);
    return {};
  };

  const words = (text) => text.replace(/[\u200b\ufeff]/g, '').replace(/\s+/g, ' ').trim();
  const isAsked = (el, text) => {
    if (isWhole(el)) return el.value === taken(el, text) || (el.type === 'range' && Number(el.value) === Number(text));
    if (el.localName === 'input' && el.type === 'number' && text.trim()) return el.value !== '' && Number(el.value) === Number(text);
    if ('value' in el) return el.value === text.replace(/\r\n?/g, '\n');
    return words(isEditor(el) ? valueOf(el, el.localName, 'textbox') || '' : el.innerText) === words(text);
  };
  // Editors draw some lines of a long text only.
  const DRAWN = 500;
  // What stands in a field that was filled with `text`, where that is something else; null where it is the same, or
  // cannot be told. A field that the page replaced meanwhile is the one with the focus.
  W.standsOther = async (gen, i, text) => {
    const now = () => W.element(gen, i) || (W.active().isConnected && W.awaitsKeys() ? W.active() : null);
    const el = now();
    // Enter may have sent a field of one line.
    if (!el || (el.localName === 'input' && text.includes('\n')) || (byKeys(el) && text.length > DRAWN)) return null;
    const came = await lasts(() => !now() || isAsked(now(), text), byKeys(el) ? 500 : 100, isWhole(el) ? staysFor(el) : 0);
    return came || !now() ? null : { found: valueOf(now(), now().localName, 'textbox') || '' };
  };

  // Whether what has the focus is typed into, or otherwise waits for keys.
  const KEYED = new Set('textbox searchbox combobox spinbutton slider listbox grid tree application'.split(' '));
  const KEYED_TAGS = new Set(['textarea', 'select', 'canvas', 'iframe', 'frame', 'object', 'embed']);
  W.awaitsKeys = () => {
    const el = W.active();
    return !!el && (el.isContentEditable || KEYED_TAGS.has(el.localName) || KEYED.has(el.getAttribute('role')) ||
      (el.localName === 'input' && !NO_TEXT.has(el.type)));
  };

  // What is turned on and off by a press at a point of the top page; kept until `W.turnedBack`.
  const SWITCHES = ['checkbox', 'radio', 'switch'];
  const isNative = (el) => el.localName === 'input' && (el.type === 'checkbox' || el.type === 'radio');
  const isOn = (el) => (isNative(el) ? el.checked : el.getAttribute('aria-checked') === 'true');
  let pressed = null;
  W.switchAt = (x, y) => {
    pressed = null;
    for (let el = W.deepAt(x, y); el; el = el.assignedNodes ? el.getRootNode().host : el.parentElement || el.getRootNode().host) {
      const control = el.localName === 'label' ? el.control : el;
      if (control && (isNative(control) || (SWITCHES.includes(control.getAttribute('role')) && control.hasAttribute('aria-checked')))) {
        if (!isLocked(control)) pressed = { el: control, was: isOn(control) };
        break;
      }
      if (['a', 'button', 'input', 'select', 'textarea', 'label'].includes(el.localName)) break;
    }
    return !!pressed && !(pressed.was && (pressed.el.type === 'radio' || pressed.el.getAttribute('role') === 'radio'));
  };
  // What state it is in, where that is as before the press, or was soon again.
  W.turnedBack = async () => {
    const { el, was } = pressed;
    let came = false;
    const stays = await lasts(() => {
      const turned = !el.isConnected || isOn(el) !== was;
      came ||= turned;
      return turned;
    }, 100, staysFor(el));
    return stays || !(came || isNative(el)) ? null : { found: was ? 'checked' : 'unchecked' };
  };

  let chosen = null;
  // Chooses an option by its name; tells what stands in the way.
  W.select = (gen, i, wanted) => {
    const el = W.element(gen, i);
    if (!el) return { gone: true };
    if (el.localName !== 'select') return { not: true };
    const want = fold(wanted);
    const options = Array.from(el.options);
    const by = [(o) => fold(o.label || o.text) === want, (o) => o.value === wanted, (o) => optionName(o) === want,
      (o) => fold(o.label || o.text).toLowerCase() === want.toLowerCase()];
    let found = [];
    for (const test of by) if ((found = options.filter(test)).length) break;
    if (!found.length) return { options: options.slice(0, 50).map(optionName) };
    // Of several that are called the same, those of one value do the same.
    if (found.some((o) => o.value !== found[0].value)) {
      return { several: found.map((o) => (optionName(o) === want || optionName(o) === fold(o.label || o.text) ? o.value : optionName(o))) };
    }
    const option = found[0];
    if (isLocked(el) || option.matches(':disabled')) return { disabled: true };
    const same = option.selected;
    el.focus();
    if (same) return { same };
    if (el.multiple) option.selected = true;
    else el.selectedIndex = option.index;
    chosen = { el, option };
    tell(el, ['input', 'change']);
    return {};
  };
  // What is chosen, where that is no longer the option that was chosen last.
  W.choiceGone = async () => {
    const { el, option } = chosen;
    const stays = await lasts(() => !option.isConnected || option.selected, 0, staysFor(el));
    return stays ? null : { found: valueOf(el, 'select', 'combobox') };
  };

  // Editors that keep what they hold beside the document: a change of the document alone breaks them.
  const KEEPERS = '.cm-content, .ProseMirror, .ql-editor, [data-lexical-editor], [data-slate-editor], trix-editor';
  const isHost = (el) => el.isContentEditable && !(el.parentElement && el.parentElement.isContentEditable);
  const byKeys = (el) => isEditor(el) || isHost(el);
  // Whether an editor holds nothing: hints and marks that it draws are not its text.
  const isBare = (el) => {
    if (isEditor(el)) return !W.text.valueOf(el, el.localName, 'textbox').trim();
    let text = el.textContent;
    for (const drawn of el.querySelectorAll('[contenteditable=false], .cm-placeholder, .placeholder')) {
      if (!drawn.parentElement.closest('[contenteditable=false]')) text = text.replace(drawn.textContent, '');
    }
    return !text.replace(/[\u200b\ufeff]/g, '').trim();
  };

  // Focuses an editable element and selects all that is in it, for the Delete key to follow; `keys` where the keys of
  // the editor itself have to select.
  W.prepareClear = (gen, i) => {
    const el = W.element(gen, i);
    if (!el) return { gone: true };
    if (el.localName === 'select' || (el.localName === 'input' && NO_TEXT.has(el.type))) return { not: true };
    if (isLocked(el)) return { disabled: true };
    el.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (byKeys(el)) {
      const field = isEditor(el) && el.querySelector('textarea, .native-edit-context, [contenteditable]');
      if (field && field.readOnly) return { disabled: true };
      (field || el).focus();
      return isBare(el) ? { empty: true } : { keys: true };
    }
    el.focus();
    if ('value' in el) {
      if (el.value === '') return { empty: true };
      if (el.select) {
        el.select();
        // Dates, colours and the like have no selection.
        if (el.localName === 'input' && el.selectionStart === null && !['email', 'number'].includes(el.type)) {
          el.value = '';
          tell(el, ['input', 'change']);
          return el.value === '' ? { empty: true, set: true } : { holds: el.value };
        }
      }
      return {};
    }
    if (!el.isContentEditable) return { not: true };
    if (el.textContent === '') return { empty: true };
    el.ownerDocument.getSelection().selectAllChildren(el);
    return {};
  };

  // Waits for an editor to draw that it is empty.
  W.emptied = async (gen, i) => {
    const el = W.element(gen, i);
    const end = performance.now() + 1000;
    while (el && !isBare(el) && performance.now() < end) {
      await nap(20);
    }
    return !!el && isBare(el);
  };

  // Empties by force what a key could not.
  W.forceClear = (gen, i) => {
    const el = W.element(gen, i);
    if (!el) return false;
    if ('value' in el ? el.value === '' : el.textContent.trim() === '') return true;
    if (isEditor(el) || el.matches(KEEPERS)) return false;
    // Here the setter is the browser's own, whatever the page has put in its place.
    if ('value' in el) el.value = '';
    else el.textContent = '';
    tell(el, ['input', 'change']);
    return 'value' in el ? el.value === '' : el.textContent === '';
  };
})();
