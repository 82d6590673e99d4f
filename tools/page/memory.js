// Accesses as a table, and for a chosen one the picture of where the lanes of a request go.

let facts = null;         // of the function that is shown
const times = (x) => (Math.abs(x - 1) < 0.005 ? 'once' : `${number(x)} times`);
const accessAt = (k, a) => facts.kernels[k].accesses[a];

function renderMemory() {
  byId('accesses').replaceChildren(...facts.kernels.map(kernelMemory));
  if (facts.kernels.length === 0) byId('accesses').append(make('p', {}, 'At these sizes no kernel runs.'));
}

function kernelMemory(kernel, k) {
  const box = make('div', { class: 'kernel' }, make('h3', {}, 'Kernel ', make('code', {}, kernel.name)));
  const chosen = make('div', { 'aria-live': 'polite' });
  const head = ['line', 'access', 'of', 'width', 'a request moves', 'bank degree', 'lanes', 'requests', 'asked for', 'moved'];
  const numeric = new Set(['width', 'bank degree', 'lanes', 'requests', 'asked for', 'moved']);
  const body = make('tbody');
  kernel.accesses.forEach((access, a) => body.append(accessRow(access, k, a, chosen)));
  box.append(make('div', { class: 'wide' }, make('table', {}, make('thead', {}, make('tr', {},
    head.map((text) => make('th', { class: numeric.has(text) ? 'number' : '', scope: 'col' }, text)))), body)), chosen, trafficOf(kernel));
  if (kernel.accesses.length > 0) chooseAccess(body, k, worstAccess(kernel), chosen, false);
  return box;
}

function worstAccess(kernel) {
  const order = { poor: 0, fair: 1, good: 2 };
  const all = kernel.accesses.map((access, a) => ({ a, rank: order[rating(access)] + (access.request ? 0 : 10) }));
  return all.sort((x, y) => x.rank - y.rank || x.a - y.a)[0].a;
}

function accessRow(access, k, a, chosen) {
  const about = access.data_dependent ? '~' : '';
  const shared = isShared(access);
  const row = make('tr', { class: 'pick', 'data-access': a },
    make('td', {}, access.line || '-'),
    make('td', {}, access.kind.replace('_', ' ')),
    make('td', {}, make('button', { type: 'button', class: 'mono', 'aria-pressed': 'false' }, access.text), access.buffer === access.text ? '' : make('span', { class: 'soft mono' }, ` ${access.buffer}`)),
    make('td', { class: 'number' }, `${access.width_bytes} B`),
    make('td', {}, shared ? make('span', { class: 'soft' }, plural(access.wavefronts_per_request, 'wavefront')) : chip(access)),
    make('td', { class: 'number' }, shared ? make('span', { class: `chip ${rating(access)}` }, `${marks[rating(access)]} ${about}${access.bank_degree}`) : '-'),
    make('td', { class: 'number' }, about + number(access.active_lanes)),
    make('td', { class: 'number' }, about + scaled(access.requests, '')),
    make('td', { class: 'number' }, bytesText(access.requested_bytes)),
    make('td', { class: 'number' }, bytesText(access.transferred_bytes)));
  row.addEventListener('click', () => chooseAccess(row.parentNode, k, a, chosen, true));
  return row;
}

function chooseAccess(body, k, a, chosen, isAsked) {
  for (const row of body.children) {
    const isThis = Number(row.dataset.access) === a;
    row.classList.toggle('chosen', isThis);
    row.querySelector('button').setAttribute('aria-pressed', String(isThis));
  }
  const access = accessAt(k, a);
  chosen.replaceChildren(make('h3', {}, `A request of ${access.kind.replace('_', ' ')} `, make('code', {}, access.text), access.buffer === access.text ? '' : make('span', { class: 'soft' }, ` in ${access.buffer}`)),
    make('div', { class: 'beside' }, make('div', { class: 'picture' }, requestPicture(access)), make('div', { class: 'text' }, ...requestWords(access),
      make('p', {}, make('button', { type: 'button', onclick: () => { showAccess(k, a); byId('code').scrollIntoView(); } }, 'Show its lines of code')))));
  if (isAsked) showAccess(k, a);
}

function requestPicture(access) {
  if (!access.request) {
    return make('p', { class: 'soft' }, access.requests === 0 ? 'No request of it is left: what it loads is at hand already, or no lane takes it.' : access.data_dependent
      ? 'Which addresses the lanes take depends on data: there is no picture of them. The counts take them as spread over the tensor.'
      : 'One lane starts a copy of a whole box or run of bytes: the lanes have no addresses of their own.');
  }
  return isShared(access) ? bankPicture(access) : sectorPicture(access);
}

// Sentences beside the picture.
function requestWords(access) {
  const request = access.request, words = [];
  if (!request) return words;
  const lanes = request.lanes.filter((x) => x !== null).length;
  const say = (...parts) => words.push(make('p', {}, ...parts));
  if (isShared(access)) {
    say(`${plural(lanes, 'lane')} take ${access.width_bytes} bytes each. Word w (4 bytes) of shared memory lies in bank w mod 32, so a row of the picture is 128 bytes.`);
    if (request.degree <= 1) say('No two lanes want different words of one bank at once: every bank answers in one wavefront. Lanes in the same square read the same word, which costs nothing more.');
    else say(`In the fullest bank ${request.degree} different words are wanted at once: they are fetched one after the other, and the request takes ${plural(request.wavefronts, 'wavefront')}. `,
             'Two ways out: pad the rows of the tile by an element, so that a column falls into different banks, or swizzle its columns.');
    if (access.width_bytes > 4) say(`With ${access.width_bytes} bytes a lane the request runs in ${access.width_bytes / 4} parts of ${128 / access.width_bytes} lanes; conflicts count within a part.`);
  } else {
    const asked = lanes * access.width_bytes;
    say(`${plural(lanes, 'lane')} take ${access.width_bytes} bytes each. They touch ${plural(request.sectors, 'sector')} of 32 bytes; the bytes they ask for would fit in ${request.ideal_sectors}.`);
    if (request.sectors === request.ideal_sectors) say('That is coalesced as well as it can be: all that is moved was asked for.');
    else say(`So ${bytesText(32 * request.sectors)} move for ${bytesText(asked)} asked for: `,
             request.sectors <= request.ideal_sectors + 1 ? 'the run of lanes begins inside a sector, which costs one more.'
               : 'neighbouring lanes lie apart. Other rows or fields fill the rest of each sector; let neighbouring lanes take neighbouring elements (another index along the lanes, another layout), or stage a tile in shared memory.');
  }
  if (request.shifted) say('The whole request begins at a place that depends on data; it is drawn as if that were 0.');
  if (access.data_dependent) say('A ~ marks counts that depend on data.');
  if (!isShared(access) && Math.abs(access.sectors_per_request - request.sectors) > 0.05)
    say(`This is one request; the mean of all is ${number(access.sectors_per_request)} sectors, ideal ${number(access.ideal_sectors)}.`);
  return words;
}

function trafficOf(kernel) {
  const lines = kernel.traffic.filter((t) => t.read_bytes > 0 || t.written_bytes > 0).map((t) => {
    const parts = [];
    if (t.read_bytes > 0) {
      parts.push(`reads ${bytesText(t.read_bytes)} in sectors, ${bytesText(t.l2_read_bytes)} of it past the L1, ${bytesText(t.unique_read_bytes)} different`
        + (t.unique_read_bytes > 0 ? `: each byte is read ${times(t.read_bytes / t.unique_read_bytes)}` : ''));
    }
    if (t.written_bytes > 0) parts.push(`writes ${bytesText(t.written_bytes)}, ${bytesText(t.unique_written_bytes)} different`);
    return make('li', {}, make('code', {}, t.tensor), ` ${parts.join('; ')}`);
  });
  const same = new Map();
  for (const line of lines) same.set(line.textContent, { line, count: (same.get(line.textContent)?.count || 0) + 1 });
  return make('div', {}, make('h3', {}, 'By tensor'),
    make('p', { class: 'soft' }, 'What is read several times, but is different only once, can come from the caches or be kept in registers and shared memory; what is different has to come from memory.'),
    make('ul', {}, [...same.values()].map(({ line, count }) => (count > 1 ? fill(line, {}, [` (${count} arrays)`]) : line))));
}
