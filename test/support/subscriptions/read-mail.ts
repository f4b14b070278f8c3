/** A mail as it came over the wire, decoded as far as our own mails need it (RFC 5322, 2045, 2047). */
export interface ReceivedMail {
  readonly raw: string;
  /** Names in lower case; words decoded. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string | null;
}

export function readMail(raw: string): ReceivedMail {
  const { headers, body } = readPart(raw);
  const boundary = /^multipart\/alternative;.*boundary="([^"]+)"/s.exec(headers['content-type'] ?? '')?.[1];
  const parts = boundary ? body.split(`--${boundary}`).slice(1, -1).map(readPart) : [{ headers, body }];
  const contentOf = (type: string) => {
    const part = parts.find((one) => one.headers['content-type']?.startsWith(type));
    return part ? decodeBody(part.body, part.headers['content-transfer-encoding'] ?? '') : null;
  };
  return { raw, headers, text: contentOf('text/plain') ?? '', html: contentOf('text/html') };
}

function readPart(part: string): { headers: Record<string, string>; body: string } {
  const [head = '', ...body] = part.replace(/^\r\n/, '').split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n');
  const headers = lines.map((line) => [
    line.slice(0, line.indexOf(':')).toLowerCase(),
    decodeWords(line.slice(line.indexOf(':') + 1).trim()),
  ]);
  return { headers: Object.fromEntries(headers), body: body.join('\r\n\r\n') };
}

const decodeWords = (value: string): string =>
  value
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toLowerCase() === 'b' ? Buffer.from(text, 'base64').toString() : decodeQuoted(text.replaceAll('_', ' ')),
    );

function decodeBody(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString();
  const lines = encoding === 'quoted-printable' ? decodeQuoted(body.replaceAll('=\r\n', '')) : body;
  return lines.replaceAll('\r\n', '\n').replace(/\n$/, '');
}

const decodeQuoted = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
