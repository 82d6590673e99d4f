// Every remark of the compiler: what was chosen, what else there was, and the numbers.

let wanted = 'all';

function renderDecisions() {
  const passes = [...new Set(facts.decisions.map((d) => d.pass))];
  const choices = ['all', 'taken', 'declined', ...passes.map((p) => `pass ${p}`)];
  byId('filters').replaceChildren(...choices.map((choice) => make('button', { type: 'button', 'aria-pressed': String(choice === wanted),
    onclick: () => { wanted = choice; renderDecisions(); byId('filters').querySelector('[aria-pressed="true"]').focus(); } },
    `${choice} (${facts.decisions.filter((d) => matches(d, choice)).length})`)));
  byId('choices').replaceChildren(...facts.decisions.filter((d) => matches(d, wanted)).map(decisionOf));
}

function matches(decision, choice) {
  if (choice === 'all') return true;
  if (choice === 'taken' || choice === 'declined') return decision.fired === (choice === 'taken');
  return choice === `pass ${decision.pass}`;
}

const numbersText = (numbers) => numbers.map((n) => `${n.name} ${number(n.value)}${n.unit ? ` ${n.unit}` : ''}`).join(', ');
const setting = (key, choice) => (/^[\w.=-]*$/.test(`${key}=${choice}`) ? `--set ${key}=${choice}` : `--set '${key}=${choice}'`);

function decisionOf(decision) {
  const title = make('h3', {}, `${decision.pass}: `, make('code', {}, decision.site), decision.fired ? '' : ' \u2014 declined',
    decision.line > 0 ? make('span', { class: 'soft' }, ` line ${decision.line}`) : '');
  const box = make('div', { class: `decision${decision.fired ? '' : ' declined'}` }, title, make('p', {}, `${decision.reason}.`));
  const others = decision.alternatives;
  if (!decision.choice && others.length === 0) return box;
  const all = [decision, ...others].map((d) => d.predicted_us).filter((us) => us !== null);
  const slowest = all.length > 1 ? Math.max(...all) : 0;
  const hasKey = Boolean(decision.key);
  box.append(make('div', { class: 'wide' }, make('table', {}, make('thead', {}, make('tr', {},
    ['', 'choice', ...(slowest ? ['predicted'] : []), 'numbers', 'why not'].map((text) => make('th', { scope: 'col' }, text)))),
    make('tbody', {}, choiceRow(decision, decision.fired ? 'chosen' : 'kept', decision, slowest, hasKey),
      others.map((other) => choiceRow(other, 'instead', decision, slowest, hasKey))))));
  return box;
}

function choiceRow(choice, role, decision, slowest, hasKey) {
  const numbers = choice.numbers.filter((n) => !(slowest && n.unit === 'us'));
  const bar = choice.predicted_us === null ? '-' : [make('span', { class: 'track', 'aria-hidden': 'true' }, make('i', { style: `width:${(100 * choice.predicted_us) / (slowest || 1)}%` })), ` ${number(choice.predicted_us)} us`];
  return make('tr', { class: role === 'instead' ? '' : 'chosen' },
    make('td', {}, role), make('td', {}, make('code', {}, hasKey ? setting(decision.key, choice.choice) : choice.choice)),
    slowest ? make('td', {}, bar) : null,
    make('td', {}, numbersText(numbers) || '-'), make('td', {}, role === 'instead' ? choice.why_not || '-' : ''));
}
