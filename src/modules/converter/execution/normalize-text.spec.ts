import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findSeparator, normalizeTable, normalizeText } from './normalize-text.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'normalize-text-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const normalized = async (content: Buffer): Promise<string> => {
  const file = path.join(folder, 'input');
  writeFileSync(file, content);
  await normalizeText(file);
  return readFileSync(file, 'utf8');
};

describe('a text', () => {
  const TEXT = 'Größe, Übergröße und Maße\r\nfür München\n';

  it.each([
    ['UTF-8', Buffer.from(TEXT)],
    ['UTF-8 with its mark', Buffer.from(`\ufeff${TEXT}`)],
    ['UTF-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
    ['UTF-16 of the other order', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
    ['Latin-1', Buffer.from(TEXT, 'latin1')],
  ])('in %s becomes UTF-8 with its mark', async (_, content) => {
    expect(await normalized(content)).toBe(`\ufeff${TEXT}`);
  });

  it('keeps characters that lie on the borders of pieces, stays UTF-8 with a wrong byte, and becomes Latin-1 with its last byte', async () => {
    const long = `${'a'.repeat(65_535)}ü${'€'.repeat(50_000)}`;
    expect(await normalized(Buffer.from(long))).toBe(`\ufeff${long}`);
    expect(await normalized(Buffer.concat([Buffer.from(TEXT.repeat(5_000)), Buffer.from('Gr\xf6ße', 'latin1')]))).toMatch(
      /Gr\ufffd\ufffde$/,
    );
    const western = Buffer.concat([Buffer.alloc(200_000, 'Grosse '), Buffer.from('Gr\xf6\xdfe', 'latin1')]);
    expect(await normalized(western)).toMatch(/Größe$/);
  });

  it('that is empty stays so', async () => {
    expect(await normalized(Buffer.alloc(0))).toBe('\ufeff');
  });
});

describe('a table', () => {
  const quoted = async (content: string | Buffer): Promise<string> => {
    const file = path.join(folder, 'table');
    writeFileSync(file, content);
    await normalizeTable(file);
    return readFileSync(file, 'utf8').replace('\ufeff', '');
  };

  it.each([
    ['id,phone\n007,+49\n', '"id","phone"\n"007","+49"\n'],
    ['a\t=1+1\r\n\t1/2', '"a"\t"=1+1"\r\n\t"1/2"'],
    ['"a;b";"two\r\nlines";"he said ""no"""\n', '"a;b";"two\r\nlines";"he said ""no"""\n'],
    ['5" disk,x\n"5" disk,y', '"5"" disk","x"\n"5 disk","y"'],
    ['"",,""""\n', '"",,""""\n'],
    ['a,"open', '"a","open"'],
    ['a,"', '"a",""'],
    ['sep=|\na,b|c', '"a,b"|"c"'],
    ['sep=;\r\n1', '"1"'],
    ['se', '"se"'],
    ['', ''],
  ])('%j has quotes around its cells', async (text, expected) => {
    expect(await quoted(text)).toBe(expected);
  });

  it('keeps its cells on the borders of pieces', async () => {
    const line = `"${'ü'.repeat(40_000)}"";","7"\n`;
    expect(await quoted(line.repeat(9))).toBe(line.repeat(9));
  });
});

describe('the separator of a CSV', () => {
  it.each([
    ['Name;Preis\nGröße;1,50\nMaß;2,75\n', ';'],
    ['1,5;2,5\r\n3,5;4,5', ';'],
    ['a,b,c\n"x;y",2,3\n4,"5;6",7', ','],
    ['a\tb\n1,5\t2', '\t'],
    ['a|b\n1|2', '|'],
    ['sep=;\na,b;c,d', ';'],
    ['title\na;b\nc;d;e\n', ';'],
    ['"one; two;\nthree;",b\n"c;",d\n', ','],
    ['5" disk;a,b\n3" disk;c,d\n', ';'],
    ['one column\nof text', ','],
    ['', ','],
    ['"'.repeat(100_001), ','],
  ])('of %.40j is %j', (text, separator) => {
    expect(findSeparator(text)).toBe(separator);
  });
});
