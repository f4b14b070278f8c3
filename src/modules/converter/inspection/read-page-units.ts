import { inflateSync } from 'node:zlib';

/** The beginning of an object (ISO 32000-2, section 7.3.10), as all known writers write it. */
const OBJECT = /(\d{1,8})[ \t\r\n]{1,4}\d{1,5}[ \t\r\n]{1,4}obj\b/g;
/** Pages that a format can show (office.converter.ts). */
const MAX_PAGES = 9_999;
/** A tree of that many pages has fewer nodes, unless it has nodes of single pages. */
const MAX_NODES = 4 * MAX_PAGES;
/** Points of a unit. Poster plans have up to some hundred. */
const MAX_UNIT = 10_000;
/** The size of all object streams of a file together when they are inflated: a second of work (has-pdf-scripts.ts). */
const MAX_INFLATED_BYTES = 134_217_728;

/**
 * How many points (1/72 inch) the unit of each page of a PDF has (UserUnit, ISO 32000-2, section 14.11.2), which Poppler ignores. Null: one for all pages,
 * or the tree of the pages cannot be read: it is encrypted, damaged or unusual. Takes linear time.
 */
export function readPageUnits(pdf: Buffer): readonly number[] | null {
  const objects = nodesOf(pdf.toString('latin1'));
  if (![...objects.values()].some((one) => one.includes('/UserUnit'))) return null;
  const root = [...objects.values()].findLast((one) => /\/Type\s?\/Pages\b/.test(one) && !one.includes('/Parent'));
  const units: number[] = [];
  const waiting = root === undefined ? [] : [root];
  for (let nodes = 0; nodes < MAX_NODES && units.length < MAX_PAGES; nodes += 1) {
    const node = waiting.pop();
    if (node === undefined) break;
    const kids = kidsOf(node);
    if (kids === null) units.push(unitOf(node));
    else for (const kid of kids.reverse()) waiting.push(objects.get(kid) ?? '');
  }
  return units.some((unit) => unit !== 1) ? units : null;
}

/** The numbers of the nodes below a node; null: it is a page. */
function kidsOf(node: string): number[] | null {
  const start = node.indexOf('/Kids');
  if (start === -1) return null;
  const list = node.slice(start, node.indexOf(']', start));
  return [...list.matchAll(/(\d{1,8}) \d{1,5} R/g)].map(([, number]) => Number(number));
}

function unitOf(page: string): number {
  const unit = Number(/\/UserUnit\s?(\d{0,6}\.?\d{0,6})/.exec(page)?.[1] || 1);
  return unit > 0 && unit <= MAX_UNIT ? unit : 1;
}

/** The nodes of trees by their numbers, those of the pages among them, with single blanks; of several versions of an object the last one. */
function nodesOf(text: string): ReadonlyMap<number, string> {
  const nodes = new Map<number, string>();
  const keep = (number: number, content: string) => {
    if (/\/(?:Kids|Parent)\b/.test(content)) nodes.set(number, content.replace(/[\s\0]+/g, ' '));
  };
  let room = MAX_INFLATED_BYTES;
  let [number, start] = [-1, text.length];
  const end = (at: number) => {
    if (number < 0) return;
    const object = text.slice(start, at);
    const stream = /\bstream\r?\n/.exec(object);
    const dictionary = object.slice(0, stream?.index ?? object.length).split('endobj', 1)[0] ?? '';
    if (!stream || !/\/Type\s*\/ObjStm\b/.test(dictionary)) return keep(number, dictionary);
    const inflated = inflate(object.slice(stream.index + stream[0].length), room);
    room -= inflated.length;
    for (const [inner, content] of compressedObjects(inflated, dictionary)) keep(inner, content);
  };
  for (const found of text.matchAll(OBJECT)) {
    end(found.index);
    [number, start] = [Number(found[1]), found.index + found[0].length];
  }
  end(text.length);
  return nodes;
}

/** Empty: it is encrypted, damaged, too large, or compressed in another way. */
function inflate(data: string, maxOutputLength: number): string {
  try {
    return inflateSync(Buffer.from(data, 'latin1'), { maxOutputLength }).toString('latin1');
  } catch {
    return '';
  }
}

/** The objects of an object stream with their numbers (ISO 32000-2, section 7.5.7). */
function* compressedObjects(objects: string, dictionary: string): Generator<readonly [number: number, content: string]> {
  const first = Number(/\/First\s*(\d{1,8})/.exec(dictionary)?.[1]);
  const places = (objects.slice(0, first || 0).match(/\d{1,10}/g) ?? []).map(Number);
  for (let at = 0; at + 1 < places.length; at += 2) {
    const [number = 0, offset = 0, , next] = places.slice(at, at + 4);
    yield [number, objects.slice(first + offset, next === undefined ? objects.length : first + next)];
  }
}
