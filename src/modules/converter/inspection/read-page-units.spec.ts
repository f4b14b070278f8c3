import { deflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { readPageUnits } from './read-page-units.js';

const object = (number: number, content: string): string => `${number} 0 obj\n${content}\nendobj\n`;
const pages = (kids: string): string => `<</Type/Pages/Kids[${kids}]/Count 2>>`;
const page = (parent: number, entries = ''): string => `<< /Type /Page /Parent ${parent} 0 R ${entries} >>`;
const unitsOf = (...objects: readonly string[]) => readPageUnits(Buffer.from(`%PDF-1.7\n${objects.join('')}`, 'latin1'));

/** An object stream with objects and their numbers. */
function compressed(objects: readonly (readonly [number: number, content: string])[], change = (data: Buffer) => data): string {
  const offsets = objects.map((_, index) => objects.slice(0, index).reduce((sum, [, content]) => sum + content.length + 1, 0));
  const head = objects.map(([number], index) => `${number} ${offsets[index]}`).join(' ');
  const data = change(deflateSync(`${head} ${objects.map(([, content]) => content).join(' ')}`)).toString('latin1');
  return object(90, `<</Type/ObjStm/N ${objects.length}/First ${head.length + 1}/Filter/FlateDecode>>\nstream\r\n${data}\nendstream`);
}

describe('the units of the pages of a PDF', () => {
  it('are in the order of its pages, not of its objects', () => {
    const objects = [
      object(5, page(2, '/UserUnit 2.5')),
      object(2, pages('4 0 R 3 0 R')),
      object(3, pages('5 0 R').replace('/Count', '/Parent 2 0 R/Count')),
    ];
    expect(unitsOf(...objects, object(4, page(2)))).toEqual([1, 2.5]);
  });

  it('are also read from compressed objects', () => {
    const objects = [
      [2, pages('3 0 R')],
      [3, page(2, '/UserUnit 2')],
    ] as const;
    expect(unitsOf(compressed(objects))).toEqual([2]);
    expect(unitsOf(compressed(objects, (data) => data.reverse()))).toBeNull();
  });

  it('are those of the last version of a page', () => {
    const old = [object(2, pages('3 0 R')), object(3, page(2, '/UserUnit 2'))];
    expect(unitsOf(...old, object(3, page(2, '/UserUnit 3')))).toEqual([3]);
    expect(unitsOf(...old, object(3, page(2)))).toBeNull();
  });

  it.each([
    ['pages without one', [object(2, pages('3 0 R')), object(3, page(2))]],
    ['no tree', [object(3, page(2, '/UserUnit 2'))]],
    ['a tree in a circle', [object(2, pages('2 0 R')), object(3, page(2, '/UserUnit 2'))]],
    ['units that are none', [object(2, pages('3 0 R 4 0 R')), object(3, page(2, '/UserUnit 0')), object(4, page(2, '/UserUnit 99999'))]],
  ])('are one for %s', (_, objects) => expect(unitsOf(...objects)).toBeNull());
});
