import { describe, expect, it } from '@jest/globals';
import { StorageClient } from '@media-delivery/sdk/uploader';
import { decodeChunks } from '../local-storage/src/body/payload.js';
import { readXml } from '../local-storage/src/http/messages.js';
import { findSeparator } from '../src/modules/converter/execution/normalize-text.js';
import { nameContent } from '../src/modules/converter/execution/source-inspector.service.js';
import { OutputTail } from '../src/modules/converter/tools/run-process.js';
import { parseAddress, parseCidr } from '../src/modules/delivery/decision/addresses.js';
import { HostPatterns, refererPage } from '../src/modules/delivery/decision/host-names.js';
import { queryToken } from '../src/modules/delivery/gate/viewer-tokens.service.js';
import { cleanText } from '../src/modules/formats/clean-text.js';
import { parseProbe } from '../src/modules/formats/converters/ffmpeg/parse-probe.js';
import { compileAllowedParameters } from '../src/modules/formats/converters/merge-parameters.js';
import { convertTextTrack } from '../src/modules/media/tracks/convert-text-track.js';
import { findRedirectUriProblem } from '../src/modules/oauth/clients/redirect-uris.js';
import { hasPathCookie, readFramedCookies } from '../src/modules/oauth/sessions/framed-cookies.js';
import { basicCredentials } from '../src/modules/oauth/tokens/form-request.js';
import { isDomainName } from '../src/modules/player-configurations/settings/domain-name.js';
import { checkStructure, decodeResponse } from '../src/modules/saml/decode-response.js';
import { readMetadata } from '../src/modules/saml/read-metadata.js';
import { emailHtml, linkedParagraphs } from '../src/modules/subscriptions/instructions/email/email-layout.js';
import { parseRetryAfter } from '../src/modules/subscriptions/instructions/https/https-instruction.service.js';
import { fillText, fillUrl, placeholdersIn } from '../src/modules/subscriptions/instructions/placeholders.js';
import { replaceInQuery } from '../src/modules/subscriptions/instructions/secret-values.js';
import { bearerToken } from '../src/shared/auth/index.js';
import { detectEncoding, findEncoding } from '../src/shared/detect-encoding.js';
import { canonicalEmail, isMailAddress } from '../src/shared/email-address.js';
import { readFilmHeader } from '../src/shared/film-header.js';
import { countJson } from '../src/shared/http/body-limit.js';
import { beginRequest, parseRange, whyUnreadable } from '../src/shared/http/index.js';
import { viewerLanguages } from '../src/shared/languages.js';
import { isAnimatedPng, readImageHeader } from '../src/shared/picture-header.js';
import { readRotation } from '../src/shared/picture-orientation.js';
import { PersonPattern } from '../src/shared/removal/index.js';
import { contentDisposition } from '../src/shared/storage/content-disposition.js';
import { readSvgSize } from '../src/shared/svg-size.js';
import { startCpuTimer } from './support/cpu-timer.js';

/** What reads a text of strangers, and the texts that make it slow if it backtracks or begins anew, each with a part that occurs `n` times. */
interface Reader {
  readonly read: (text: string) => unknown;
  readonly texts: Readonly<Record<string, (n: number) => string>>;
}

const repeat = (text: string) => (n: number) => text.repeat(n);
/** Repetitions of `middle` between two texts. */
const between = (before: string, middle: string, after: string) => (n: number) => before + middle.repeat(n) + after;
const numbered =
  (part: (index: number) => string, wrap = (text: string) => text) =>
  (n: number) =>
    wrap(Array.from({ length: n }, (_, index) => part(index)).join(''));
/** The names of hosts are converted from any script to ASCII, letter by letter. */
const differentLetters = (wrap: (text: string) => string) => numbered((index) => String.fromCodePoint(0x4e00 + index), wrap);
/** Reads a text as bytes, each character being one. */
const bytes = (read: (content: Buffer) => unknown) => (text: string) => read(Buffer.from(text, 'latin1'));
const request = (name: string, value: string) => ({ headers: { [name]: value }, socket: { remoteAddress: '10.0.0.1' } }) as never;

const inResponse = (text: string) => `<p:Response xmlns:p="urn:oasis:names:tc:SAML:2.0:protocol" ID="a">${text}</p:Response>`;
const xmlTexts = (wrap: (text: string) => string): Reader['texts'] => ({
  'elements of different names': numbered((n) => `<a${n}></a${n}>`, wrap),
  'declarations of namespaces, nested': (n) => wrap(`${numbered((i) => `<a xmlns:n${i}="u">`)(n)}${'</a>'.repeat(n)}`),
  'processing instructions without end': (n) => wrap('<?a '.repeat(n)),
  'sections of characters without end': (n) => wrap('<![CDATA['.repeat(n)),
  'comments without end': (n) => wrap('<!-- '.repeat(n)),
  'declarations without end': (n) => wrap('<!a "'.repeat(n)),
  'blanks in an end tag': (n) => wrap(`<a></a${' '.repeat(n)}x>`),
  'blanks in an instruction': (n) => wrap(`<?a x${' '.repeat(n)}y?>`),
  'attributes without a value': (n) => wrap(`<a${' b'.repeat(n)}/>`),
  'elements in each other': (n) => wrap(`${'<a>'.repeat(n)}${'</a>'.repeat(n)}`),
  'elements that do not end': (n) => wrap('<a '.repeat(n)),
  'ampersands without a name': (n) => wrap('&a'.repeat(n)),
});

const readers: Readonly<Record<string, Reader>> = {
  'a WebVTT file': {
    read: (text) => convertTextTrack(Buffer.from(`WEBVTT\n\n${text}`)),
    texts: {
      'blanks and a line separator behind the times': between('0:00 --> 0:01', '\t', '\u2028\nx'),
      'blanks before an arrow': between('0:00', ' ', '\nx'),
      'tags without end': between('0:00 --> 0:01\n', '<b ', '\n'),
      'nested tags': between('0:00 --> 0:01\n', '<b>', '\n'),
      'end tags without beginning': between('0:00 --> 0:01\n', '</b>', '\n'),
      'classes of a tag': between('0:00 --> 0:01\n<c', '.a', '>x\n'),
      'character references without end': between('0:00 --> 0:01\n', '&amp', '\n'),
      'blocks of style': repeat('STYLE\nsrc  \n\n'),
      'empty lines': between('0:00 --> 0:01\nx', '\n', 'y'),
      'arrows alone': repeat('-->'),
      'lines that look like times': repeat('1:2.3 '),
    },
  },
  'a SubRip file': {
    read: (text) => convertTextTrack(Buffer.from(text)),
    texts: {
      'marks without end': between('1\n00:00:00,000 --> 00:00:01,000\n', '{\\an', '\n'),
      'numbers alone': repeat('1\n'),
      'blanks around a number': between('', ' ', '1x'),
      'times without text': repeat('1\n00:00:00,000 --> 00:00:01,000\n'),
      'a file of TTML': between('<tt><body><div>', '<p begin="00:00:01.000">', ''),
    },
  },
  'the encoding of a text': {
    read: bytes((content) => [
      detectEncoding(content),
      findEncoding(content, null),
      findEncoding(content, 'ru'),
      findEncoding(content, 'zh'),
    ]),
    texts: { 'one long line': repeat('\xfc'), 'lines of one character': repeat('\xfc\n'), 'half characters': repeat('\x81') },
  },
  'a CSV': { read: findSeparator, texts: { quotes: repeat('"'), 'quotes and commas': repeat('",'), returns: repeat('\r') } },
  'an SVG drawing': {
    read: readSvgSize,
    texts: {
      'blanks in its root': between('<svg', ' ', 'x'),
      'attributes without end': between('<svg', ' a="', ''),
      'many roots': repeat('<svg'),
      'blanks in a length': between('<svg width="1', ' ', 'x" height="1">'),
      'commas in its box': between('<svg viewBox="', ' ,', '">'),
    },
  },
  'the first bytes of a file': {
    read: bytes(nameContent),
    texts: { blanks: repeat(' '), 'a long name': between('<', 'a', ''), drawings: repeat('<svg') },
  },
  'the header of a picture': {
    read: bytes((head) => [readImageHeader(head), isAnimatedPng(head)]),
    texts: {
      'segments of a JPEG': between('\xff\xd8', '\xff\xe1\0\x02', ''),
      'chunks of a PNG': between('\x89PNG\r\n\x1a\n', '\0\0\0\0tEXt', ''),
      'boxes of a JPEG 2000': between('\0\0\0\x0cjP  \r\n\x87\n', '\0\0\0\x08uuid', ''),
      'boxes of an AVIF': between('\0\0\0\x10ftypavif\0\0\0\0', '\0\0\0\x08meta', ''),
      'brands of an HEIF': between('\0\xff\xff\xffftypmif1\0\0\0\0', 'abcd', ''),
    },
  },
  'the header of a film': {
    read: bytes(readFilmHeader),
    texts: {
      'boxes of an MP4': repeat('\0\0\0\x08free'),
      'tracks of an MP4': between('\0\xff\xff\xffmoov', '\0\0\0\x08trak', ''),
      'elements of a Matroska': between('\x1aE\xdf\xa3\x80', '\x18\x53\x80\x67\xff', ''),
    },
  },
  'the EXIF data of a picture': {
    read: async (text) => {
      const content = Buffer.from(text, 'latin1');
      const read = async (position: number, length: number) =>
        position + length <= content.length ? content.subarray(position, position + length) : null;
      for (const type of ['jpg', 'png', 'tif', 'webp']) await readRotation({ size: content.length, read }, type);
    },
    texts: {
      'segments of a JPEG': between('\xff\xd8', '\xff\xe1\0\x02', ''),
      'names of chunks at the end of a PNG': between('\x89PNG\r\n\x1a\n', 'eXIf', ''),
      'entries of a directory': between('II*\0\x08\0\0\0\xff\xff', '\x12\x01\x03\0\x01\0\0\0', ''),
    },
  },
  'the report of ffprobe': {
    read: parseProbe,
    texts: {
      streams: numbered(
        () => '{"codec_type":"audio","tags":{"title":"a"}},',
        (list) => `{"streams":[${list}{}]}`,
      ),
    },
  },
  'the output of a program': {
    read: (text) => {
      const tail = new OutputTail();
      tail.add(Buffer.from(text));
      return tail.text('/tmp/work');
    },
    texts: { folders: repeat(' /a'), 'a long folder': between(' /', 'a', ''), colours: repeat('\u001b['), lines: repeat('\n\r') },
  },
  'a SAML response': { read: checkStructure, texts: xmlTexts(inResponse) },
  'the form field of a SAML response': {
    read: decodeResponse,
    texts: { blanks: repeat(' '), padding: between('a', '=', 'a'), declarations: repeat('PCE') },
  },
  'SAML metadata': { read: (text) => readMetadata(text, new Date(0)), texts: xmlTexts((text) => `<a>${text}</a>`) },
  'a document for the local object storage': {
    read: (text) => readXml(text, 'Delete'),
    texts: xmlTexts((text) => `<Delete>${text}</Delete>`),
  },
  'a chunked upload': {
    read: async (text) => {
      const chunks = decodeChunks(inPieces(Buffer.from(text)), { signer: null, trailer: true });
      for await (const chunk of chunks) void chunk;
    },
    texts: { 'chunks of one byte': between('', '1\r\na\r\n', '0\r\n\r\n'), 'a line without end': repeat('a'), returns: repeat('\r') },
  },
  'a list of uploaded parts': {
    read: async (text) => {
      const answer = { status: 200, text, header: () => null };
      const credentials = { AccessKeyId: 'a', SecretAccessKey: 'b', SessionToken: 'c', Expiration: '' };
      const target = { bucket: 'media', region: 'eu-central-1', s3Key: 'a', credentials };
      return await new StorageClient({ now: () => 0 } as never, async () => answer).listParts(target, 'a');
    },
    texts: {
      'parts without end': repeat('<Part>'),
      'names without end': repeat('<ETag>'),
      'references without end': between('<Part><ETag>', '&#', '</ETag>'),
    },
  },
  Cookie: {
    read: (header) => [readFramedCookies(header), hasPathCookie(header, 'session')],
    texts: {
      blanks: repeat(' '),
      'empty cookies': repeat(';'),
      'cookies without value': repeat('a;'),
      'framed cookies': repeat('__Host-framed_a=b; '),
    },
  },
  'Accept-Language': {
    read: viewerLanguages,
    texts: { 'subtags of a language': between('de', '-a', ' x'), blanks: between('de', ' ', 'x'), languages: repeat('de,') },
  },
  Range: {
    read: (header) => parseRange(header, 100),
    texts: { blanks: between('bytes=', ' ', 'x'), digits: between('bytes=', '1', '-'), ranges: between('bytes=', '0-0,', '') },
  },
  Authorization: {
    read: (header) => [bearerToken(request('authorization', header)), basicCredentials(request('authorization', header))],
    texts: {
      'blanks of a token': between('Bearer ', ' ', 'x'),
      'a name without end': between('Basic ', 'YWFh', ''),
      colons: between('Basic ', 'Ojo6', ''),
    },
  },
  'X-Forwarded-For': {
    read: (header) => {
      const step = beginRequest({ publicUrl: 'https://example.org', trustProxy: '10.0.0.0/8' }, { warn: () => undefined });
      step(request('x-forwarded-for', header), { setHeader: () => undefined } as never, () => undefined);
    },
    texts: {
      'addresses of proxies': repeat('10.0.0.1, '),
      blanks: between('1.2.3.4', ' ', ','),
      digits: between('', '1', '.1.1.1:x'),
      colons: repeat('::'),
    },
  },
  Referer: {
    read: refererPage,
    texts: {
      'points of a host': between('https://a', '.', '/'),
      'different letters of a host': differentLetters((host) => `https://${host}/`),
      'digits of an encoded host': between('https://xn--', 'a', '-b/'),
      'segments that lead up': between('https://a/', '../', ''),
      slashes: between('https:', '/', 'x'),
    },
  },
  'Retry-After': {
    read: (header) => parseRetryAfter(header, new Date(0)),
    texts: { digits: repeat('1'), comments: between('Mon ', '(', ''), blanks: between('Mon', ' ', 'x') },
  },
  'an address': {
    read: (text) => [parseAddress(text), parseCidr(text)],
    texts: { zones: between('fe80::1', '%', ' '), digits: between('1.1.1.', '1', ':x'), colons: repeat(':'), brackets: repeat('[') },
  },
  'a host of a page': {
    read: (text) => new HostPatterns([text]),
    texts: { stars: repeat('*.'), ports: repeat(':1'), points: between('a', '.', ':') },
  },
  'a token of a viewer': { read: queryToken, texts: { padding: between('a', '=', 'a'), colons: repeat('Ojo6'), blanks: repeat(' ') } },
  'a domain name': {
    read: (text) => [isDomainName(text), canonicalEmail(`ada@${text}`)],
    texts: { 'different letters': differentLetters((name) => name), points: repeat('a.'), 'combining marks': between('a', '\u0301', '') },
  },
  'a redirect URI': {
    read: (uri) => findRedirectUriProblem(uri, 'web'),
    texts: { slashes: between('https:', '/', ''), 'a long host': between('https://', 'a.', '') },
  },
  'a template': {
    read: (text) => [fillText(text, { a: { b: 1 } }), fillUrl(text, { a: { b: 1 } }), placeholdersIn(text)],
    texts: {
      colons: repeat(':'),
      'a placeholder of many parts': between(':a', '.b', ' '),
      placeholders: repeat(':a.b '),
      'unknown placeholders': repeat(':c.'),
      'control characters before a URL': between('', '\x01', 'https:'),
      slashes: between('https:', '/', ''),
    },
  },
  'a mail': {
    read: (text) => {
      const content = { subject: '', preheader: '', heading: text, paragraphs: [text], quote: text, facts: [], action: null, note: null };
      return emailHtml(content, { language: 'en', service: '', footer: '', hint: '' }, linkedParagraphs(text));
    },
    texts: {
      'line separators': between('', '\u2028', 'x'),
      returns: between('', '\r', 'x'),
      'empty lines': between('a', '\n', 'b'),
      'blanks between lines': repeat('\n '),
      'beginnings of links': repeat('http://'),
      'points behind a link': between('http://a', '.', ' '),
      'different letters of a host': differentLetters((host) => `http://${host}`),
    },
  },
  'the query of a webhook': {
    read: (url) => replaceInQuery(url, 'url', () => '*'),
    texts: {
      parameters: between('https://a?', 'key=1&', ''),
      equals: between('https://a?key', '=', ''),
      questions: repeat('?'),
      hashes: repeat('#'),
    },
  },
  'a text from which a person is erased': {
    read: (text) =>
      new PersonPattern({ email: 'ada@example.org', names: [], userIds: [] }, 'erased@erased.invalid').erase(text, {
        inUrls: true,
        withNames: true,
      }),
    texts: {
      'beginnings of an address': repeat('ada@'),
      'beginnings of URLs': repeat('://'),
      'encoded letters': repeat('%61'),
      'parts of an address': between('', 'ada@example.', 'x'),
    },
  },
  'a JSON text from which a person is erased': {
    read: (text) =>
      new PersonPattern({ email: 'ada@example.org', names: [], userIds: [] }, 'x').eraseJson(text, {
        inUrls: true,
        withNames: true,
      } as never),
    texts: {
      'escapes without end': between('"', '\\"', ''),
      'blanks behind a name': between('{"a"', ' ', ':1}'),
      lists: (n) => `${'['.repeat(n)}${']'.repeat(n)}`,
    },
  },
  'a JSON body': {
    read: (text) => [countJson(Buffer.from(text)), whyUnreadable(text)],
    texts: {
      escapes: between('"', '\\', ''),
      brackets: repeat('['),
      names: numbered(
        (n) => `"${n}":1,`,
        (list) => `{${list}`,
      ),
    },
  },
  'a mail address': {
    read: isMailAddress,
    texts: { points: between('a', '.', '@'), 'at signs': repeat('@'), 'a long domain': between('a@', 'a.', ''), quotes: repeat('"') },
  },
  'a file name': {
    read: (name) => contentDisposition('attachment', name),
    texts: { points: between('a', '.', ''), marks: between('a', '\u0301', ''), quotes: repeat('"'), surrogates: repeat('\ud800') },
  },
  metadata: { read: cleanText, texts: { blanks: between('a', ' ', 'b'), returns: repeat('\r'), controls: repeat('\x01') } },
  'the value of a parameter of a blueprint': {
    read: (value) => compileAllowedParameters([{ parameter: 'a', regex: '(a+)+b' } as never])[0]?.matches(value),
    texts: { letters: repeat('a'), 'almost matches': repeat('ab') },
  },
};

async function* inPieces(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536);
}

const SMALL = 1_000;
/** Milliseconds below which times are not compared; quadratic readers take a second for the larger text. */
const FLOOR_MS = 4;

const rows = Object.entries(readers).flatMap(([name, { read, texts }]) =>
  Object.entries(texts).map(([kind, text]) => ({ name: `${name}: ${kind}`, read, text })),
);

describe('foreign texts are read in linear time', () => {
  it.each(rows)('$name', async ({ read, text }) => {
    const timeOf = async (size: number) => {
      const made = text(size);
      const elapsed = startCpuTimer();
      try {
        await read(made);
      } catch {
        // Most of these texts are refused; here only the time counts.
      }
      return elapsed();
    };
    const fastestOf = async (size: number) => Math.min(await timeOf(size), await timeOf(size), await timeOf(size));
    const small = await fastestOf(SMALL);
    // Sixteen times the size takes 16 times as long, and 256 times as long if the reader were quadratic.
    expect(await fastestOf(16 * SMALL)).toBeLessThan(128 * Math.max(FLOOR_MS, small));
  });
});
