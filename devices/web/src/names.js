// What elements are called and what they hold; runs in an isolated world beside activity.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.text) return;
  const CONTENT_NAMED = new Set(('button link checkbox radio tab menuitem menuitemcheckbox menuitemradio option ' +
    'switch treeitem gridcell columnheader rowheader generic heading summary row listitem').split(' '));
  // How much of a text is told. Whoever masks wants more, and cuts it after that.
  let MAX = 200;
  // The same of texts that have lines.
  const maxLines = () => Math.max(1000, MAX);
  const keep = (max) => { MAX = max; };
  const kept = () => MAX;

  const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
  // Characters for private use are the pictures of icon fonts.
  const ICONS = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g;
  const fold = (text) => text === '' || PLAIN.test(text) ? text :
    text.replace(ICONS, ' ').replace(/[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\s]+/g, ' ').trim();
  const cut = (text) => {
    const folded = fold(text.length > 4 * MAX ? text.slice(0, 4 * MAX) : text);
    return folded.length > MAX ? Array.from(folded).slice(0, MAX - 1).join('') + '…' : folded;
  };
  // The same, with its lines and their indents.
  const cutLines = (text) => {
    const lines = (text.length > 4 * maxLines() ? text.slice(0, 4 * maxLines()) : text).split(/\r\n|\n|\r/)
      .map((line) => line.slice(0, line.length - line.trimStart().length).replace(/\t/g, '  ').replace(/[^ ]/g, ' ') + fold(line));
    while (lines.length && !lines[lines.length - 1].trim()) lines.pop();
    const all = lines.join('\n');
    return all.length > maxLines() ? Array.from(all).slice(0, maxLines() - 1).join('') + '…' : all;
  };
  // "Save Save" is what an icon with an alternative beside its label makes.
  const once = (text) => {
    const half = (text.length - 1) / 2;
    return text.length > 2 && text[half] === ' ' && text.slice(0, half) === text.slice(half + 1) ? text.slice(0, half) : text;
  };

  // Closed shadow trees by their hosts, as the browser tells them from outside, and what their slots show.
  // Worlds of frames of one origin look into each other's documents.
  let outer = null;
  try { outer = parent !== globalThis && parent.__waldo ? parent.__waldo.closed : null; } catch { /* foreign */ }
  const closed = outer || new WeakMap(), slots = new WeakMap();
  W.rootOf = (el) => el.shadowRoot || closed.get(el) || null;
  W.slotOf = (node) => node.assignedSlot || slots.get(node) || null;
  W.slotted = (slot) => {
    const all = slot.assignedNodes();
    for (const node of all) if (!node.assignedSlot) slots.set(node, slot);
    return all;
  };
  W.closed = closed;
  // Boxes that are left out of the layout (`display: contents`) are seen where the one around them is.
  const isSeen = (el, how) => {
    if (el.checkVisibility(how)) return true;
    const { display, visibility } = getComputedStyle(el);
    const around = el.parentElement || el.getRootNode().host;
    return display === 'contents' && visibility === 'visible' && !!around && isSeen(around, how);
  };
  W.isSeen = isSeen;

  // Whether two texts that follow each other without a space are drawn apart.
  const APART = 2;
  const apart = (a, b) => {
    const range = document.createRange();
    range.selectNodeContents(a);
    const before = Array.from(range.getClientRects()).pop();
    range.selectNodeContents(b);
    const after = range.getClientRects()[0];
    return !!before && !!after && (after.left - before.right > APART || after.right < before.left || after.top >= before.bottom - APART);
  };

  // Text of what is shown inside, images by their alternatives, cut early; without what `but` holds.
  const MUTE = new Set(['script', 'style', 'noscript', 'template']);
  const textOf = (root, but) => {
    const only = root.firstChild, inner = W.rootOf(root);
    if (!only && !inner && root.localName !== 'slot') return '';
    if (only && only.nodeType === 3 && !only.nextSibling && !inner && root.localName !== 'slot') {
      return MUTE.has(root.localName) ? '' : cut(only.data);
    }
    let out = '', last = null;
    const visit = (node) => {
      if (out.length > 2 * MAX) return;
      if (node.nodeType === 3) {
        if (/\S/.test(node.data)) {
          if (last && /\S$/.test(out) && /^\S/.test(node.data) && apart(last, node)) out += ' ';
          last = node;
        }
        out += node.data;
        return;
      }
      if (node.nodeType !== 1) return;
      const tag = node.localName;
      if (MUTE.has(tag) || (but && but.has(node))) return;
      if (node !== root) {
        if (node.getAttribute('aria-hidden') === 'true') return;
        const label = node.getAttribute('aria-label');
        if (label) { out += ' ' + label + ' '; return; }
        if (tag === 'img') { out += ' ' + (node.alt || '') + ' '; return; }
        if (tag === 'select' || tag === 'textarea' || tag === 'input') return;
        if (tag === 'title' && node.namespaceURI.endsWith('svg')) { out += ' ' + node.textContent + ' '; return; }
        if (node.checkVisibility && !isSeen(node, { visibilityProperty: true })) return;
      }
      const shadow = W.rootOf(node), given = tag === 'slot' ? W.slotted(node) : [];
      const kids = shadow ? shadow.childNodes : given.length ? given : node.childNodes;
      for (const kid of kids) visit(kid);
      if (tag === 'br' || tag === 'p' || tag === 'div' || tag === 'li' || tag === 'td') out += ' ';
    };
    visit(root);
    return cut(out);
  };

  const byIds = (el, ids, without) => {
    const scope = el.getRootNode();
    return cut(ids.split(/\s+/).map((id) => {
      const found = id && scope.getElementById ? scope.getElementById(id) : null;
      const other = found && without && without.contains(found) ? null : found;
      return other ? other.getAttribute('aria-label') || textOf(other) : '';
    }).join(' '));
  };

  const TIPS = ['title', 'data-tooltip', 'data-original-title', 'data-bs-original-title', 'data-title', 'data-tip', 'data-hint'];
  const tipOf = (el) => {
    for (const name of TIPS) {
      const v = el.getAttribute(name);
      if (v && cut(v)) return cut(v);
    }
    return '';
  };
  const ICON_CLASS = /(?:^|\s)(?:(?:[a-z]+-){0,2}icon|fa|bi|glyphicon|mdi|ti|ri|codicon|octicon)-(?!(?:left|right|only|start|end)\b)([a-z][a-z0-9-]{2,})/;
  // What is only drawn: tips and alternatives of what lies inside, names of icons.
  const drawnName = (el) => {
    let icon = '';
    let n = 0;
    for (const kid of [el, ...el.querySelectorAll('*')]) {
      if (++n > 30) break;
      if (kid !== el) {
        if (!isSeen(kid, { visibilityProperty: true })) continue;
        const v = tipOf(kid) || cut(kid.getAttribute('aria-label') || kid.getAttribute('alt') || '');
        if (v) return v;
      }
      if (icon) continue;
      const given = kid.getAttribute('data-icon');
      const use = kid.localName === 'use' ? kid.getAttribute('href') || kid.getAttribute('xlink:href') : '';
      if (given) icon = given.split(':').pop();
      else if (use && use.includes('#')) icon = use.split('#').pop();
      else {
        const named = ICON_CLASS.exec(kid.getAttribute('class') || '');
        if (named) icon = named[1];
      }
    }
    return cut(icon.replace(/^(?:icon|svg|ic)[-_]/, '').replace(/[-_]+/g, ' ')) || hiddenName(el);
  };
  // Words that a style takes away, as where only an icon is drawn.
  const hiddenName = (el) => {
    const text = el.querySelector('a,button,input,li,[role]') ? '' : fold(el.textContent.slice(0, 4 * NEAR));
    return text.length <= NEAR ? text : '';
  };

  const WRITTEN = 'textbox searchbox combobox spinbutton slider listbox'.split(' ');
  const FIELDS = new Set([...WRITTEN, 'checkbox', 'radio', 'switch']);
  const NEAR = 60;
  const brief = (text) => text.length <= NEAR ? text.replace(/[\s:*]+$/, '') : '';
  const near = (node) => {
    // What is typed into another field is not what this one is called.
    const named = node && !node.isContentEditable && !node.querySelector('input,select,textarea,button,[contenteditable]');
    return named ? brief(textOf(node)) : '';
  };
  // The words at the head of a cell's row and of its column.
  const headsOf = (cell) => {
    const row = cell.parentElement, table = cell.closest('table');
    if (!table || row.localName !== 'tr') return '';
    const before = (head) => head.compareDocumentPosition(cell) & Node.DOCUMENT_POSITION_FOLLOWING;
    const own = Array.from(row.cells).filter((head) => head.localName === 'th' && before(head)).pop();
    const column = columnOf(cell);
    let top = null;
    for (const other of Array.from(table.rows).slice(0, HEAD_ROWS)) {
      if (other === row) break;
      top = Array.from(other.cells).find((head) => head.localName === 'th' && head.colSpan === 1 && columnOf(head) === column) || top;
    }
    return [own, top].map((head) => head ? near(head) : '').filter((text) => text).join(', ');
  };
  const HEAD_ROWS = 3;
  const columnOf = (cell) => {
    let column = 0;
    for (let at = cell.previousElementSibling; at; at = at.previousElementSibling) column += at.colSpan || 1;
    return column;
  };
  // What stands before a field that has no name: the cell or the box to its left, or the words before it.
  const besideOf = (el) => {
    // Words stand after what is ticked.
    if (el.type === 'checkbox' || el.type === 'radio') {
      const after = el.nextSibling, box = el.nextElementSibling;
      const text = after && after.nodeType === 3 && fold(after.data) ? fold(after.data)
        : box && box.localName !== 'label' && box.localName !== 'br' ? near(box) : '';
      if (text && text.length <= NEAR) return text;
    }
    const cell = el.closest('td,dd');
    if (cell) {
      const heads = headsOf(cell);
      if (heads) return heads;
      const before = cell.previousElementSibling;
      if (before && (before.localName === 'th' || before.localName === 'td' || before.localName === 'dt')) return near(before);
      return '';
    }
    for (let at = el, n = 0; at && n < 3; at = at.parentElement, n++) {
      if (at.localName === 'form' || at.localName === 'body') break;
      const label = at === el ? '' : cut(at.getAttribute('aria-label') || '');
      if (label && at.querySelectorAll('input,select,textarea').length === 1) return label;
      const before = at.previousSibling;
      if (before && before.nodeType === 3 && fold(before.data)) {
        return brief(fold(before.data));
      }
      const box = at.previousElementSibling;
      // The label of another field.
      if (box && box.localName === 'label' && box.control && box.control !== el) return '';
      if (box) return ['label', 'span', 'b', 'strong', 'div', 'p', 'dt', 'th'].includes(box.localName) ? near(box) : '';
    }
    return '';
  };

  // The words that are drawn to the left of a field, or above it, wherever they stand in the page's tree.
  const STEPS = [6, 24, 60, 110];
  const drawnBeside = (el) => {
    const box = el.getBoundingClientRect(), root = el.getRootNode();
    const words = (x, y) => {
      const at = x > 0 && y > 0 && root.elementFromPoint ? root.elementFromPoint(x, y) : null;
      if (!at || at.contains(el) || el.contains(at)) return null;
      const label = at.closest('label');
      const others = at.closest('a,button,[role=button],[role=link],[draggable=true]') || (label && label.control && label.control !== el);
      return others ? '' : near(at);
    };
    for (const step of STEPS) {
      const text = words(box.left - step, box.top + box.height / 2);
      if (text !== null) return text;
    }
    return words(box.left + 4, box.top - 8) || '';
  };

  // The label of the part of a form in which an editor is the only field that can be seen: what it is for is often hidden.
  const LEVELS = 8;
  const labelAround = (el) => {
    for (let at = el.parentElement, n = 0; at && n < LEVELS && at.localName !== 'form'; at = at.parentElement, n++) {
      const label = at.querySelector('label,legend');
      if (!label) continue;
      const others = Array.from(at.querySelectorAll('input,select,textarea,[contenteditable=true],[contenteditable=""]'));
      const alone = !others.some((other) => other !== el && !other.contains(el) && !el.contains(other) && isSeen(other));
      return alone && label.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING ? near(label) : '';
    }
    return '';
  };

  // The words that a field lies on which cannot be seen itself: what people see there is what they press.
  const CLEAR = 0.05;
  const beneath = (el) => {
    const box = el.getBoundingClientRect(), root = el.getRootNode();
    if (!root.elementsFromPoint || Number(getComputedStyle(el).opacity) > CLEAR) return '';
    for (let at of root.elementsFromPoint(box.left + box.width / 2, box.top + box.height / 2)) {
      if (at.contains(el)) continue;
      while (at.parentElement && !at.parentElement.contains(el)) at = at.parentElement;
      const text = at.querySelector('input,select,textarea') ? '' : brief(textOf(at));
      if (text) return text;
    }
    return '';
  };

  const nameOf = (el, tag, role, but) => {
    const name = givenName(el, tag, role, but);
    if (name) {
      // A bare count or sign says little.
      const tip = /\p{L}/u.test(name) || FIELDS.has(role) ? '' : tipOf(el);
      return tip && tip !== name ? cut(`${name} (${tip})`) : once(name);
    }
    const typed = tag === 'input' || tag === 'select' || tag === 'textarea';
    const told = el.getAttribute('aria-describedby');
    return tipOf(el) || (tag === 'input' ? beneath(el) : '') || ((typed || role === 'switch' || role === 'combobox') ? besideOf(el) : '') ||
      (told && byIds(el, told)) || (el.isContentEditable ? labelAround(el) : WRITTEN.includes(role) ? drawnBeside(el) : '') ||
      (typed || W.kinds.HOLDERS.has(role) || role === 'textbox' ? '' : drawnName(el));
  };
  const CONTROLS = 'button,input,select,textarea,a[href],[role=button],[role=link]';
  const LABELLED = new Set(['button', 'input', 'meter', 'output', 'progress', 'select', 'textarea']);
  // Labels by the field that they are for, for each root of a tree. The browser's own list of them (`labels`) looks
  // through the whole tree for every field.
  let labelled = new Map();
  const forget = () => { labelled = new Map(); };
  const labelsOf = (el) => {
    const root = el.getRootNode();
    let fields = labelled.get(root);
    if (!fields) {
      labelled.set(root, (fields = new Map()));
      for (const label of root.querySelectorAll('label')) {
        const field = label.control;
        if (!field) continue;
        const all = fields.get(field);
        if (all) all.push(label); else fields.set(field, [label]);
      }
    }
    return fields.get(el) || [];
  };
  const givenName = (el, tag, role, but) => {
    let v = el.getAttribute('aria-labelledby');
    // What a chooser shows as chosen is no name of it.
    if (v && (v = byIds(el, v, role === 'combobox' ? el : null))) return v;
    if ((v = el.getAttribute('aria-label')) && (v = cut(v))) return v;
    if (LABELLED.has(tag) || tag.includes('-')) {
      v = cut((LABELLED.has(tag) ? labelsOf(el) : Array.from(el.labels || [])).map((label) => textOf(label) || tipOf(label)).join(' '));
      if (v) return v;
    }
    if (tag === 'input') {
      if (el.type === 'submit' || el.type === 'button' || el.type === 'reset') {
        return cut(el.value || el.title || (el.type === 'submit' ? 'Submit' : el.type === 'reset' ? 'Reset' : ''));
      }
      if (el.type === 'image') return cut(el.alt || el.title || 'Submit');
    }
    if (tag === 'img' || tag === 'area') { if ((v = cut(el.getAttribute('alt') || ''))) return v; }
    if (CONTENT_NAMED.has(role) && tag !== 'input' && tag !== 'select') {
      // A panel is not called by all that its controls say.
      const controls = role === 'generic' ? el.querySelectorAll(CONTROLS) : [];
      v = controls.length > 1 ? textOf(el, new Set([...controls, ...(but || [])])) : textOf(el, but);
      if (controls.length > 1 && v.length > NEAR) v = `${v.slice(0, NEAR - 1)}…`;
      if (v) return v;
    }
    if ((v = el.getAttribute('placeholder') || el.getAttribute('aria-placeholder')) && (v = cut(v))) return v;
    if ((v = el.getAttribute('title')) && (v = cut(v))) return v;
    if (el.namespaceURI && el.namespaceURI.endsWith('svg')) {
      const title = el.querySelector('title');
      if (title && (v = cut(title.textContent))) return v;
    }
    if (tag === 'canvas' || tag === 'video' || tag === 'object') return cut(el.textContent || '');
    return '';
  };

  // Lines that an editor has drawn, from the top.
  const editorText = (el) => {
    const lines = Array.from(el.querySelectorAll('.CodeMirror-line, .view-lines > .view-line, .ace_text-layer .ace_line'));
    if (lines.length && lines[0].classList.contains('view-line')) {
      lines.sort((a, b) => parseFloat(a.style.top) - parseFloat(b.style.top));
    }
    return cutLines(lines.slice(0, 200).map((line) => line.textContent.replace(/[\u00a0\u200b]/g, ' ')).join('\n'));
  };
  // The text of what is edited in place: one line for each block in it.
  const BLOCKS = new Set(['div', 'p', 'li', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'tr']);
  const linesOf = (el) => {
    const kids = Array.from(el.children).filter((kid) => BLOCKS.has(kid.localName) || kid.localName === 'br');
    if (!kids.length) return el.textContent.includes('\n') && getComputedStyle(el).whiteSpace.startsWith('pre') ? cutLines(el.textContent) : textOf(el);
    return cutLines(Array.from(el.childNodes).slice(0, 200)
      .map((kid) => (kid.localName === 'br' ? '' : kid.nodeType === 1 && kid.children.length ? textOf(kid) : kid.textContent)).join('\n'));
  };

  // What stands in an empty field to say what goes there.
  const HINTS = '[class*=placeholder i],[data-placeholder-text],[data-slate-placeholder]';
  const hintsIn = (el) => new Set(el.querySelectorAll(HINTS));

  const SORTS = new Set(['columnheader', 'rowheader', 'button', 'link', 'generic']);
  // An option's name: with its group, where another group has one of the same name.
  const optionName = (option) => {
    const name = cut(option.label || option.text), group = option.parentElement;
    const list = group && group.localName === 'optgroup' ? option.closest('select') : null;
    const is = (other) => other !== option && cut(other.label || other.text) === name;
    return list && list.options.length <= GROUPED && Array.prototype.some.call(list.options, is) ? cut(`${group.label}: ${name}`) : name;
  };
  // Options among which others of the same name are looked for.
  const GROUPED = 300;

  const valueOf = (el, tag, role) => {
    if (tag === 'input') {
      switch (el.type) {
        case 'password': return '•'.repeat(Math.min(el.value.length, 32));
        case 'checkbox': case 'radio': case 'button': case 'submit': case 'reset': case 'image': return null;
        case 'file': return cut(Array.from(el.files || [], (f) => f.name).join(', '));
        default: return cut(el.value);
      }
    }
    if (tag === 'textarea') return el.value.includes('\n') ? cutLines(el.value) : cut(el.value);
    // An option that cannot be chosen again is a hint.
    if (tag === 'select') {
      return cut(Array.from(el.selectedOptions).filter((o) => o.value !== '' || !(o.disabled || o.hidden))
        .map(optionName).join(', '));
    }
    if (W.kinds.isEditor(el)) return editorText(el);
    if (el.isContentEditable) {
      const hints = hintsIn(el);
      return hints.size ? textOf(el, hints) : linesOf(el);
    }
    const now = el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow');
    if (now !== null) return cut(now);
    const sorted = SORTS.has(role) ? el.closest('[aria-sort]') : null;
    if (sorted && sorted.getAttribute('aria-sort') !== 'none') return cut(sorted.getAttribute('aria-sort'));
    if (role === 'textbox' || role === 'searchbox' || role === 'combobox') return textOf(el, hintsIn(el));
    return null;
  };

  W.text = { fold, cut, apart, textOf, nameOf, valueOf, optionName, keep, kept, forget };
})();
