import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ArchiveNames, type FileName, safeFileName } from './file-names.js';

const nameOf = (fileName: string, fileExtension = 'jpg') => safeFileName({ fileName, fileExtension });
const namesOf = (...files: (string | FileName)[]) => {
  const names = new ArchiveNames();
  return files.map((file) => names.add(typeof file === 'string' ? { fileName: file, fileExtension: 'jpg' } : file));
};

describe('the name of a file in an archive', () => {
  it.each([
    ['portrait', 'portrait.jpg'],
    ['../x', '_x.jpg'],
    ['..\\..\\x', '_.._x.jpg'],
    ['/etc/passwd', '_etc_passwd.jpg'],
    ['C:\\x', 'C__x.jpg'],
    ['a<b>c:d"e|f?g*h', 'a_b_c_d_e_f_g_h.jpg'],
    ['a\u0000b\u001fc\u007fd\u0085e\u2028f', 'a_b_c_d_e_f.jpg'],
    ['invoice\u202egpj', 'invoice_gpj.jpg'],
    ['half a pair \ud83d', 'half a pair _.jpg'],
    ['CON', '_CON.jpg'],
    ['con.tar', '_con.tar.jpg'],
    ['Lpt1 ', '_Lpt1.jpg'],
    ['com¹', '_com¹.jpg'],
    ['CONtract', 'CONtract.jpg'],
    ['.hidden', 'hidden.jpg'],
    ['trailing dots. . ', 'trailing dots.jpg'],
    ['...', 'file.jpg'],
    [' \t', '_.jpg'],
    ['Bru\u0308cke', 'Br\u00fccke.jpg'],
    ['👩‍👩‍👧 at home', '👩‍👩‍👧 at home.jpg'],
  ])('of %j is %j', (fileName, expected) => {
    expect(nameOf(fileName)).toBe(expected);
  });

  it('may have no extension, and then neither ends with a period nor names a device', () => {
    expect(nameOf('README', '')).toBe('README');
    expect(nameOf('README.', '')).toBe('README');
    expect(nameOf('nul', '')).toBe('_nul');
    expect(nameOf('a', '../b ')).toBe('a._b');
    expect(nameOf('a', '. ')).toBe('a');
  });

  it('has at most 200 bytes, whole characters, and its extension', () => {
    expect(nameOf('a'.repeat(300))).toBe(`${'a'.repeat(196)}.jpg`);
    expect(nameOf('ü'.repeat(150))).toBe(`${'ü'.repeat(98)}.jpg`);
    const family = '👩‍👩‍👧'; // 18 bytes
    expect(nameOf(family.repeat(20))).toBe(`${family.repeat(10)}.jpg`);
    expect(nameOf(`${'a'.repeat(195)} b`)).toBe(`${'a'.repeat(195)}.jpg`);
  });

  it('gets a number before its extension if it is taken, without regard to case and normal form', () => {
    expect(namesOf('a', 'A', 'a')).toEqual(['a.jpg', 'A (2).jpg', 'a (3).jpg']);
    expect(namesOf('Br\u00fccke', 'BRU\u0308CKE')).toEqual(['Br\u00fccke.jpg', 'BR\u00dcCKE (2).jpg']);
    expect(namesOf('a (2)', 'a', 'a', 'a')).toEqual(['a (2).jpg', 'a.jpg', 'a (3).jpg', 'a (4).jpg']);
    expect(namesOf('stra\u00dfe', 'STRASSE')).toEqual(['stra\u00dfe.jpg', 'STRASSE (2).jpg']);
    expect(namesOf('x', { fileName: 'x', fileExtension: 'JPG' }, { fileName: 'x', fileExtension: '' })).toEqual([
      'x.jpg',
      'x (2).JPG',
      'x',
    ]);
    expect(namesOf('CON', 'con')).toEqual(['_CON.jpg', '_con (2).jpg']);
    const long = 'a'.repeat(300);
    expect(namesOf(long, long)[1]).toBe(`${'a'.repeat(187)} (2).jpg`);
  });

  it('is always safe and unique', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom('con', 'CON', '..', ' ', 'a', 'A', 'ü', 'u\u0308'));
    const file = fc.record({ fileName: text, fileExtension: text });
    fc.assert(
      fc.property(fc.array(file, { maxLength: 20 }), (files) => {
        const names = namesOf(...files);
        for (const name of names) {
          expect(name).toBe(name.normalize('NFC'));
          expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
          expect(name).toMatch(/^[^<>:"/\\|?*\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+$/u);
          expect(name).not.toMatch(/^[.\s]|[.\s]$|^(con|prn|aux|nul|com\d|lpt\d)\s*(\.|$)/i);
        }
        expect(new Set(names.map((name) => name.toUpperCase().toLowerCase().normalize('NFC'))).size).toBe(names.length);
      }),
    );
  });

  it('costs the same for each of many equal names, and for long ones that differ where they are cut off', () => {
    const names = new ArchiveNames();
    for (let n = 0; n < 20_000; n += 1) names.add({ fileName: 'a', fileExtension: 'jpg' });
    expect(names.add({ fileName: 'a', fileExtension: 'jpg' })).toBe('a (20001).jpg');
    const long = Array.from({ length: 20_000 }, (_, n) => 'a'.repeat(187) + String(n).padStart(5, '0'));
    for (const fileName of [...long, ...long]) names.add({ fileName, fileExtension: 'jpg' });
    expect(names.add({ fileName: long[0] ?? '', fileExtension: 'jpg' })).toBe(`${'a'.repeat(187)} (20002).jpg`);
  });
});
