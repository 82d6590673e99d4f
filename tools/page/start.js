// The head of the page, and which function it is about.

function renderHead(fn, at) {
  const sizes = Object.entries(facts.sizes).map(([name, value]) => `${name}=${value}`).join(', ');
  document.title = visible(`${facts.function} on ${data.architecture} - cuoptc explain`);
  byId('title').replaceChildren(make('code', {}, facts.function), ` on ${data.architecture} (${facts.machine.part})`);
  byId('which').replaceChildren();
  if (data.functions.length > 1) {
    const select = make('select', { id: 'function', onchange: () => start(Number(select.value)) },
      data.functions.map((f, k) => make('option', { value: k, selected: k === at }, f.facts.function)));
    byId('which').append(make('label', { for: 'function' }, 'Function '), select);
  }
  const parts = [sizes ? `At ${sizes}` : 'At any size', ` one call takes ${number(facts.roofline_us)} us, moves ${bytesText(facts.bytes)} to and from memory and computes ${scaled(facts.flops, 'FLOP')}: `,
    `${plural(facts.kernels.length, 'kernel')}, predicted by cuoptc ${data.version}, nothing was run.`];
  if (facts.filled_bytes > 0) parts.push(` ${bytesText(facts.filled_bytes)} are filled first.`);
  if (facts.copied_bytes > 0) parts.push(` ${bytesText(facts.copied_bytes)} are copied.`);
  if (facts.variants > 1) parts.push(` Of ${facts.variants} variants the launcher takes '${facts.variant}' here.`);
  if (facts.assumed.length > 0) parts.push(make('details', {}, make('summary', {}, 'It is taken that\u2026'), facts.assumed.join(', ')));
  if (data.left_out.length > 0) parts.push(` Left out, to keep the page below 1 MB: ${data.left_out.join(', ')} (--fn=NAME makes a page of one).`);
  byId('summary').replaceChildren(...parts);
}

function start(at) {
  const fn = data.functions[at];
  facts = fn.facts;
  renderHead(fn, at);
  renderCode(fn);
  renderMemory();
  renderOccupancy();
  renderTime();
  renderDecisions();
}

start(0);
