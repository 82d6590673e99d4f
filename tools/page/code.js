// The panes: one text a level, and which lines belong together. PTX leads to CUDA, CUDA to Loop IR, Loop IR to the source.

const levels = [
  { name: 'source', title: 'Source' },
  { name: 'loop', title: 'Loop IR' },
  { name: 'cuda', title: 'CUDA' },
  { name: 'ptx', title: 'PTX' },
];
const shownLevels = new Set(['source', 'loop', 'cuda', 'ptx']);
let rows = {};            // by level: { text, number, element, ... }
let kept = null;          // the row that a click chose

// Rows without elements yet.
function rowsOf(fn) {
  const made = { source: [], loop: [], cuda: [], ptx: [] };
  data.files.forEach((file, f) => {
    if (data.files.length > 1) made.source.push({ text: file.name, note: true });
    file.text.lines.forEach(([text], k) => made.source.push({ text, number: k + 1, file: f, touches: [] }));
    addCut(made.source, file.text.left_out, 'the file has them all');
  });
  made.loop = fn.loop.lines.map(([text, file, first, last, touches, main], k) => ({ text, number: k + 1, file, first, last, main, touches: touches || [] }));
  addCut(made.loop, fn.loop.left_out, '--emit=loop-ir prints them all');
  made.cuda = fn.cuda.lines.map(([text, from], k) => ({ text, number: k + 1, from, touches: from ? made.loop[from - 1]?.touches || [] : [] }));
  addCut(made.cuda, fn.cuda.left_out, '-o FILE.cu has them all');
  made.ptx = fn.ptx.lines.map(([text, from], k) => ({ text, number: k + 1, from, touches: from ? ptxTouches(text, made.cuda[from - 1]?.touches || []) : [] }));
  addCut(made.ptx, fn.ptx.left_out, '--emit=ptx prints them all');
  if (fn.ptx.why) made.ptx.push({ text: `There is no PTX here: ${fn.ptx.why}.`, note: true });
  spreadToSource(made);
  return made;
}

function addCut(list, count, where) {
  if (count > 0) list.push({ text: `${plural(count, 'more line')}, left out to keep the page below 1 MB: ${where}.`, note: true });
}

// Of the accesses of a statement, those that this instruction can be.
function ptxTouches(text, touches) {
  const found = /\b(ld|st|atom|red|ldmatrix|stmatrix|cp)\b[.\w:]*?\.(global|shared)/.exec(text);
  if (!found) return [];
  return touches.filter(([k, a]) => {
    const kind = accessAt(k, a).kind;
    const kindOf = { ld: /load$/, ldmatrix: /load$/, st: /store$/, stmatrix: /store$/ }[found[1]] || /./;
    return kind.startsWith('shared') === (found[2] === 'shared') && kindOf.test(kind);
  });
}

// A line of the source has the accesses that stand on it, or in a statement that begins on it.
function spreadToSource(made) {
  for (const row of made.loop) {
    for (const [k, a] of row.touches || []) {
      const range = accessAt(k, a).range;
      const line = range ? range.begin[0] : row.first, file = range ? range.file : row.file;
      const target = made.source.find((s) => s.file === file && s.number === line);
      if (target && !target.touches.some(([x, y]) => x === k && y === a)) target.touches.push([k, a]);
    }
  }
}

function renderCode(fn) {
  kept = null;
  rows = rowsOf(fn);
  byId('shown').replaceChildren(...levels.map(levelButton));
  byId('panes').replaceChildren(...levels.map(paneOf));
  // Kernels first, not what stands above them.
  for (const { name } of levels) {
    const first = rows[name].find((r) => r.from);
    if (first) middle(first);
  }
}

function levelButton(level) {
  const button = make('button', { type: 'button', 'aria-pressed': String(shownLevels.has(level.name)) }, level.title);
  button.addEventListener('click', () => {
    const isOn = shownLevels.delete(level.name) ? false : Boolean(shownLevels.add(level.name));
    button.setAttribute('aria-pressed', String(isOn));
    byId(`pane-${level.name}`).hidden = !isOn;
  });
  return button;
}

function paneOf(level) {
  const list = make('div', { class: 'lines', role: 'listbox', tabindex: 0, 'aria-label': `${level.title}, line by line`, id: `lines-${level.name}` });
  const all = make('div', { class: 'all', role: 'presentation' });
  rows[level.name].forEach((row, k) => all.append(elementOf(row, level.name, k)));
  list.append(all);
  list.addEventListener('mouseover', (event) => { if (!kept) show(rowAt(event)); });
  list.addEventListener('mouseleave', () => { if (!kept) show(null); });
  list.addEventListener('click', (event) => keep(rowAt(event)));
  list.addEventListener('keydown', (event) => walk(event, level.name));
  const pane = make('div', { class: 'pane', id: `pane-${level.name}` }, make('h3', {}, level.title), list);
  pane.hidden = !shownLevels.has(level.name);
  return pane;
}

function elementOf(row, level, k) {
  row.level = level;
  if (row.note) return (row.element = make('div', { class: 'row note' }, row.text));
  const shown = level === 'source' ? markedText(row) : [row.text || ' '];
  row.element = make('div', { class: 'row', role: 'option', 'aria-selected': 'false', id: `${level}-${k}`, 'data-row': k },
                     make('span', { class: 'no', 'aria-hidden': 'true' }, row.number), make('span', { class: 'text' }, shown));
  const ratings = row.touches.map(([i, a]) => rating(accessAt(i, a)));
  if (ratings.length > 0) row.element.classList.add(`touch-${worst(ratings)}`);
  if (ratings.length > 0 && (level === 'source' || level === 'loop')) row.element.append(lineChip(row));
  return row.element;
}

const shortCost = (x) => (isShared(x) ? `bank degree ${x.bank_degree}` : `${number(x.sectors_per_request)}/${number(x.ideal_sectors)} sectors`);

// The accesses of a line in few words: the worst of them.
function lineChip(row) {
  const all = row.touches.map(([k, a]) => accessAt(k, a));
  const bad = worst(all.map(rating)), short = shortCost(all.find((x) => rating(x) === bad));
  return make('span', { class: `chip ${bad}`, title: all.map((x) => `${x.kind.replace('_', ' ')} ${x.buffer}: ${costText(x)}`).join('; ') },
              `${marks[bad]} ${all.length === 1 ? short : `${all.length} accesses${bad === 'good' ? '' : `, worst ${short}`}`}`);
}

// The text of a source line with its accesses coloured. Columns are bytes.
function markedText(row) {
  const bytes = new TextEncoder().encode(row.text);
  const part = (from, to) => new TextDecoder().decode(bytes.slice(from, to));
  const spans = row.touches.map(([k, a]) => accessAt(k, a))
    .filter((x) => x.range && x.range.begin[0] === x.range.end[0])
    .map((x) => ({ from: x.range.begin[1], to: x.range.end[1], access: x }))
    .sort((x, y) => x.from - y.from || y.to - x.to);
  const out = [];
  let at = 0;
  for (const span of spans) {
    if (span.from < at) continue;
    out.push(part(at, span.from), make('mark', { class: rating(span.access), title: costText(span.access) }, part(span.from, span.to)));
    at = span.to;
  }
  out.push(part(at) || (at === 0 ? ' ' : ''));
  return out;
}

function rowAt(event) {
  const element = event.target.closest('[data-row]');
  return element ? rows[element.id.split('-')[0]][Number(element.dataset.row)] : null;
}

// Lines of Loop IR that a row belongs to.
function statementsOf(row) {
  if (row.level === 'loop') return [row.main ? rows.loop[row.main - 1] || row : row];
  if (row.level === 'cuda') return row.from ? [rows.loop[row.from - 1]] : [];
  if (row.level === 'ptx') return row.from ? statementsOf(rows.cuda[row.from - 1] || {}) : [];
  if (row.level !== 'source') return [];
  const around = rows.loop.filter((r) => r.file === row.file && r.first <= row.number && row.number <= r.last);
  const first = Math.max(...around.map((r) => r.first));
  return around.filter((r) => r.first === first && !r.main);     // the innermost statement
}

// By level, the rows that belong to `row`; the nearer ones in `exact`.
function linked(row) {
  const statements = new Set(statementsOf(row).filter(Boolean));
  const same = new Set(statements), exact = new Set();
  for (const r of rows.loop) if (r.main && statements.has(rows.loop[r.main - 1])) same.add(r);
  for (const r of rows.source)
    if ([...statements].some((s) => s.file === r.file && s.first <= r.number && r.number <= s.last)) same.add(r);
  for (const r of rows.cuda) if (r.from && statements.has(rows.loop[r.from - 1])) same.add(r);
  for (const r of rows.ptx) if (r.from && same.has(rows.cuda[r.from - 1])) same.add(r);
  const line = row.level === 'cuda' ? row.number : row.level === 'ptx' ? row.from : 0;
  for (const r of rows.ptx) if (line && r.from === line) exact.add(r);
  if (line && rows.cuda[line - 1]) exact.add(rows.cuda[line - 1]);
  if (line) statements.forEach((s) => exact.add(s));
  return { same, exact };
}

let lit = [];
function show(row, given = null) {
  for (const r of lit) { r.element.classList.remove('same', 'exact', 'here'); r.element.setAttribute('aria-selected', 'false'); }
  lit = [];
  if (!row && !given) return;
  const { same, exact } = given || linked(row);
  for (const r of same) r.element.classList.add('same');
  for (const r of exact) r.element.classList.add('exact');
  lit = [...same, ...exact];
  if (row) {
    row.element.classList.add('here');
    lit.push(row);
  }
  for (const r of lit) r.element.setAttribute('aria-selected', 'true');
}

// The first linked line of each other pane, in the middle of it.
function scrollTo(marked, level) {
  for (const { name } of levels) {
    if (name === level) continue;
    const target = [...marked.exact, ...marked.same].filter((r) => r.level === name).sort((x, y) => x.element.offsetTop - y.element.offsetTop)[0];
    if (target) middle(target);
  }
}
function middle(row) {
  const list = byId(`lines-${row.level}`);
  list.scrollTop = row.element.offsetTop - list.offsetTop - list.clientHeight / 2;
}

function keep(row) {
  if (!row || kept === row) { kept = null; return show(row); }
  kept = row;
  byId(`lines-${row.level}`).setAttribute('aria-activedescendant', row.element.id);
  show(row);
  scrollTo(linked(row), row.level);
}

const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity };
function walk(event, level) {
  const list = rows[level].filter((r) => !r.note);
  if (list.length === 0) return;
  const active = byId(`lines-${level}`).getAttribute('aria-activedescendant');
  const at = list.findIndex((r) => r.element.id === active);
  if (event.key === 'Escape') { kept = null; return show(null); }
  if (event.key === 'Enter' || event.key === ' ') { event.preventDefault(); if (at >= 0) keep(list[at]); return; }
  if (!(event.key in steps)) return;
  event.preventDefault();
  kept = null;
  const row = list[at < 0 ? 0 : Math.min(list.length - 1, Math.max(0, at + steps[event.key]))];
  byId(`lines-${level}`).setAttribute('aria-activedescendant', row.element.id);
  show(row);
  const box = byId(`lines-${level}`), top = row.element.offsetTop - box.offsetTop;
  if (top < box.scrollTop || top + row.element.offsetHeight > box.scrollTop + box.clientHeight) middle(row);
}

// All lines that make an access.
function showAccess(k, a) {
  const touches = (r) => (r.touches || []).some(([x, y]) => x === k && y === a);
  const marked = { same: new Set(), exact: new Set(Object.values(rows).flat().filter(touches)) };
  kept = null;
  show(null, marked);
  kept = [...marked.exact][0] || null;
  scrollTo(marked, '');
}
