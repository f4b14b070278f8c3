// Reads the colours that a picture states without an ICC profile: `cICP`, or `cHRM` with `gAMA`, in a PNG, and `nclx` in an AVIF or HEIC.
const { closeSync, fstatSync, openSync, readSync } = require('node:fs');

/** All that precedes the pixels of a real picture is shorter. */
const HEAD_BYTES = 1_048_576;
/** Real files have fewer boxes or properties beside each other. */
const MAX_PARTS = 1_000;
/** Code points of ITU-T H.273. */
const BT709 = 1;
const SRGB = 13;
const UNSPECIFIED = 2;
/** The transfers with curves of their own; browsers show all others like that of sRGB, also those of BT.709, BT.601 and BT.2020. */
const OWN_TRANSFERS = new Set([4, 5, 8, 16, 17, 18]);
/** How far the numbers of a PNG may be from those of sRGB that they mean. */
const CLOSE = 0.002;
const SRGB_CHROMATICITIES = [0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06];
const SRGB_GAMMA = 0.45455;

/**
 * Returns the colours of a picture, if they are not those of sRGB: `primaries` is a code point of H.273, or the chromaticities of white, red, green and
 * blue; `transfer` is a code point, or `{ gamma }`. `overridesProfile`: they count even if there is an ICC profile. Null: nothing is stated.
 */
function readStatedColors(file, type) {
  const read = { png: readPng, heif: readHeif }[type];
  if (!read) return null;
  try {
    return read(readHead(file));
  } catch (error) {
    if (error instanceof RangeError) return null; // it ends too early, or is damaged: its decoder says so
    throw error;
  }
}

function readHead(file) {
  const opened = openSync(file, 'r');
  try {
    const head = Buffer.alloc(Math.min(HEAD_BYTES, fstatSync(opened).size));
    return head.subarray(0, readSync(opened, head, 0, head.length, 0));
  } finally {
    closeSync(opened);
  }
}

/** The colours of these code points; null: they are those of sRGB, or not stated. */
function fromCodes(primaries, transfer, more = {}) {
  const stated = {
    primaries: primaries === UNSPECIFIED ? BT709 : primaries,
    transfer: OWN_TRANSFERS.has(transfer) ? transfer : SRGB,
  };
  return stated.primaries === BT709 && stated.transfer === SRGB ? null : { ...stated, ...more };
}

/** PNG, third edition, sections 4.3 and 11.3.2: of several statements `cICP` counts first, then a profile, `sRGB`, and `cHRM` with `gAMA`. */
function readPng(head) {
  const chunks = new Map();
  for (let at = 8; at + 8 <= head.length && chunks.size < MAX_PARTS; at += 12 + head.readUInt32BE(at)) {
    const name = head.toString('latin1', at + 4, at + 8);
    if (name === 'IDAT') break;
    chunks.set(name, head.subarray(at + 8, at + 8 + head.readUInt32BE(at)));
  }
  const [codes, gamma, chromaticities] = ['cICP', 'gAMA', 'cHRM'].map((name) => chunks.get(name));
  if (codes) return fromCodes(codes.readUInt8(0), codes.readUInt8(1), { overridesProfile: true });
  if (!gamma || !chromaticities || chunks.has('iCCP') || chunks.has('sRGB')) return null;
  const number = (chunk, index) => chunk.readUInt32BE(4 * index) / 100_000;
  const [exponent, primaries] = [number(gamma, 0), SRGB_CHROMATICITIES.map((_, index) => number(chromaticities, index))];
  const isUsual = SRGB_CHROMATICITIES.every((usual, index) => Math.abs(usual - primaries[index]) <= CLOSE);
  if ((isUsual && Math.abs(exponent - SRGB_GAMMA) <= CLOSE) || exponent === 0 || !isPossible(primaries)) return null;
  return { primaries: isUsual ? BT709 : primaries, transfer: Math.abs(exponent - SRGB_GAMMA) <= CLOSE ? SRGB : { gamma: 1 / exponent } };
}

/** Whether the chromaticities span a triangle with white in it, so that colours can be converted. */
function isPossible([wx, wy, ...corners]) {
  const [rx, ry, gx, gy, bx, by] = corners;
  const side = (ax, ay, cx, cy, x, y) => (cx - ax) * (y - ay) - (cy - ay) * (x - ax);
  const sides = [side(rx, ry, gx, gy, wx, wy), side(gx, gy, bx, by, wx, wy), side(bx, by, rx, ry, wx, wy)];
  return wy > 0 && [ry, gy, by].every((y) => y >= 0) && (sides.every((one) => one > 0) || sides.every((one) => one < 0));
}

/** The property `colr` of the main image (ISO/IEC 23008-12 section 6.5.5, ISO/IEC 14496-12 section 12.1.5). A profile beside it counts instead. */
function readHeif(head) {
  const meta = boxesOf(head).find(({ type }) => type === 'meta');
  const boxes = boxesOf(meta?.content.subarray(4));
  const content = (list, name) => list.find(({ type }) => type === name)?.content;
  const [main, properties] = [content(boxes, 'pitm'), boxesOf(content(boxes, 'iprp'))];
  const [shared, links] = [boxesOf(content(properties, 'ipco')), content(properties, 'ipma')];
  if (!main || !links) return null;
  const id = main[0] === 0 ? main.readUInt16BE(4) : main.readUInt32BE(4);
  const colors = propertiesOf(links, id).flatMap((index) => (shared[index - 1]?.type === 'colr' ? [shared[index - 1].content] : []));
  const stated = colors.find((one) => one.toString('latin1', 0, 4) === 'nclx');
  return stated ? fromCodes(stated.readUInt16BE(4), stated.readUInt16BE(6)) : null;
}

function boxesOf(bytes = Buffer.alloc(0)) {
  const boxes = [];
  for (let at = 0; at + 8 <= bytes.length && boxes.length < MAX_PARTS; ) {
    const size = bytes.readUInt32BE(at);
    if (size < 8) break;
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

/** The numbers, from 1, of the properties of an image (ISO/IEC 23008-12 section 9.3.1). */
function propertiesOf(links, id) {
  const [idBytes, isWide] = [links[0] === 0 ? 2 : 4, (links[3] & 1) === 1];
  const images = Math.min(links.readUInt32BE(4), MAX_PARTS);
  for (let image = 0, at = 8; image < images; image += 1) {
    const count = links.readUInt8(at + idBytes);
    const first = at + idBytes + 1;
    const read = (index) => (isWide ? links.readUInt16BE(first + 2 * index) & 0x7fff : links.readUInt8(first + index) & 0x7f);
    if (links.readUIntBE(at, idBytes) === id) return Array.from({ length: count }, (_, index) => read(index));
    at = first + count * (isWide ? 2 : 1);
  }
  return [];
}

module.exports = { readStatedColors };
