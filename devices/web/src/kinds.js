// What an element is, and whether it can be touched; runs in an isolated world beside names.js.
(() => {
  const W = globalThis.__waldo;
  if (!W || W.kinds) return;
  // Never seen themselves, with all that lies in them.
  const SKIPPED = new Set(['script', 'style', 'head', 'template', 'noscript', 'br', 'link', 'meta']);
  const ROLES = new Set(('button link checkbox radio tab menuitem menuitemcheckbox menuitemradio option switch ' +
    'slider combobox textbox searchbox spinbutton treeitem gridcell columnheader rowheader scrollbar listbox').split(' '));
  const TYPES = {
    checkbox: 'checkbox', radio: 'radio', button: 'button', submit: 'button', reset: 'button', image: 'button',
    file: 'button', color: 'button', range: 'slider', number: 'spinbutton', search: 'searchbox',
  };
  const HANDLERS = ['onclick', 'onmousedown', 'onmouseup', 'onpointerdown', 'ontouchstart', 'ondblclick'];
  // Never asked whether they listen: they can be touched anyway, or stand for the whole page.
  const OWN = new Set(['a', 'button', 'input', 'select', 'textarea', 'option', 'label', 'summary', 'canvas',
    'html', 'body']);
  // Boxes that hold others, whatever makes them look as if they could be touched.
  const HOLDERS = new Set(('toolbar tabpanel tablist menubar menu group radiogroup navigation complementary main region ' +
    'dialog alertdialog banner contentinfo form search article document application list grid treegrid tree table ' +
    'rowgroup feed log').split(' '));
  // Those of them that never are what is meant, also where nothing in them can be pressed now.
  const FRAMES = new Set(('toolbar tabpanel tablist menubar navigation complementary main banner contentinfo dialog ' +
    'alertdialog').split(' '));
  // Cells of grids, and what says of one that it can be pressed.
  const CELLS = new Set(['gridcell', 'columnheader', 'rowheader']);
  const TOLD = ['tabindex', 'aria-selected', 'aria-sort'];
  const ROWS = new Set(['row', 'listitem', 'treeitem', 'option', 'gridcell']);

  const LISTENS = '__LISTENS__';
  const ask = (target, name) => !target.dispatchEvent(new Event(name, { cancelable: true, composed: true }));
  // Whether listeners.js stands in this document's own world.
  const hears = (view) => {
    try { return ask(view.performance, LISTENS); } catch { return false; }
  };
  const listens = (el) => ask(el, LISTENS);
  const opensHovered = (el) => ask(el, `${LISTENS}-opens`);
  const isDropTarget = (el) => ask(el, `${LISTENS}-drop`);

  // Editors that draw their text themselves and take keys through a hidden field.
  const isEditor = (el) => {
    const list = el.classList;
    return list.contains('CodeMirror') || list.contains('monaco-editor') || list.contains('ace_editor');
  };

  // Whether the Tab key reaches another that is made as `el` is, in the same list: arrow keys lead to the others.
  const NEAR = 4;
  const roves = (job, el) => {
    const role = el.getAttribute('role'), classes = Array.from(el.classList, (name) => `.${CSS.escape(name)}`).join('');
    if (!role && !classes) return false;
    for (let at = el.parentElement, n = 0; at && n < NEAR && at.localName !== 'body'; at = at.parentElement, n++) {
      if (at.childElementCount < 2) continue;
      const alike = `${el.localName}${classes || `[role="${CSS.escape(role)}"]`}[tabindex="0"]`;
      let known = job.roving.get(at);
      if (!known) job.roving.set(at, (known = new Map()));
      let found = known.get(alike);
      if (found === undefined) known.set(alike, (found = at.querySelector(alike) !== null));
      if (found) return true;
    }
    return false;
  };

  // Whether a box itself listens for presses, asked once in a look.
  const isHeardBox = (job, box) => {
    let heard = job.boxes.get(box);
    if (heard === undefined) job.boxes.set(box, (heard = ask(box, `${LISTENS}-press`)));
    return heard;
  };

  // The same of a list of items that lies in an item of a list that listens.
  const isHeardList = (job, list) => {
    const item = list.parentElement, outer = item && item.localName === 'li' ? item.parentElement : null;
    return !!outer && (isHeardBox(job, outer) || isHeardList(job, outer));
  };

  const look = (el) => `${el.localName}.${el.getAttribute('class') || ''}`;
  const ALIKE = 3;
  const COLUMNS = 20;
  const LISTS = new Set(['ul', 'ol', 'tbody', 'list', 'listbox', 'tree', 'grid', 'rowgroup']);
  // Whether a box above listens for presses on its children, of which most look like `el`.
  const delegated = (job, el) => {
    const parent = el.parentElement;
    if (!parent || parent.localName === 'body' || parent.localName === 'html') return false;
    let alike = job.delegates.get(parent);
    if (alike === undefined) {
      // Lists and tables are often heard by the box around them.
      const listed = LISTS.has(parent.localName) || LISTS.has(parent.getAttribute('role'));
      const box = listed ? parent.parentElement : null;
      alike = null;
      const own = isHeardBox(job, parent) || (listed && isHeardList(job, parent));
      if (own || (box && !OWN.has(box.localName) && isHeardBox(job, box))) {
        // The columns of a board are one list in several boxes.
        const like = look(parent), columns = parent.getAttribute('class') && parent.parentElement
          ? Array.from(parent.parentElement.children).slice(0, COLUMNS).filter((at) => look(at) === like) : [parent];
        const looks = new Map();
        let count = 0;
        for (const column of columns) {
          for (let kid = column.firstElementChild; kid; kid = kid.nextElementSibling) {
            const of = look(kid);
            looks.set(of, (looks.get(of) || 0) + 1);
            count++;
          }
        }
        for (const [of, n] of looks) if (n >= (listed && own ? 1 : ALIKE) && n * 2 > count) alike = of;
      }
      job.delegates.set(parent, alike);
    }
    return alike !== null && alike === look(el) && el.textContent.trim() !== '';
  };

  // Whether a box a few levels above listens for presses.
  const LEVELS = 4;
  const isHeardAbove = (job, el) => {
    for (let at = el.parentElement, n = 0; at && n < LEVELS && !OWN.has(at.localName); at = at.parentElement, n++) {
      if (isHeardBox(job, at)) return true;
    }
    return false;
  };
  // A part that lights up under the pointer, in a box that listens: heads by which a list is sorted, crosses of tabs.
  const isLit = (job, place, el) => place.lit !== '' && el.localName !== 'tr' && el.localName !== 'td' && isHeardAbove(job, el) &&
    el.matches(place.lit);

  // A row of a grid or tree of which the cells are not targets of their own.
  const inGrid = (el) => !!el.closest('[role=grid],[role=treegrid],[role=tree]');

  // A cell of a grid around which somebody listens for presses: a day of a calendar.
  const BOXES = 6;
  const isHeardCell = (job, { place }, el) => {
    const grid = place.hears && el.closest('[role=grid],[role=treegrid]');
    for (let at = grid, n = 0; at && at.localName !== 'body' && n < BOXES; at = at.parentElement, n++) {
      if (isHeardBox(job, at)) return true;
    }
    return false;
  };

  // What `el` is, or null. `why` says what makes it something to press.
  const classify = (job, level, el, tag, clips, ox, oy, cursor) => {
    const pointerRoot = cursor === 'pointer';
    const given = el.getAttribute('role');
    let explicit = given ? given.trim().split(/\s+/)[0].toLowerCase() : '';
    if (explicit === 'none') explicit = 'presentation';
    // What a list shows as chosen is the list's own.
    if (explicit === 'textbox' && el.getAttribute('aria-readonly') === 'true' && el.parentElement &&
        el.parentElement.closest('[role=combobox]')) explicit = '';
    let role = '', click = false, edit = false, select = false, drag = false, upload = false, target = el, why = '';
    switch (tag) {
      case 'a': case 'area': if (el.hasAttribute('href')) { role = 'link'; click = true; } break;
      case 'button': role = 'button'; click = true; break;
      case 'summary': role = 'button'; click = true; break;
      case 'input':
        if (el.type === 'hidden') return null;
        role = TYPES[el.type] || 'textbox';
        click = true;
        edit = role === 'textbox' || role === 'searchbox' || role === 'spinbutton' || el.type === 'range' || el.type === 'color';
        upload = el.type === 'file';
        drag = role === 'slider';
        break;
      case 'select': role = el.multiple || el.size > 1 ? 'listbox' : 'combobox'; click = true; select = true; break;
      case 'option': if (el.parentElement && (el.parentElement.multiple || el.parentElement.size > 1)) { role = 'option'; click = true; } break;
      case 'textarea': role = 'textbox'; click = true; edit = true; break;
      case 'canvas': role = 'canvas'; click = true; break;
      case 'video': case 'audio': if (el.controls) { role = tag; click = true; } break;
      case 'div': if (el.hasAttribute('class') && isEditor(el)) { role = 'textbox'; click = true; edit = true; } break;
      case 'label': {
        const control = el.control;
        if (control && control.localName === 'input') {
          const r = control.getBoundingClientRect();
          const s = getComputedStyle(control);
          if (r.width < 4 || r.height < 4 || s.display === 'none' || s.visibility !== 'visible' || s.opacity === '0' ||
              r.right < 0 || r.bottom < 0 || s.clip !== 'auto' || s.clipPath !== 'none') {
            role = TYPES[control.type] || 'textbox';
            click = true;
            upload = control.type === 'file';
            target = control;
          }
        }
        break;
      }
    }
    if (explicit && ROLES.has(explicit) &&
        (!CELLS.has(explicit) || click || TOLD.some((name) => el.hasAttribute(name)) || !el.closest('[role=row]'))) {
      role = explicit;
      click = true;
      if ((role === 'textbox' || role === 'searchbox') && el.isContentEditable) edit = true;
      if (role === 'slider') drag = true;
    } else if (explicit === 'presentation') explicit = '';
    else if (explicit && role) role = explicit;
    if (!level.editable && el.hasAttribute('contenteditable') && el.isContentEditable) { role = role || 'textbox'; click = true; edit = true; }
    if (!click) {
      const tabs = el.hasAttribute('tabindex');
      if (el.attributes.length && HANDLERS.some((name) => el.hasAttribute(name))) why = 'handler';
      else if (tabs && el.tabIndex >= 0) why = 'tab';
      else if (el.hasAttribute('aria-haspopup') && el.getAttribute('aria-haspopup') !== 'false') why = 'popup';
      else if (pointerRoot && tag !== 'label' && tag !== 'html' && tag !== 'body') why = 'pointer';
      else if (explicit === 'row' && inGrid(el) && !el.querySelector('[role=columnheader]')) why = 'row';
      else if (tabs && roves(job, el)) why = 'roving';
      else if (explicit === 'gridcell' && isHeardCell(job, level, el)) why = 'cell';
      if (why) { role = role || explicit || 'generic'; click = true; }
    }
    if ((el.hasAttribute('draggable') && el.draggable) || cursor === 'grab' || cursor === 'move') { role = role || explicit || 'generic'; drag = true; }
    const scroll = clips && (((oy === 'auto' || oy === 'scroll') && el.scrollHeight > el.clientHeight + 1) ||
        ((ox === 'auto' || ox === 'scroll') && el.scrollWidth > el.clientWidth + 1)) &&
      el.clientHeight > 8 && el.clientWidth > 8 && tag !== 'html' && tag !== 'body' && tag !== 'select';
    if (!click && !drag && !scroll) return null;
    if (!role) role = explicit || (scroll ? 'region' : 'generic');
    return { role, click, edit, select, scroll, drag, upload, target, why };
  };

  const CONTROLS = new Set(['a', 'button', 'input', 'select', 'textarea']);
  // Most elements do not listen, and neither do their siblings: one question answers for all of them.
  const GROUP = 8, GROUP_MOST = 512;
  const siblingsListen = (job, el) => {
    const parent = el.parentElement;
    if (!parent) return true;
    let some = job.silent.get(parent);
    if (some === undefined) {
      const count = parent.childElementCount;
      some = count < GROUP || count > GROUP_MOST || ask(parent, `${LISTENS}-kids`);
      job.silent.set(parent, some);
    }
    return some;
  };

  // Whether it is worth asking if it listens.
  const mayListen = ({ place, owner }, el, tag) => {
    if (!place.hears || (OWN.has(tag) && (tag !== 'a' || el.hasAttribute('href')))) return false;
    // The parts of a button are the button.
    if (owner && owner.kind.click && owner.kind.role === 'button') return false;
    // A box with nothing but a control in it is that control.
    const only = el.firstChild;
    return !(only && only === el.lastChild && CONTROLS.has(only.localName));
  };

  // What `kind` becomes where the element, or a box above it for its children, listens for presses.
  const heard = (job, place, el, kind, rect) => {
    // A listener on a large part of the page serves what lies inside.
    const size = rect[2] * rect[3], view = innerWidth * innerHeight;
    if (size > view / 4) return kind;
    let why = '';
    if (siblingsListen(job, el) && listens(el)) why = 'listener';
    else if (size <= view / 8 && delegated(job, el)) why = 'delegated';
    else if (size <= view / 40 && !(kind && kind.drag) && isLit(job, place, el)) why = 'lit';
    if (!why) return kind;
    const given = (el.getAttribute('role') || '').trim().split(/\s+/)[0].toLowerCase();
    const role = kind ? kind.role : given && given !== 'presentation' && given !== 'none' ? given
      : el.localName === 'a' ? 'link' : 'generic';
    return { role, click: true, edit: false, select: false, scroll: !!kind && kind.scroll, drag: !!kind && kind.drag,
      upload: false, hover: opensHovered(el), target: el, why };
  };

  // Takes the press from boxes that only hold what can be pressed. `found` is in document order, and the `owner`
  // of each is the nearest before it that it lies in.
  const sift = (found) => {
    const view = innerWidth * innerHeight;
    for (let i = found.length - 1; i >= 0; i--) {
      const item = found[i], { kind } = item;
      if (!kind) continue;
      const { why, role } = kind;
      // A cell without words of its own around what can be pressed.
      const isBare = !why && role === 'gridcell' && item.presses > 0 && !item.el.textContent.trim();
      if (kind.click && (isBare || (why && isHolder(item, why, role, view)))) {
        kind.click = false;
        if (kind.scroll && role === 'generic') kind.role = 'region';
      }
      if (item.owner && (kind.click || item.inner)) item.owner.inner = true;
      if (item.owner && kind.click) item.owner.presses++;
      if (item.owner && why === 'delegated') item.owner.serves = true;
      if (item.owner && (kind.drag || item.drags)) item.owner.drags = true;
      if (item.owner && (role === 'gridcell' || item.cells)) item.owner.cells = true;
    }
  };
  const isHolder = (item, why, role, view) => {
    const size = item.rect[2] * item.rect[3];
    if (why === 'row' || (role === 'row' && why === 'tab' && item.cells)) return item.cells;
    // What is dragged out of one box is dropped on another.
    if (item.drags) return false;
    if (FRAMES.has(role) && why !== 'pointer' && why !== 'handler') return true;
    // The shade behind a dialog.
    if (!item.inner) return role === 'generic' && item.fixed && size > view * 0.8 && !item.el.textContent.trim();
    if (HOLDERS.has(role) || (why === 'listener' && item.serves)) return true;
    // An item of a list may be pressed itself where it holds another list.
    if (why === 'delegated') return item.tag !== 'li' || !item.el.querySelector('ul,ol');
    if (ROWS.has(role) || item.tag === 'li' || item.tag === 'tr') return false;
    if (why === 'pointer' || why === 'roving' || why === 'popup') return size > view / 4;
    return size > view / 40;
  };

  // Whether anything listens for a change of `el`, there or above.
  const isHeard = (el) => !hears(el.ownerDocument.defaultView) || ask(el, `${LISTENS}-turns`);

  W.kinds = { SKIPPED, HOLDERS, CELLS, classify, mayListen, heard, hears, listens, isDropTarget, sift, isEditor, isHeard };
})();
