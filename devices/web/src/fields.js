// What fields are filled and chosen with; runs in an isolated world after elements.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.select) return;
  const { fold, cut } = W.text;
  const { isEditor } = W.kinds;

  const tell = (el, names) => {
    for (const name of names) el.dispatchEvent(new (el.ownerDocument.defaultView.Event)(name, { bubbles: true, composed: true }));
  };

  // Chooses an option by its name; gives null when done, otherwise what stands in the way.
  W.select = (gen, i, wanted) => {
    const el = W.element(gen, i);
    if (!el) return { gone: true };
    if (el.localName !== 'select') return { not: true };
    const want = fold(wanted);
    const options = Array.from(el.options);
    const by = [(o) => fold(o.label || o.text) === want, (o) => o.value === wanted,
      (o) => fold(o.label || o.text).toLowerCase() === want.toLowerCase()];
    let option = null;
    for (const test of by) if ((option = options.find(test))) break;
    if (!option) return { options: options.slice(0, 50).map((o) => cut(o.label || o.text)) };
    if (el.disabled || option.disabled) return { disabled: true };
    const same = option.selected;
    el.focus();
    if (el.multiple) option.selected = true;
    else el.selectedIndex = option.index;
    tell(el, ['input', 'change']);
    return { same };
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
    if (el.disabled || el.readOnly) return { disabled: true };
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
          return { empty: true, set: true };
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
      await new Promise((drawn) => setTimeout(drawn, 20));
    }
    return !!el && isBare(el);
  };

  // Empties by force what a key could not.
  W.forceClear = (gen, i) => {
    const el = W.element(gen, i);
    if (!el) return false;
    if ('value' in el ? el.value === '' : el.textContent.trim() === '') return true;
    if (isEditor(el) || el.matches(KEEPERS)) return false;
    if ('value' in el) {
      const proto = el.localName === 'textarea' ? el.ownerDocument.defaultView.HTMLTextAreaElement : el.ownerDocument.defaultView.HTMLInputElement;
      Object.getOwnPropertyDescriptor(proto.prototype, 'value').set.call(el, '');
    } else el.textContent = '';
    tell(el, ['input', 'change']);
    return 'value' in el ? el.value === '' : el.textContent === '';
  };
})();
