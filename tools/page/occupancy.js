// What is resident at once, what stops the next block, and how the grid falls on the GPU.

function renderOccupancy() {
  byId('residents').replaceChildren(...facts.kernels.map((kernel) => make('div', { class: 'kernel' },
    make('h3', {}, 'Kernel ', make('code', {}, kernel.name)), ...occupancyOf(kernel), ...wavesOf(kernel))));
}

const threadsOf = (kernel) => kernel.block.reduce((a, b) => a * b, 1);

function occupancyOf(kernel) {
  const machine = facts.machine, threads = threadsOf(kernel), warps = Math.ceil(threads / 32);
  const words = [make('p', {}, make('strong', {}, `${percent(kernel.occupancy)}: ${kernel.resident_warps} of ${machine.max_warps} warps. `),
    `A block of ${threads} threads is ${plural(warps, 'warp')}; ${plural(kernel.resident_blocks, 'block')} of it fit on a multiprocessor, and `,
    make('strong', {}, kernel.limiter), ' is what stops the next one.'),
    make('p', {}, limiterWords(kernel))];
  if (!kernel.registers_measured) words.push(make('p', { class: 'soft' }, `Registers and spills are guessed (${facts.not_measured || 'ptxas was not asked'}).`));
  if (kernel.spill_bytes > 0) words.push(make('p', {}, `A thread spills ${kernel.spill_bytes} bytes: registers that did not fit go through memory.`));
  if (kernel.idle_lanes > 0) words.push(make('p', {}, `${plural(kernel.idle_lanes, 'lane')} of the last warp of each block have no thread: a block of a multiple of 32 would fill it.`));
  return [make('div', { class: 'beside' }, make('div', { class: 'picture' }, limitPicture(kernel), slotPicture(kernel)), make('div', { class: 'text' }, words))];
}

function limiterWords(kernel) {
  const machine = facts.machine;
  switch (kernel.limiter) {
    case 'registers': {
      const next = kernel.registers_for_next_block;
      return `A thread holds ${kernel.registers} registers, a block ${kernel.registers_allocated} of the ${machine.registers} that a multiprocessor has. `
        + (next > 0 ? `With at most ${next} a thread one more block would fit: smaller tiles or fewer elements a thread need fewer.` : '');
    }
    case 'shared memory':
      return `A block takes ${bytesText(kernel.shared_allocated)} of shared memory, of ${bytesText(machine.shared_bytes)}: smaller tiles or fewer stages let more blocks in.`;
    case 'warps': return kernel.occupancy >= 0.999 ? 'All warp slots are filled: no resource is the bottleneck here.'
      : 'Another block would need more warp slots than are left: smaller blocks fill them better.';
    case 'blocks': return `A multiprocessor holds at most ${machine.max_blocks} blocks, however small: larger blocks would fill more warp slots.`;
    case 'barriers': return 'The named barriers of a multiprocessor are used up.';
    default: return 'Not even one block fits: it asks for more than a multiprocessor has.';
  }
}

// Blocks that each resource alone admits.
function limitPicture(kernel) {
  const entries = Object.entries(kernel.limits).filter(([, blocks]) => blocks !== null);
  const most = Math.max(1, ...entries.map(([, blocks]) => blocks)), left = 116, full = 300;
  const parts = [draw('text', { x: 0, y: 12, class: 'soft' }, 'Blocks on a multiprocessor that each resource alone admits')];
  entries.forEach(([name, blocks], k) => {
    const y = 24 + k * 22, isLimit = name === kernel.limiter;
    parts.push(draw('text', { x: left - 8, y: y + 13, 'text-anchor': 'end' }, name),
      draw('rect', { x: left, y, width: Math.max(1, (full * blocks) / most), height: 16, class: isLimit ? 'poor' : 'bar-soft' }),
      draw('text', { x: left + (full * blocks) / most + 6, y: y + 13 }, isLimit ? `${blocks}, the limiter` : blocks));
  });
  return picture(left + full + 90, 28 + entries.length * 22, `Blocks by resource; ${kernel.limiter} admits the fewest`, ...parts);
}

// The warp slots of a multiprocessor, blocks told apart by their shade.
function slotPicture(kernel) {
  const max = facts.machine.max_warps, warps = Math.ceil(threadsOf(kernel) / 32), columns = 16, size = 22;
  const parts = [draw('text', { x: 0, y: 14, class: 'soft' }, 'Warp slots of a multiprocessor; the number is the block')];
  for (let slot = 0; slot < max; ++slot) {
    const x = (slot % columns) * size, y = 22 + Math.floor(slot / columns) * size, isUsed = slot < kernel.resident_warps, block = Math.floor(slot / warps);
    parts.push(draw('rect', { x: x + 1, y: y + 1, width: size - 2, height: size - 2, class: isUsed ? (block % 2 ? 'bar-soft' : 'good') : 'empty' }));
    if (isUsed) parts.push(draw('text', { x: x + size / 2, y: y + 15, 'text-anchor': 'middle', class: 'small' }, block));
  }
  return picture(columns * size + 2, 26 + Math.ceil(max / columns) * size, `${kernel.resident_warps} of ${max} warp slots filled`, ...parts);
}

function wavesOf(kernel) {
  const parts = [], blocks = kernel.grid, slots = kernel.wave_blocks, rounds = slots > 0 ? Math.ceil(blocks / slots - 1e-9) : 0;
  const shownRounds = Math.min(rounds, 8), width = 62, left = 0;
  for (let w = 0; w < shownRounds; ++w) {
    const isLast = w === shownRounds - 1, share = isLast ? (blocks - (rounds - 1) * slots) / slots : 1, x = left + w * (width + 6);
    parts.push(draw('rect', { x, y: 20, width, height: 28, class: 'empty' }), draw('rect', { x, y: 20, width: width * share, height: 28, class: share < 1 ? 'fair' : 'good' }),
      draw('text', { x: x + width / 2, y: 38, 'text-anchor': 'middle' }, isLast && rounds > shownRounds ? `\u2026 ${rounds}` : w + 1));
  }
  parts.push(draw('text', { x: 0, y: 12, class: 'soft' }, 'Waves of blocks, one after the other; how full each is'));
  const tail = rounds <= 1 ? `All of it runs at once; ${percent(kernel.tail_efficiency)} of the places are filled.`
    : `${percent(kernel.tail_efficiency)} of the places of all waves are filled; the last one takes as long as a full one.`;
  return [make('h3', {}, 'Waves'), make('div', { class: 'beside' },
    make('div', { class: 'picture' }, picture(Math.max(330, shownRounds * (width + 6)), 52, `${number(kernel.waves)} waves`, ...parts)),
    make('div', { class: 'text' }, make('p', {}, `${number(blocks)} blocks${kernel.grid_rule.startsWith(`${number(blocks)} blocks`) ? '' : ` (${kernel.grid_rule})`} on ${facts.machine.sms} multiprocessors with ${kernel.resident_blocks} each: `,
      make('strong', {}, `${number(kernel.waves)} waves. `), tail)))];
}
