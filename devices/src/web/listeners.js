// Runs in the page's own world with the console's helpers, which leave no trace in the page: elements that
// listen for presses, or for the pointer where that shows more (a menu that opens by itself), as places in the list
// of all elements, behind the length of that list. Only a hint: a page that lies here changes nothing but what
// is listed.
(() => {
  const all = document.getElementsByTagName('*');
  const own = new Set(['a', 'button', 'input', 'select', 'textarea', 'option', 'label', 'summary', 'canvas',
    'script', 'style', 'link', 'meta', 'head', 'title', 'html', 'body', 'br']);
  const presses = ['click', 'mousedown', 'mouseup', 'pointerdown', 'pointerup', 'touchstart', 'dblclick'];
  const hovers = ['mouseenter', 'mouseover', 'pointerenter', 'pointerover'];
  // Rows that only light up listen too. What opens holds something that is not shown yet, as its own child: the
  // menu and not the bar of menus.
  const shown = { visibilityProperty: true, opacityProperty: true };
  const unseen = new Set(['script', 'style', 'template', 'noscript', 'br', 'link', 'meta']);
  const opens = (el) => {
    for (const kid of el.children) if (!unseen.has(kid.localName) && kid.textContent.trim() && !kid.checkVisibility(shown)) return true;
    return false;
  };
  const out = [all.length];
  const w = innerWidth, h = innerHeight;
  const end = performance.now() + 40;
  for (let i = 0, n = Math.min(all.length, 5000); i < n && performance.now() < end; i++) {
    const el = all[i];
    if (own.has(el.localName)) continue;
    const r = el.getBoundingClientRect();
    if (r.width < 1 || r.height < 1 || r.right <= 0 || r.bottom <= 0 || r.left >= w || r.top >= h) continue;
    // A listener on a large part of the page, or for everything, serves what lies inside.
    if (r.width * r.height > (w * h) / 4) continue;
    const listeners = getEventListeners(el);
    let kinds = 0;
    for (const _ in listeners) kinds++;
    if (!kinds || kinds > 12) continue;
    if (presses.some((name) => name in listeners) || (hovers.some((name) => name in listeners) && opens(el))) out.push(i);
  }
  return out;
})()
