import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest, type Change } from '../../../../test/support/converter/format-requests.js';
import type { BurnTimecode } from '../format-settings.dto.js';
import type { ParameterValue } from '../format-settings.js';
import { buildInvocation } from './build-invocation.js';
import type { Invocation } from './converter.js';

/** What means something to a shell, a filter graph, ImageMagick, LibreOffice or the eye, and any other text. */
const hostile = fc.oneof(
  fc
    .array(
      fc.constantFrom(
        "'",
        '"',
        '%',
        '%f',
        '%[exif:*]',
        '\n',
        '\r',
        ';',
        ',',
        '[',
        ']',
        '[v]',
        ':',
        '\\',
        '-',
        '-i',
        '@',
        '@/etc/passwd',
        '$(id)',
        '`id`',
        '|',
        '&',
        '&lt;',
        '*',
        '?',
        '~',
        '..',
        '/',
        'text:',
        'msl:x',
        'http://x',
        '\u0000',
        '\u202e',
        'ü',
        '😀',
        ' ',
        '=',
        '{',
        '}',
        '#',
        '-y',
        'movie=x',
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary', minLength: 1 }),
);

/** The arguments of all programs; the job of sharp, which is JSON, counts as its values. */
const argvOf = (invocation: Invocation): readonly string[] =>
  invocation.kind === 'run'
    ? invocation.steps.flatMap(({ program, argv }) => (program === 'sharp' ? valuesOf(JSON.parse(argv[1] ?? '')) : argv))
    : [];
const valuesOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(valuesOf) : [String(value)];
const build = (blueprint: string, change: Change) => buildInvocation(aRequest(blueprint, change));

describe('whatever text an annotation has', () => {
  const annotated = (text: string) => argvOf(build('jpeg', { settings: { annotation: { text } } }));
  const plain = annotated('plain');
  const slot = plain.indexOf('plain');

  it('it is the one argument behind -annotate and its offset, escaped', () => {
    expect(plain.slice(slot - 2, slot)).toEqual(['-annotate', '+0+51']);
    fc.assert(
      fc.property(hostile, (text) => {
        const argv = annotated(text);
        expect(argv).toHaveLength(plain.length);
        expect(argv.filter((_, index) => index !== slot)).toEqual(plain.filter((_, index) => index !== slot));
        const written = argv[slot] ?? '';
        expect(written.startsWith('@')).toBe(false);
        expect(written.replaceAll('%%', '').includes('%')).toBe(false);
        expect(written.replaceAll('&amp;', '').includes('&')).toBe(false);
        expect(written.replaceAll('\\\\', '').replace(/^\\@/, '').includes('\\')).toBe(false);
        expect(written.includes('\u0000')).toBe(false);
      }),
    );
  });
});

describe('any value of a structured setting', () => {
  const timecode = (key: keyof BurnTimecode) => (value: string) =>
    build('h264-360p', { settings: { burnTimecode: { [key]: value } }, customerTimecode: null });
  const annotation = (key: string) => (value: string) => build('jpeg', { settings: { annotation: { text: 'x', [key]: value } } });
  const mark = (key: string) => (value: string) =>
    build('webp', { settings: { watermark: { mediaContainerId: 1, [key]: value } }, watermark: { fileExtension: 'png' } });
  const settings: readonly (readonly [string, (value: string) => Invocation])[] = [
    ...(['fontcolor', 'fontsize', 'font', 'box', 'boxcolor', 'boxborderw', 'position', 'gravity', 'offset'] as const).map(
      (key) => [`burnTimecode.${key}`, timecode(key)] as const,
    ),
    ...['fill', 'font', 'gravity', 'pointSize', 'relative'].map((key) => [`annotation.${key}`, annotation(key)] as const),
    ...['position', 'widthFactor', 'gravity'].map((key) => [`watermark.${key}`, mark(key)] as const),
    [
      'audioWatermark.interval',
      (value) => build('mp3', { settings: { audioWatermark: { mediaContainerId: 1, interval: value as unknown as number } } }),
    ],
    ['testMode.seconds', (value) => build('mp3', { settings: { testMode: { seconds: value as unknown as number } } })],
    ['filetype', (filetype) => build('h264-360p', { settings: { filetype } })],
    ['filetype of an image', (filetype) => build('jpeg', { settings: { filetype } })],
    ['filetype of a document', (filetype) => build('document-page', { settings: { filetype } })],
    ["a source's extension", (fileExtension) => build('jpeg', { source: { ...aRequest('jpeg').source, fileExtension } })],
    ["a document's extension", (fileExtension) => build('document-pdf', { source: { ...aRequest('document-pdf').source, fileExtension } })],
  ];

  it.each(settings)('%s: it is refused, or every argument keeps to simple characters', (_, make) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const invocation = make(text);
        if (invocation.kind === 'refused') expect(invocation.problems.join()).not.toBe('');
        else
          for (const argument of argvOf(invocation))
            if (!argument.includes('drawtext')) expect(argument).toMatch(/^[\w.,:;=+/*()?[\]\\>!#@ -]*$/);
      }),
    );
  });

  it("the customer's configuration is held to the same rules", () => {
    fc.assert(
      fc.property(hostile, (fontcolor) => {
        const { kind } = build('h264-360p', { settings: { burnTimecode: {} }, customerTimecode: { fontcolor } });
        return kind === 'refused' || /^[a-z#0-9@.]+$/i.test(fontcolor);
      }),
    );
  });
});

describe('whatever parameters a format has, raw ones too', () => {
  const names = fc.oneof(
    fc.constantFrom('vf', 'af', 'crf', 'preset', 'i', 'movflags', 'tag:v', 'force_key_frames', 'resize', 'define', 'crop'),
    hostile,
  );
  const parameters = fc.dictionary(names, fc.oneof(hostile, fc.constant(true)), { maxKeys: 4 });

  it.each([
    ['h264-360p', 'ffmpeg'],
    ['jpeg', 'imagemagick'],
  ] as const)('%s is made with what its lists know, and nothing else', (blueprint, owner) => {
    const drawn = blueprint === 'jpeg' ? { settings: { annotation: { text: 'x' } } } : {};
    const known = argvOf(build(blueprint, drawn)).length;
    fc.assert(
      fc.property(parameters, (raw: Record<string, ParameterValue>) => {
        const invocation = build(blueprint, { settings: { [owner]: raw }, parameters: raw });
        expect(invocation.kind).toBe('run');
        const argv = argvOf(invocation);
        expect(argv.length).toBeLessThanOrEqual(known + 2 * Object.keys(raw).length + 1);
        expect(argv.every((argument) => !/["'`$|\n\u202e%{}~&]/.test(argument))).toBe(true);
      }),
    );
  });

  it('a command that was not merged is refused when it holds something unsafe', () => {
    const request = { ...aRequest('h264-360p'), command: { i: '/etc/passwd', crf: '-y' } };
    expect(buildInvocation(request)).toEqual({
      kind: 'refused',
      problems: [
        'The parameter "i": not a parameter that ffmpeg is given.',
        'The parameter "crf": not a value that ffmpeg is given for it.',
      ],
    });
  });
});
