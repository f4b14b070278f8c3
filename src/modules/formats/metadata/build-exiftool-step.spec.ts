import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { buildExiftoolStep } from './build-exiftool-step.js';

const tag = (name: string, ...values: string[]) => ({ tag: name, values, metaTitle: null });

describe('the run of exiftool', () => {
  it('removes existing metadata and writes the tags, from a file with one line per value', () => {
    const { step, file } = buildExiftoolStep(
      [tag('IPTC:Keywords', 'Hafen', 'Büro & Co'), tag('XMP-dc:Title', '-execute\n-o <x>'), tag('IPTC:By-line', ' #x')],
      'output.jpg',
    );
    expect(step).toEqual({
      program: 'exiftool',
      argv: (
        '-config  -q -m -E -overwrite_original -charset utf8 -charset iptc=utf8 -charset exif=utf8 -charset filename=utf8 ' +
        '-@ metadata.args output.jpg'
      ).split(' '),
      stdout: null,
    });
    expect(file).toEqual({
      name: 'metadata.args',
      content: [
        '-all=',
        '--ICC_Profile:all',
        '-IPTC:CodedCharacterSet=UTF8',
        '-IPTC:Keywords=Hafen',
        '-IPTC:Keywords=Büro &#x26; Co',
        '-XMP-dc:Title=-execute&#xa;-o &#x3c;x&#x3e;',
        '-IPTC:By-line= &#x23;x',
        '',
      ].join('\n'),
    });
  });

  it.each(['-o', '../x.jpg', '/etc/passwd', 'a b.jpg', '@x'])('does not touch %s', (image) => {
    expect(() => buildExiftoolStep([], image)).toThrow(/Not a name/);
  });

  it.each(['all', '-IPTC:Source', 'IPTC:Source<', 'System:FileName', 'XMP-dc:Title\n-o', 'Directory'])('does not write %j', (name) => {
    expect(() => buildExiftoolStep([tag(name, 'x')], 'output.jpg')).toThrow(/Not a tag/);
  });

  it('has one line for each value, and the value in it, whatever it is', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 5 }), (values) => {
        const { file, step } = buildExiftoolStep([tag('XMP-dc:Subject', ...values)], 'output.jpg');
        const lines = file.content.split('\n').slice(3, -1);
        expect(lines).toHaveLength(values.length);
        expect(lines.every((line) => /^-XMP-dc:Subject=[^\p{Cc}<>"'$@|`\\]*$/u.test(line))).toBe(true);
        const read = lines.map((line) =>
          line
            .slice('-XMP-dc:Subject='.length)
            .replaceAll(/&#x([0-9a-f]+);/g, (_, digits) => String.fromCodePoint(Number.parseInt(digits, 16))),
        );
        expect(read).toEqual(values);
        expect(step.argv).toHaveLength(17);
      }),
    );
  });
});
