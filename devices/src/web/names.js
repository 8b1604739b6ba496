// What elements are called and what they hold; runs in an isolated world beside activity.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.text) return;
  const CONTENT_NAMED = new Set(('button link checkbox radio tab menuitem menuitemcheckbox menuitemradio option ' +
    'switch treeitem gridcell columnheader rowheader generic heading summary').split(' '));
  // How much of a text is told. Whoever masks wants more, and cuts it after that.
  let MAX = 200;
  const keep = (max) => { MAX = max; };
  const kept = () => MAX;

  const PLAIN = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;
  const fold = (text) => text === '' || PLAIN.test(text) ? text :
    text.replace(/[\u0000-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\s]+/g, ' ').trim();
  const cut = (text) => {
    const folded = fold(text.length > 4 * MAX ? text.slice(0, 4 * MAX) : text);
    return folded.length > MAX ? Array.from(folded).slice(0, MAX).join('') : folded;
  };

  // Text of what is shown inside, images by their alternatives, cut early.
  const MUTE = new Set(['script', 'style', 'noscript', 'template']);
  const textOf = (root) => {
    const only = root.firstChild;
    if (!only && !root.shadowRoot && root.localName !== 'slot') return '';
    if (only && only.nodeType === 3 && !only.nextSibling && !root.shadowRoot && root.localName !== 'slot') {
      return MUTE.has(root.localName) ? '' : cut(only.data);
    }
    let out = '';
    const visit = (node) => {
      if (out.length > 2 * MAX) return;
      if (node.nodeType === 3) { out += node.data; return; }
      if (node.nodeType !== 1) return;
      const tag = node.localName;
      if (MUTE.has(tag)) return;
      if (node !== root) {
        if (node.getAttribute('aria-hidden') === 'true') return;
        const label = node.getAttribute('aria-label');
        if (label) { out += ' ' + label + ' '; return; }
        if (tag === 'img') { out += ' ' + (node.alt || '') + ' '; return; }
        if (tag === 'select' || tag === 'textarea' || tag === 'input') return;
        if (tag === 'title' && node.namespaceURI.endsWith('svg')) { out += ' ' + node.textContent + ' '; return; }
        if (node.checkVisibility && !node.checkVisibility({ visibilityProperty: true })) return;
      }
      const kids = node.shadowRoot ? node.shadowRoot.childNodes
        : tag === 'slot' && node.assignedNodes().length ? node.assignedNodes() : node.childNodes;
      for (const kid of kids) visit(kid);
      if (tag === 'br' || tag === 'p' || tag === 'div' || tag === 'li' || tag === 'td') out += ' ';
    };
    visit(root);
    return cut(out);
  };

  const byIds = (el, ids) => {
    const scope = el.getRootNode();
    return cut(ids.split(/\s+/).map((id) => {
      const other = id && scope.getElementById ? scope.getElementById(id) : null;
      return other ? other.getAttribute('aria-label') || textOf(other) : '';
    }).join(' '));
  };

  const nameOf = (el, tag, role) => {
    let v = el.getAttribute('aria-labelledby');
    if (v && (v = byIds(el, v))) return v;
    if ((v = el.getAttribute('aria-label')) && (v = cut(v))) return v;
    if (el.labels && el.labels.length) {
      v = cut(Array.from(el.labels, textOf).join(' '));
      if (v) return v;
    }
    if (tag === 'input') {
      if (el.type === 'submit' || el.type === 'button' || el.type === 'reset') {
        return cut(el.value || el.title || (el.type === 'submit' ? 'Submit' : el.type === 'reset' ? 'Reset' : ''));
      }
      if (el.type === 'image') return cut(el.alt || el.title || 'Submit');
    }
    if (tag === 'img' || tag === 'area') { if ((v = cut(el.getAttribute('alt') || ''))) return v; }
    if (CONTENT_NAMED.has(role) && tag !== 'input' && tag !== 'select') { if ((v = textOf(el))) return v; }
    if ((v = el.getAttribute('title')) && (v = cut(v))) return v;
    if ((v = el.getAttribute('placeholder') || el.getAttribute('aria-placeholder')) && (v = cut(v))) return v;
    if (el.namespaceURI && el.namespaceURI.endsWith('svg')) {
      const title = el.querySelector('title');
      if (title && (v = cut(title.textContent))) return v;
    }
    if (tag === 'canvas' || tag === 'video' || tag === 'object') return cut(el.textContent || '');
    return '';
  };

  const valueOf = (el, tag, role) => {
    if (tag === 'input') {
      switch (el.type) {
        case 'password': return '•'.repeat(Math.min(el.value.length, 32));
        case 'checkbox': case 'radio': case 'button': case 'submit': case 'reset': case 'image': return null;
        case 'file': return cut(Array.from(el.files || [], (f) => f.name).join(', '));
        default: return cut(el.value);
      }
    }
    if (tag === 'textarea') return cut(el.value);
    if (tag === 'select') return cut(Array.from(el.selectedOptions, (o) => o.label || o.text).join(', '));
    if (el.isContentEditable) return textOf(el);
    const now = el.getAttribute('aria-valuetext') || el.getAttribute('aria-valuenow');
    if (now !== null) return cut(now);
    if (role === 'textbox' || role === 'searchbox' || role === 'combobox') return textOf(el);
    return null;
  };

  W.text = { fold, cut, textOf, nameOf, valueOf, keep, kept };
})();
