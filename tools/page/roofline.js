// How long each resource alone would take, and the kernel as a point under the roofs of the machine.

function renderTime() {
  byId('roofs').replaceChildren(...facts.kernels.map((kernel) => make('div', { class: 'kernel' },
    make('h3', {}, 'Kernel ', make('code', {}, kernel.name)), timeBars(kernel), rooflineOf(kernel))));
}

const resources = {
  dram: 'bytes to and from memory', l2: 'sectors through the L2', l1: 'lines looked up in the L1', shared: 'wavefronts of shared memory',
  fp32: 'arithmetic in f32', fp64: 'arithmetic in f64', half2: 'arithmetic in pairs of f16 or bf16', int: 'integer arithmetic, most of it addresses',
  sfu: 'special functions (exp, rsqrt)', convert: 'conversions of types', shuffle: 'exchange between lanes', 'load/store': 'memory instructions',
  matrix: 'matrix units', issue: 'instructions issued', atomics: 'atomic updates', latency: 'waits one after the other', blocks: 'starting blocks',
  launch: 'fixed: start of the kernel, first load to last store',
};

function timeBars(kernel) {
  const entries = Object.entries(kernel.roofs_us).filter(([, us]) => us > 0).sort((a, b) => b[1] - a[1]).slice(0, 8);
  if (entries.length === 0) return make('p', {}, 'A block does not fit on a multiprocessor: there is no time to predict.');
  const most = entries[0][1], left = 76, full = 260, parts = [];
  entries.forEach(([name, us], k) => {
    const y = 4 + k * 20, isBound = name === kernel.bound;
    parts.push(draw('text', { x: left - 8, y: y + 12, 'text-anchor': 'end' }, name),
      draw('rect', { x: left, y, width: Math.max(1, (full * us) / most), height: 14, class: isBound ? 'poor' : name === 'launch' ? 'fair' : 'bar-soft' }),
      draw('text', { x: left + (full * us) / most + 6, y: y + 12 }, `${number(us)} us`, isBound ? ', the bound: ' : ': ', resources[name] || ''));
  });
  const launches = kernel.launches > 1 ? ` of all ${number(kernel.launches)} launches` : '';
  return make('div', { class: 'beside' }, make('div', { class: 'picture' }, picture(left + full + 330, 8 + entries.length * 20, `Time of each resource; ${kernel.bound} is the slowest`, ...parts)),
    make('div', { class: 'text' }, make('p', {}, make('strong', {}, `${number(kernel.roofline_us)} us${launches}, bound by ${kernel.bound}. `),
      kernel.bound === 'launch' ? 'The work is so little that starting the kernel takes longest: at this size nothing but fewer launches helps.'
        : `That is the slowest resource, ${number(kernel.roofs_us[kernel.bound])} us (${resources[kernel.bound]}), and the fixed ${number(kernel.roofs_us.launch)} us of a launch. `
          + 'The others are done in its shade: making them faster changes nothing.')));
}

// Rates of memory: what streams reach with this share of reads and writes.
function memoryRoof(kernel) {
  const m = facts.machine, total = kernel.read_bytes + kernel.written_bytes;
  if (total <= 0) return m.dram_read_gbs;
  return total / (kernel.read_bytes / m.dram_read_gbs + kernel.written_bytes / m.dram_write_gbs);
}

function rooflineOf(kernel) {
  const us = kernel.roofline_us / kernel.launches, memory = memoryRoof(kernel);
  if (!(us > 0)) return make('span');
  const rate = kernel.bytes / us / 1e3, words = [];
  words.push(make('p', {}, `${bytesText(kernel.bytes)} a launch to and from memory is ${number(rate)} GB/s, ${percent(rate / memory)} of what streams reach here (${number(memory)} GB/s). `,
    `The same bytes would take ${number(kernel.bytes / memory / 1e3)} us at that rate; the rest is the launch and what else stands in the way.`));
  if (!(kernel.flops > 0) || !(kernel.bytes > 0)) {
    words.push(make('p', {}, kernel.flops > 0 ? 'It moves no bytes to or from memory, so it has no place on a roofline plot of memory.'
      : 'It does no floating-point operation, so its place on the plot is at the far left: only the slanted roof counts, and moving fewer bytes is the only way to be faster.'));
  } else {
    const ridge = facts.machine.peak_gflops.f32 / memory, x = kernel.flops / kernel.bytes;
    words.push(make('p', {}, `${scaled(kernel.flops, 'FLOP')} a launch, ${number(x)} for each byte. The slanted roof of memory meets the flat roof of f32 at ${number(ridge)} FLOP a byte: `,
      x < ridge ? 'left of that, as here, bytes decide, and operations are free.' : 'right of that, as here, arithmetic decides, and only fewer or cheaper operations help.'));
  }
  const roof = Math.min(facts.machine.peak_gflops.f32, (kernel.flops / kernel.bytes) * memory);
  if (kernel.flops > 0 && kernel.flops / us / 1e3 < roof / 2)
    words.push(make('p', {}, `The point lies well below the roofs over it: ${kernel.bound} is in the way (${resources[kernel.bound]}).`));
  return make('div', { class: 'beside' }, make('div', { class: 'picture' }, rooflinePlot(kernel, us, memory)), make('div', { class: 'text' }, words));
}

function rooflinePlot(kernel, us, memory) {
  const machine = facts.machine, peaks = Object.entries(machine.peak_gflops);
  const hasFlops = kernel.flops > 0 && kernel.bytes > 0;
  const px = hasFlops ? kernel.flops / kernel.bytes : 0.01, py = hasFlops ? kernel.flops / us / 1e3 : px * (kernel.bytes / us / 1e3);
  const top = Math.max(...peaks.map(([, g]) => g)), x0 = Math.min(0.01, px / 2), x1 = Math.max(2e4, px * 2);
  const y1 = top * 2, y0 = Math.max(1e-3, Math.min(py / 3, memory * x0));
  const box = { left: 64, top: 12, width: 520, height: 300 };
  const X = (x) => box.left + (box.width * Math.log(x / x0)) / Math.log(x1 / x0);
  const Y = (y) => box.top + box.height - (box.height * Math.log(y / y0)) / Math.log(y1 / y0);
  const parts = [draw('rect', { x: box.left, y: box.top, width: box.width, height: box.height, class: 'frame' })];
  for (let e = Math.ceil(Math.log10(x0)); 10 ** e <= x1; ++e)
    parts.push(draw('line', { x1: X(10 ** e), x2: X(10 ** e), y1: box.top, y2: box.top + box.height, class: 'axis' }),
      draw('text', { x: X(10 ** e), y: box.top + box.height + 14, 'text-anchor': 'middle', class: 'soft' }, e < 0 ? (10 ** e).toFixed(-e) : 10 ** e));
  for (let e = Math.ceil(Math.log10(y0)); 10 ** e <= y1; ++e)
    parts.push(draw('line', { x1: box.left, x2: box.left + box.width, y1: Y(10 ** e), y2: Y(10 ** e), class: 'axis' }),
      draw('text', { x: box.left - 6, y: Y(10 ** e) + 4, 'text-anchor': 'end', class: 'soft' }, e >= 3 ? `${10 ** (e - 3)} T` : e >= 0 ? `${10 ** e} G` : `${(10 ** e).toFixed(-e)} G`));
  const slope = (bandwidth, cls, name, side) => {
    const end = Math.min(top / bandwidth, x1), from = Math.max(x0, y0 / bandwidth), middle = Math.sqrt(from * end);
    parts.push(draw('line', { x1: X(from), y1: Y(from * bandwidth), x2: X(end), y2: Y(end * bandwidth), class: cls }),
      draw('text', { x: X(middle) + 8 * side, y: Y(middle * bandwidth) + 4 + 8 * side, 'text-anchor': side < 0 ? 'end' : 'start', class: 'soft' },
           `${name} ${scaled(bandwidth * 1e9, 'B/s')}`));
  };
  slope(machine.l2_gbs, 'roof-soft', 'L2', -1);
  slope(memory, 'roof', 'memory', 1);
  let lastY = -100;
  for (const [name, gflops] of peaks.sort((a, b) => b[1] - a[1])) {
    const from = Math.max(x0, gflops / machine.l2_gbs), y = Y(gflops);
    parts.push(draw('line', { x1: X(from), x2: X(x1), y1: y, y2: y, class: name === 'f32' ? 'roof' : 'roof-soft' }));
    const at = Math.max(y - 4, lastY + 11);
    parts.push(draw('text', { x: box.left + box.width - 4, y: at, 'text-anchor': 'end', class: 'small' }, `${name} ${scaled(gflops * 1e9, 'FLOP/s')}`));
    lastY = at;
  }
  if (hasFlops)
    parts.push(draw('line', { x1: X(px), x2: X(px), y1: Y(py), y2: box.top + box.height, class: 'guide' }), draw('circle', { cx: X(px), cy: Y(py), r: 6, class: 'point' }),
      draw('text', { x: X(px) + (px > Math.sqrt(x0 * x1) ? -10 : 10), y: Y(py) + 14, 'text-anchor': px > Math.sqrt(x0 * x1) ? 'end' : 'start' }, `${kernel.name}: ${scaled((kernel.flops / us) * 1e6, 'FLOP/s')}`));
  parts.push(draw('text', { x: box.left + box.width / 2, y: box.top + box.height + 32, 'text-anchor': 'middle', class: 'soft' }, 'FLOP for each byte to and from memory'),
    draw('text', { x: 12, y: box.top + box.height / 2, transform: `rotate(-90 12 ${box.top + box.height / 2})`, 'text-anchor': 'middle', class: 'soft' }, 'FLOP/s'));
  return picture(box.left + box.width + 20, box.top + box.height + 38, `Roofline of ${machine.part}`, ...parts);
}
