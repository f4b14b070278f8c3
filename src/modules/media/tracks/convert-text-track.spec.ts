import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { startCpuTimer } from '../../../../test/support/cpu-timer.js';
import { assText, assToWebVtt } from './ass-text.js';
import { convertTextTrack } from './convert-text-track.js';

const run = (content: Buffer | string, language: string | null = null) => convertTextTrack(Buffer.from(content as string), language);

const convert = (content: Buffer | string): string => run(content).text;
const problemOf = (content: Buffer | string) => run(content).problem;
/** The text of the only cue of WebVTT with this text. */
const cue = (text: string): string => convert(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}\n`).split('\n').slice(3, -1).join('\n');

const SRT = '1\n00:00:01,000 --> 00:00:04,5\n“Grüße” – Welt\n\n2\n1:00:05,000 --> 1:00:06,000 X1:40\n<i>Ende</i>\n';

const VTT = `WEBVTT

1
00:00:01.000 --> 00:00:04.500
“Grüße” – Welt

2
01:00:05.000 --> 01:00:06.000
<i>Ende</i>
`;

/** windows-1252 */
const western = (text: string): Buffer =>
  Buffer.from([...text].map((character) => ({ '“': 0x93, '”': 0x94, '–': 0x96 })[character] ?? character.charCodeAt(0)));

describe('SubRip', () => {
  it.each([
    ['UTF-8', Buffer.from(SRT)],
    ['UTF-8 with its mark', Buffer.from(`\ufeff${SRT}`)],
    ['UTF-16 LE', Buffer.from(`\ufeff${SRT}`, 'utf16le')],
    ['UTF-16 LE without a mark', Buffer.from(SRT, 'utf16le')],
    ['UTF-16 BE', Buffer.from(`\ufeff${SRT}`, 'utf16le').swap16()],
    ['UTF-16 BE without a mark', Buffer.from(SRT, 'utf16le').swap16()],
    ['windows-1252', western(SRT)],
  ])('in %s becomes WebVTT, whatever its line ends are', (_, content) => {
    expect(run(content)).toMatchObject({ text: VTT, problem: null });
  });

  it('in Cyrillic, Japanese or Chinese of an earlier time is decoded by its content, with the help of its language', () => {
    const cue = (text: Buffer, language: string | null = null) =>
      run(Buffer.concat([Buffer.from('1\n00:00:01,000 --> 00:00:02,000\n'), text, Buffer.from('\n')]), language).text;
    // "Привет, как дела?", "こんにちは", "你好，世界，今天"
    expect(cue(Buffer.from('cff0e8e2e5f22c20eae0ea20e4e5ebe03f', 'hex'))).toContain('Привет, как дела?');
    expect(cue(Buffer.from('82b182f182c982bf82cd', 'hex'), 'ja')).toContain('こんにちは');
    expect(cue(Buffer.from('c4e3bac3a3accac0bde7a3acbdf1cceca1a3', 'hex'), 'zh-CN')).toContain('你好，世界，今天。');
    expect(cue(Buffer.from('c4e0', 'hex'), 'ru')).toContain('Да');
  });

  it.each(['\r\n', '\r'])('has any line ends (%j)', (end) => {
    expect(convert(SRT.replaceAll('\n', end))).toBe(VTT);
  });

  it('may lack numbers, hours, fractions, blanks and empty lines', () => {
    const text = '00:01 --> 00:02,5\none\n2\n0:3.1-->0:4.1\ntwo\nlines\n\n\n00:05 --> 00:06\nthree\n\nstill three\n\n4\n';
    expect(run(text).problem).toBeNull();
    expect(convert(text)).toBe(
      'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\none\n\n2\n00:00:03.100 --> 00:00:04.100\ntwo\nlines\n\n00:00:05.000 --> 00:00:06.000\nthree\nstill three\n',
    );
  });

  it('keeps its text: numbers, arrows, ampersands and comparisons', () => {
    const lines = ['at 10:00,5 sharp', '42', 'A --> B', 'Tom & Jerry &amp; AT&T', '1 < 2 > 0'];
    expect(
      convert(`1\n00:00:01,000 --> 00:00:02,000\n${lines.join('\n')}\n`)
        .split('\n')
        .slice(4, -1),
    ).toEqual(['at 10:00,5 sharp', '42', 'A --&gt; B', 'Tom &amp; Jerry &amp; AT&amp;T', '1 &lt; 2 &gt; 0']);
  });

  it('loses the styles that WebVTT does not know, and keeps the place at the top', () => {
    const text = '1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color="#ff0">Yellow</font><br><B>bold\n';
    expect(convert(text)).toBe('WEBVTT\n\n1\n00:00:01.000 --> 00:00:02.000 line:0\nYellow\n<b>bold</b>\n');
  });
});

describe('WebVTT', () => {
  it('keeps identifiers, settings, styles and regions that are harmless, and no comments', () => {
    const text = [
      'WEBVTT - Talk\nKind: captions',
      'STYLE\n::cue(.loud) {\n  color: red;\n}',
      'STYLE\n@import url(https://tracker.example/x.css);',
      'REGION\nid:top\nwidth:40%\nonclick:evil()',
      'NOTE a comment\nof two lines',
      'one\n00:01.000 --> 00:02.000 line:10%,end position:20% align:middle region:top onload:evil()\n<c.loud>Hi</c>',
      '00:02.000 --> 00:03.000\n<00:02.500>later',
      'STYLE\n::cue { color: blue }',
    ].join('\n\n');
    expect(run(text)).toMatchObject({ problem: null });
    expect(convert(text)).toBe(
      [
        'WEBVTT',
        'STYLE\n::cue(.loud) {\n  color: red;\n}',
        'REGION\nid:top\nwidth:40%',
        'one\n00:00:01.000 --> 00:00:02.000 line:10%,end position:20% align:center region:top\n<c.loud>Hi</c>',
        '00:00:02.000 --> 00:00:03.000\n<00:02.500>later\n',
      ].join('\n\n'),
    );
  });

  it.each(['WEBVTT', 'WEBVTT\n', '\ufeffWEBVTT\tA title', 'WEBVTT\n\nNOTE nothing\n'])('needs a cue: %j', (text) => {
    expect(run(text)).toEqual({ text: 'WEBVTT\n', problem: { line: expect.any(Number), message: 'The file has no cues.' } });
  });

  it.each([
    ['<script>alert(1)</script>', 'alert(1)'],
    ['<img src=x onerror=alert(1)>', null],
    ['a <b onclick=alert(1)>b</b>', 'a <b>b</b>'],
    ['<v onclick=alert(1)//>a', '<v onclick&#61;alert(1)&#47;&#47;>a</v>'],
    ['<v.x"y.loud Fred & Mary>a<v Bob>b', '<v.loud Fred &amp; Mary>a</v><v Bob>b</v>'],
    ['<lang en">a</lang><lang en-GB>b</lang>', 'a<lang en-GB>b</lang>'],
    ['<ruby>a<rt>b</ruby><rt>c', '<ruby>a<rt>b</rt></ruby>c'],
    ['<<b>>a</b', '&lt;<b>&gt;a&lt;/b</b>'],
    ['<v>hello', 'hello'],
    ['&lt;script&gt; &copy &#x3c;', '&lt;script&gt; &amp;copy &#x3c;'],
  ])('of the text %j keeps %j', (text, expected) => {
    if (expected === null) expect(run(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}`).text).toBe('WEBVTT\n');
    else expect(cue(text)).toBe(expected);
  });

  it('nests elements to a depth that every player can take', () => {
    expect(cue(`${'<b>'.repeat(10_000)}a`)).toBe(`${'<b>'.repeat(16)}a${'</b>'.repeat(16)}`);
  });
});

it('leaves out cues beyond a hundred at the same moment, and keeps any number of others', () => {
  const time = (ms: number) => new Date(ms).toISOString().slice(11, 23);
  const kept = (cues: readonly (readonly [start: number, end: number])[]) =>
    convert(`WEBVTT\n\n${cues.map(([start, end]) => `${time(start)} --> ${time(end)}\nHello\n`).join('\n')}`).split('-->').length - 1;
  const many = Array.from({ length: 3_000 }, (_, n) => n);
  expect(kept(many.map(() => [1_000, 2_000]))).toBe(100);
  expect(kept(many.map((n) => [n * 10, 3_600_000]))).toBe(100);
  expect(kept(many.map((n) => [n * 40, n * 40 + 2_000]))).toBe(3_000); // a word each frame
  expect(kept([...many, ...many].map((n) => [n * 1_000, n * 1_000 + 5_000]))).toBe(6_000); // a second language behind the first
});

it('leaves out cues of zero or negative length', () => {
  const text =
    '1\n00:00:02,000 --> 00:00:02,000\nnever\n\n2\n00:00:03,000 --> 00:00:01,000\nnever\n\n3\n00:00:04,000 --> 00:00:05,000\nnow\n';
  expect(run(text)).toMatchObject({ text: 'WEBVTT\n\n3\n00:00:04.000 --> 00:00:05.000\nnow\n', problem: null });
});

describe('the first line that is wrong', () => {
  it.each([
    ['', 1],
    ['1\n00:00:05,000 --> 00:00:02,000\nnever\n\n2\n00:00:07,000 --> 00:00:07,000\nnever\n', 2],
    ['WEBVTT\n\n00:05.000 --> 00:02.000\nnever\n', 3],
    ['\n\n', 3],
    ['<!doctype html>\n<title>x</title>', 1],
    ['\n1\nhello\n', 3],
    ['{"cues":[]}', 1],
    ['[Script Info]\nTitle: x\n', 1],
    ['WEBVTTX\n\n00:01.000 --> 00:02.000\nx', 1],
    ['1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 --> soon\nb\n', 6],
    ['WEBVTT\n\n00:01.000 --> 00:02.000\na\n\nx\n00:01 ---> 00:02\nb\n', 7],
    ['1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 - 00:00:04,000\nb\n', 6],
    ['1\n00:00:01,000 --> 00:00:02,000\na\n\n2\nOO:00:03,000 --> 00:00:04,000\nb\n', 6],
    ['1\n00:00:01,000 --> 00:00:02,000\na\n\n2\nthree seconds\nb\n', 6],
    ['1\n00:00:01,000 --> 00:00:02,000\na\n\n00:00:03,000 → 00:00:04,000\nb\n', 5],
    ['1\n00:00:01,000 --> 00:00:02,000\na\n\n2\n00:00:03,000 --&gt; 00:00:04,000\nb\n', 6],
    ['WEBVTT\n\n00:01.000 --> 00:02.000\na\n\n2\n00:03.000 -> 00:04.000\nb\n', 7],
    ['WEBVTT\n\n00:03.000 to 00:04.000\nb\n\n00:05.000 --> 00:06.000\na\n', 3],
    [Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0]), 1],
  ])('of %j is told', (content, line) => {
    expect(problemOf(content)).toEqual({ line, message: expect.any(String) });
  });

  it('of a cue that is too long is told', () => {
    expect(problemOf(`WEBVTT\n\n00:01.000 --> 00:02.000\n${'x'.repeat(250_001)}`)).toMatchObject({ line: 4 });
  });

  it('does not keep the other cues from being shown', () => {
    const text = 'WEBVTT\n\n00:01 --> never\na\n\n00:01.000 --> 00:02.000\nb\n';
    expect(convert(text)).toBe('WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nb\n');
  });
});

describe('any content', () => {
  const parts = [
    '\n',
    '\n\n',
    '1\n',
    'WEBVTT\n\n',
    'NOTE ',
    'STYLE\n',
    '00:01.000 --> 00:02.000',
    '<',
    '>',
    '</',
    '&',
    '<b>',
    '<v A>',
    '<script>',
  ];
  const text = fc.array(fc.oneof(fc.constantFrom(...parts), fc.string())).map((pieces) => pieces.join(''));
  const anything = fc.oneof(
    text.map((content) => Buffer.from(content)),
    text.map((content) => Buffer.from(`WEBVTT\n\n${content}`)),
    text.map((content) => Buffer.from(content, 'utf16le')),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  );

  it('becomes WebVTT whose only elements are those of WebVTT', () => {
    fc.assert(
      fc.property(anything, (content) => {
        const [head, ...blocks] = convert(content).split('\n\n');
        expect(head?.trim()).toBe('WEBVTT');
        for (const block of blocks.filter((one) => !/^(?:STYLE|REGION)/.test(one))) {
          const [line = '', ...others] = block.split('\n');
          const [times = '', ...lines] = line.includes('-->') ? [line, ...others] : others;
          if (times !== line) expect(line).toMatch(/^[^<>&]{1,100}$/);
          expect(times).toMatch(/^\d{2,4}:\d\d:\d\d\.\d{3} --> \d{2,4}:\d\d:\d\d\.\d{3}(?: [^<>]+)*$/);
          const rest = lines
            .join('\n')
            .replace(/<\/?(?:b|i|u|c|v|lang|ruby|rt)(?:\.[^\s.<>"'=]+)*(?: [^<>"'=/]*)?>|<(?:\d+:)?\d\d:\d\d\.\d{3}>/g, '');
          expect(rest).not.toMatch(/[<>]/);
        }
      }),
    );
  });

  it('is the same when it is converted once more', () => {
    fc.assert(
      fc.property(anything, (content) => {
        const once = convert(content);
        const problem = once.includes('-->') ? null : { message: 'The file has no cues.' };
        expect(run(once)).toMatchObject({ text: once, problem });
      }),
    );
  });

  it('keeps every cue that was written as SubRip, in every encoding', () => {
    const line = fc.stringMatching(/^[A-Za-zäöü ,.!?]{0,20}[a-z]$/);
    const cues = fc.array(
      fc.record({
        start: fc.nat(9_999_999),
        ms: fc.integer({ min: 1, max: 99_999 }),
        lines: fc.array(line, { minLength: 1, maxLength: 3 }),
      }),
      {
        minLength: 1,
      },
    );
    const time = (ms: number, mark: string) => new Date(ms).toISOString().slice(11, 23).replace('.', mark);
    const encodings = [
      (written: string) => Buffer.from(written),
      (written: string) => Buffer.from(written, 'latin1'),
      (written: string) => Buffer.from(`\ufeff${written}`, 'utf16le'),
    ];
    fc.assert(
      fc.property(cues, fc.constantFrom('\n', '\r\n', '\r'), fc.constantFrom(...encodings), (wanted, end, encode) => {
        const write = (mark: string) =>
          wanted
            .map(
              ({ start, ms, lines }, n) =>
                `${n + 1}\n${time(start, mark)} --> ${time(start + ms, mark)}\n${lines.map((one) => one.trim()).join('\n')}\n`,
            )
            .join('\n');
        expect(run(encode(write(',').replaceAll('\n', end)), 'de')).toMatchObject({ text: `WEBVTT\n\n${write('.')}`, problem: null });
      }),
    );
  });
});

/** Each of these took a second or more in an earlier version, or would with a search that is quadratic in their length. */
it.each([
  ['many cues', '0:0 --> 9:9\n'.repeat(100_000)],
  ['many cues of WebVTT', `WEBVTT\n\n${'00:01.000 --> 00:02.000\nabc\n\n'.repeat(30_000)}`],
  [
    'one cue with many voices',
    `WEBVTT\n\n00:01.000 --> 00:02.000\n${Array.from({ length: 10_000 }, (_, n) => `<v Voice ${n}>hello`).join(' ')}`,
  ],
  ['a line of open tags', `WEBVTT\n\n00:01.000 --> 00:02.000\n${'<'.repeat(200_000)}`],
  ['empty lines', `WEBVTT${'\n'.repeat(1_000_000)}`],
  ['a cue with empty lines', `1\n0:0 --> 9:9\na\n${'\n'.repeat(1_000_000)}`],
  ['a time with blanks', `0:0${' '.repeat(1_000_000)}--> x`],
  ['numbers without times', '1\n\n'.repeat(200_000)],
])('takes linear time: %s', (_, content) => {
  const elapsed = startCpuTimer();
  run(content);
  expect(elapsed()).toBeLessThan(5_000);
});

describe('the text of Advanced SubStation Alpha', () => {
  it.each([
    ['{\\p1}m 0 0 l 100 0{\\p0}', ''],
    ['{\\pos(10,20)\\p2\\c&HFF&}m 0 0 l 1 1', ''],
    ['a{\\p1}m 0 0{\\p0}b{not shown}c{\\pos(1,2)}d{\\pbo5}e', 'abcde'],
    ['one\\Ntwo\\hthree\\nfour', 'one\ntwo\u00a0three\nfour'],
    ['{\\i1}soft{\\i0} {\\b700}loud{\\b0}', '<i>soft</i> <b>loud</b>'],
    ['a < b & {open', 'a &lt; b &amp; {open'],
  ])('%j has the words %j', (text, words) => {
    expect(assText(text)).toBe(words);
  });

  it.each([
    ['{\\an8}<i>top</i> {Bob} {\\p1}m 0 0{\\p0}', '<i>top</i> {Bob} '],
    ['C:\\New one\\Ntwo', 'C:\\New one\ntwo'],
  ])('%j in SubRip has the words %j', (text, words) => {
    expect(assText(text, { ofProgram: true })).toBe(words);
  });

  it('becomes WebVTT without comments, drawings and repeated layers, in the order of time', () => {
    const event = (kind: string, start: string, text: string) => `${kind}: 0,${start},0:00:09.00,Default,,0,0,0,,${text}`;
    const file = [
      ...['[Script Info]', '[Events]', 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text'],
      event('Dialogue', '0:00:02.50', 'Second, with a comma'),
      event('Comment', '0:00:02.50', 'Note'),
      event('Dialogue', '0:00:01.00', '{\\an8}First\\N\\N{note}line'),
      event('Dialogue', '0:00:01.00', '{\\an8\\bord4}First\\N\\Nline'),
      event('Dialogue', '0:00:03.00', '{\\p1}m 0 0 l 100 0{\\p0}'),
    ].join('\r\n');
    expect(assToWebVtt(file)).toBe(
      'WEBVTT\n\n00:00:01.000 --> 00:00:09.000 line:0\nFirst\nline\n\n00:00:02.500 --> 00:00:09.000\nSecond, with a comma\n',
    );
  });

  it.each(['{', '{\\p1}', '\\N', 'Dialogue: 0,'])('takes linear time: %s', (part) => {
    const elapsed = startCpuTimer();
    assToWebVtt(`Dialogue: 0,0:0:1.0,0:0:2.0,,,,,,,${part.repeat(500_000)}`);
    expect(elapsed()).toBeLessThan(5_000);
  });
});
