'use strict';
// What all parts of the page use: the data, elements, numbers as words.

const data = JSON.parse(document.getElementById('data').textContent);
const svgNamespace = document.getElementById('svg').namespaceURI;
const byId = (id) => document.getElementById(id);

// Text of the user as it can be seen: controls and marks that reorder what a reader sees are shown by their codes.
const invisible = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;
const visible = (text) => String(text).replace(invisible, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, visible(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === '') continue;
    element.append(child instanceof Node ? child : visible(child));
  }
  return element;
}

// Texts go in as texts, never as markup.
const make = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const draw = (tag, attributes = {}, ...children) => fill(document.createElementNS(svgNamespace, tag), attributes, children);

function picture(width, height, label, ...children) {
  return draw('svg', { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label }, draw('title', {}, label), ...children);
}

// 12, 4.5, 0.25.
function number(value) {
  if (value === null || value === undefined) return 'unknown';
  if (value === 0) return '0';
  const rounded = Math.abs(value) < 0.1 ? Number(value.toPrecision(2)) : Math.round(value * 100) / 100;
  return String(Math.abs(rounded) >= 1e4 ? Math.round(rounded) : Number(rounded.toPrecision(5)));
}

function scaled(value, unit) {
  const prefixes = ['', 'k', 'M', 'G', 'T'];
  let k = 0;
  while (value >= 999.5 && k + 1 < prefixes.length) { value /= 1000; ++k; }
  const digits = k === 0 || value >= 99.95 ? Math.round(value) : Number(value.toPrecision(3));
  return `${digits} ${prefixes[k]}${unit}`.trim();
}
const bytesText = (value) => scaled(value, 'B');
const percent = (share) => `${Math.round(100 * share)} %`;
const plural = (count, word) => `${number(count)} ${word}${count === 1 ? '' : 's'}`;

// good: as few sectors or wavefronts as its bytes need; fair: up to twice as many (banks: degree 4); poor: more.
function rating(access) {
  if (access.kind.startsWith('shared')) return access.bank_degree <= 1 ? 'good' : access.bank_degree <= 4 ? 'fair' : 'poor';
  const ratio = access.ideal_sectors > 0 ? access.sectors_per_request / access.ideal_sectors : 1;
  return ratio <= 1.05 ? 'good' : ratio <= 2.05 ? 'fair' : 'poor';
}
const marks = { good: '\u2713', fair: '\u25b2', poor: '\u2715' };
const worst = (ratings) => ['poor', 'fair', 'good'].find((r) => ratings.includes(r));
const isShared = (access) => access.kind.startsWith('shared');

function costText(access) {
  const about = access.data_dependent ? '~' : '';
  return isShared(access) ? `bank degree ${about}${access.bank_degree}`
                          : `${about}${number(access.sectors_per_request)} of ideal ${number(access.ideal_sectors)} sectors`;
}
const chip = (access) => make('span', { class: `chip ${rating(access)}`, title: `${access.kind.replace('_', ' ')} ${access.text}: ${costText(access)} a request` },
                              `${marks[rating(access)]} ${costText(access)}`);
