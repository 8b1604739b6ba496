const all = (selector) => { try { return [...document.querySelectorAll(selector)]; } catch (e) { return []; } };
const texts = (selector) => all(selector).map((e) => (e.textContent || '').trim());
const direct = (selector) => {
  const first = all(selector)[0];
  return first ? [...first.childNodes].filter((n) => n.nodeType === 3).map((n) => n.textContent.trim()).filter(Boolean) : [];
};
const heads = (selector) => all(selector).map((e) => e.querySelector('h3')).filter(Boolean).map((e) => e.textContent.trim());
const items = (selector) => all(selector + ' li.catAllProducts').map((e) => e.querySelector('span')).filter(Boolean).map((e) => e.innerText.trim());
const path = (xpath) => { try { return document.evaluate(xpath, document, null, 9, null).singleNodeValue; } catch (e) { return null; } };
const byXpath = (xpath) => { const e = path(xpath); return e ? [(e.textContent || '').trim()] : []; };
const input = (xpath) => { const e = path(xpath); return e && 'value' in e ? [String(e.value).trim()] : []; };
const label = (text) => {
  const wanted = text.replace(/^['\x22]|['\x22]$/g, '').toLowerCase();
  const fits = (e) => (e.textContent || '').replace(/\s+/g, ' ').toLowerCase().includes(wanted);
  let found = null;
  for (const e of all('body *')) if (fits(e) && ![...e.children].some(fits)) { found = e; break; }
  return found ? [(found.textContent || '').trim()] : [];
};
