import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

interface Metadata {
  readonly exif?: Buffer;
  readonly xmpAsString?: string;
  readonly iptc?: Buffer;
  readonly tifftagPhotoshop?: Buffer;
  readonly comments?: readonly { readonly keyword: string; readonly text: string }[];
}
const { copyrightOf, copyrightAsXmp } = createRequire(import.meta.url)('./copyright.cjs') as {
  copyrightOf: (metadata: Metadata) => string | null;
  copyrightAsXmp: (text: string) => string;
};

const uint16 = (value: number) => Buffer.from([value >> 8, value & 0xff]);
const uint32 = (value: number) => Buffer.concat([uint16(value >>> 16), uint16(value & 0xffff)]);
/** A data set of IPTC (IPTC-IIM 4.2, section 1.5). */
const set = (record: number, number: number, content: string | Buffer) =>
  Buffer.concat([Buffer.from([0x1c, record, number]), uint16(content.length), Buffer.from(content as string)]);
/** A resource of Photoshop, which begins and ends at an even place. */
const resource = (id: number, content: Buffer, name = '') =>
  Buffer.concat([
    ...[Buffer.from('8BIM'), uint16(id), Buffer.from([name.length]), Buffer.from(name), Buffer.alloc(1 - (name.length % 2))],
    ...[uint32(content.length), content, Buffer.alloc(content.length % 2)],
  ]);
const inJpeg = (...resources: Buffer[]) => Buffer.concat([Buffer.from('Photoshop 3.0\0'), ...resources]);

const UTF8 = set(1, 90, '\x1b%G');
const AUTHOR = set(2, 80, 'Charles');
const NOTICE = set(2, 116, Buffer.from('© Ada Lovelace'));
const LATIN = set(2, 116, Buffer.from('© Zoë', 'latin1'));

describe('the copyright notice of a picture that has it only in IPTC', () => {
  it('is read as UTF-8 if that is announced, otherwise as Latin-1', () => {
    expect(copyrightOf({ iptc: inJpeg(resource(0x0404, Buffer.concat([UTF8, AUTHOR, NOTICE]))) })).toBe('© Ada Lovelace');
    expect(copyrightOf({ iptc: inJpeg(resource(0x0404, Buffer.concat([AUTHOR, LATIN]))) })).toBe('© Zoë');
  });

  it('is found behind other resources, in the bytes of a TIFF, and in a text of a PNG', () => {
    const iptc = Buffer.concat([UTF8, AUTHOR, NOTICE]);
    const resources = [resource(0x03ed, Buffer.alloc(15), 'Size'), resource(0x0404, iptc, 'odd')];
    const text = `\nIPTC profile\n      ${iptc.length}\n${iptc.toString('hex').replace(/.{72}/g, '$&\n')}\n`;
    for (const metadata of [
      { iptc: inJpeg(...resources) },
      { iptc },
      { iptc: iptc.subarray(0, 12), tifftagPhotoshop: Buffer.concat(resources) },
      { comments: [{ keyword: 'Raw profile type iptc', text }] },
    ]) {
      expect(copyrightOf(metadata)).toBe('© Ada Lovelace');
    }
  });

  it('is limited in length, and has no control characters', () => {
    expect(copyrightOf({ iptc: set(2, 116, 'x'.repeat(20_000)) })).toBe('x'.repeat(1_000));
    expect(copyrightOf({ iptc: set(2, 116, ' Ada\0\r\nLovelace\0') })).toBe('Ada Lovelace');
  });

  it('is the same after it was written as XMP', () => {
    const text = 'Ada & Söhne <東京>';
    expect(copyrightOf({ xmpAsString: copyrightAsXmp(text) })).toBe(text);
  });

  it('gives way to those of Exif and XMP', () => {
    const xmpAsString = '<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Ada &amp; Co.</rdf:li></rdf:Alt></dc:rights>';
    expect(copyrightOf({ xmpAsString, iptc: NOTICE })).toBe('Ada & Co.');
    expect(copyrightOf({ iptc: AUTHOR, comments: [{ keyword: 'Copyright', text: 'Ada' }] })).toBe('Ada');
  });

  it('is none of the other texts, and absent from metadata that is damaged', () => {
    for (const iptc of [AUTHOR, inJpeg(resource(0x0404, AUTHOR)), inJpeg(resource(0x03ed, NOTICE)), Buffer.alloc(0)]) {
      expect(copyrightOf({ iptc })).toBeNull();
    }
    const whole = inJpeg(resource(0x03ed, Buffer.alloc(15)), resource(0x0404, Buffer.concat([UTF8, AUTHOR, NOTICE])));
    fc.assert(
      fc.property(fc.nat(whole.length), fc.uint8Array({ maxLength: 40 }), (place, bytes) => {
        const damaged = Buffer.concat([whole.subarray(0, place), Buffer.from(bytes)]);
        const text = damaged.toString('hex');
        const comments = [{ keyword: 'Raw profile type 8bim', text: `\n8bim\n1\n${text}` }];
        for (const metadata of [{ iptc: damaged }, { iptc: Buffer.from(bytes) }, { tifftagPhotoshop: damaged }, { comments }]) {
          const found = copyrightOf(metadata);
          expect(found === null || (found.length <= 1_000 && !found.includes('Charles'))).toBe(true);
        }
      }),
    );
  });
});
