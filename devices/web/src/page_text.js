(() => {
  // What a page says beside its own text: what stands in fields, in the words that a person sees.
  const shown = (el) => !el.checkVisibility || el.checkVisibility({ visibilityProperty: true });
  const silent = ['hidden', 'checkbox', 'radio', 'range', 'color', 'file', 'image', 'password'];
  const said = (el) => {
    if (el.localName === 'select') return [...el.selectedOptions].map((option) => option.label).join('\n');
    if (el.localName === 'input' && silent.includes(el.type)) return '';
    return el.value || '';
  };
  const values = [];
  const walk = (root) => {
    for (const el of root.querySelectorAll('*')) {
      if (['input', 'textarea', 'select'].includes(el.localName) && shown(el) && said(el)) values.push(said(el));
      if (el.shadowRoot) {
        if (shown(el)) for (const child of el.shadowRoot.children) if (child.innerText) values.push(child.innerText);
        walk(el.shadowRoot);
      }
    }
  };
  walk(document);
  return [document.body ? document.body.innerText : '', ...values].join('\n');
})()
