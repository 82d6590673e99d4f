// Pictures of one request: memory as squares, in each the lanes that take it.

const laneList = (lanes) => (lanes.length === 1 ? String(lanes[0])
  : lanes[lanes.length - 1] - lanes[0] === lanes.length - 1 ? `${lanes[0]}-${lanes[lanes.length - 1]}` : `${lanes[0]}+${lanes.length - 1}`);

// Lanes by the aligned unit of `size` bytes that they touch.
function unitsTouched(access, size, lanesWanted = null) {
  const units = new Map();
  access.request.lanes.forEach((from, lane) => {
    if (from === null || (lanesWanted && !lanesWanted.includes(lane))) return;
    for (let unit = Math.floor(from / size); unit <= Math.floor((from + access.width_bytes - 1) / size); ++unit) {
      if (!units.has(unit)) units.set(unit, []);
      units.get(unit).push(lane);
    }
  });
  return units;
}

// Global memory: every touched sector as a box of its words; four to a line, which is 128 bytes.
function sectorPicture(access) {
  const cell = Math.max(1, Math.min(access.width_bytes, 4)), perSector = 32 / cell, width = perSector === 8 ? 21 : Math.max(6, 168 / perSector);
  const cells = unitsTouched(access, cell);
  const sectors = [...unitsTouched(access, 32).keys()].sort((a, b) => a - b);
  const lines = [...new Set(sectors.map((s) => Math.floor(s / 4)))];
  const touched = new Set(sectors);
  const left = 92, sectorWidth = perSector * width, gap = 8, rowHeight = 36;
  const parts = [];
  const most = 32;
  lines.slice(0, most).forEach((line, r) => {
    const y = 22 + r * rowHeight;
    parts.push(draw('text', { x: left - 8, y: y + 15, 'text-anchor': 'end', class: 'soft' }, `byte ${line * 128}`));
    if (r > 0 && lines[r] !== lines[r - 1] + 1)
      parts.push(draw('text', { x: left - 8, y: y - 2, 'text-anchor': 'end', class: 'soft small' }, '\u22ee'));
    for (let s = 0; s < 4; ++s) {
      const sector = line * 4 + s, x = left + s * (sectorWidth + gap);
      if (!touched.has(sector)) {
        parts.push(draw('rect', { x, y, width: sectorWidth, height: 22, class: 'frame' }));
        continue;
      }
      for (let c = 0; c < perSector; ++c) parts.push(...wordSquare(cells.get(sector * perSector + c), x + c * width, y, width, perSector <= 8));
      parts.push(draw('rect', { x: x - 1, y: y - 1, width: sectorWidth + 2, height: 24, class: 'frame', 'stroke-width': 2 }));
    }
  });
  const height = 22 + Math.min(lines.length, most) * rowHeight + (lines.length > most ? 18 : 0);
  if (lines.length > most) parts.push(draw('text', { x: left, y: height - 4, class: 'soft' }, `and ${lines.length - most} more lines of 128 bytes`));
  const total = left + 4 * (sectorWidth + gap) + 4;
  parts.push(draw('text', { x: left, y: 12, class: 'soft' }, 'Four sectors of 32 bytes a line; numbers are lanes. Grey inside a moved sector: moved but not asked for.'));
  return picture(Math.max(total, 660), height + 4, `${access.request.sectors} sectors that the lanes touch, ideal ${access.request.ideal_sectors}`, ...parts);
}

function wordSquare(lanes, x, y, width, hasRoom, rate = 'good') {
  const square = draw('rect', { x, y, width, height: 22, class: lanes ? rate : 'empty' }, lanes ? draw('title', {}, `lane ${lanes.join(', ')}`) : null);
  if (!lanes || !hasRoom) return [square];
  const label = laneList(lanes);
  return [square, draw('text', { x: x + width / 2, y: y + 15, 'text-anchor': 'middle', class: label.length > 2 ? 'small' : '' }, label)];
}

// Shared memory: a column a bank, a row 128 bytes. Wide accesses run in parts, drawn one below the other.
function bankPicture(access) {
  const parts = Math.max(1, access.width_bytes / 4), perPart = 32 / parts;
  const left = 92, width = 22, drawn = [draw('text', { x: left, y: 12, class: 'soft' }, 'A column is a bank, 0 to 31; a row 128 bytes. Numbers are lanes.')];
  for (let bank = 0; bank < 32; bank += 1)
    drawn.push(draw('text', { x: left + bank * width + width / 2, y: 28, 'text-anchor': 'middle', class: 'soft small' }, bank));
  let y = 34;
  for (let part = 0; part < parts; ++part) {
    const lanes = Array.from({ length: perPart }, (_, k) => part * perPart + k);
    const words = unitsTouched(access, 4, lanes);
    if (words.size === 0) continue;
    if (parts > 1) { drawn.push(draw('text', { x: left, y: y + 11, class: 'soft' }, `lanes ${lanes[0]} to ${lanes[lanes.length - 1]}`)); y += 16; }
    y = bankRows(words, left, width, y, drawn);
  }
  return picture(left + 32 * width + 6, y + 4, `Banks that the lanes touch, bank degree ${access.request.degree}`, ...drawn);
}

function bankRows(words, left, width, top, drawn) {
  const rowsTouched = [...new Set([...words.keys()].map((w) => Math.floor(w / 32)))].sort((a, b) => a - b);
  const load = Array(32).fill(0);
  for (const word of words.keys()) ++load[((word % 32) + 32) % 32];
  const rate = (bank) => (load[bank] <= 1 ? 'good' : load[bank] <= 4 ? 'fair' : 'poor');
  let y = top;
  rowsTouched.forEach((row, r) => {
    drawn.push(draw('text', { x: left - 8, y: y + 15, 'text-anchor': 'end', class: 'soft' }, `byte ${row * 128}`));
    if (r > 0 && row !== rowsTouched[r - 1] + 1) drawn.push(draw('line', { x1: left - 60, x2: left + 32 * width, y1: y - 2, y2: y - 2, class: 'axis' }));
    for (let bank = 0; bank < 32; ++bank) drawn.push(...wordSquare(words.get(row * 32 + bank), left + bank * width, y, width, true, rate(bank)));
    y += 26;
  });
  drawn.push(draw('text', { x: left - 8, y: y + 11, 'text-anchor': 'end', class: 'soft' }, 'words a bank'));
  for (let bank = 0; bank < 32; ++bank)
    if (load[bank] > 0) drawn.push(draw('text', { x: left + bank * width + width / 2, y: y + 11, 'text-anchor': 'middle', class: 'small' }, load[bank]));
  return y + 24;
}
