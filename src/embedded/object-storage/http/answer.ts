/** What a request is answered with. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | AsyncIterable<Buffer>;
}

/** A document of S3. */
export const xmlAnswer = (body: string, headers: Answer['headers'] = {}): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/xml', ...headers },
  body,
});

export const emptyAnswer = (status: number, headers: Answer['headers'] = {}): Answer => ({ status, headers });

/** What an element holds; undefined leaves it out, a list repeats it. */
type XmlContent = string | number | boolean | undefined | XmlFields | readonly XmlContent[];
export interface XmlFields {
  readonly [name: string]: XmlContent;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A document with one root element. */
export function xmlDocument(root: string, content: XmlFields, namespace?: string): string {
  const attribute = namespace ? ` xmlns="${namespace}"` : '';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${attribute}>${fields(content)}</${root}>`;
}

function fields(content: XmlFields): string {
  return Object.entries(content)
    .map(([name, value]) => element(name, value))
    .join('');
}

function element(name: string, value: XmlContent): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return value.map((one: XmlContent) => element(name, one)).join('');
  return `<${name}>${typeof value === 'object' ? fields(value as XmlFields) : escapeXml(String(value))}</${name}>`;
}

/** Control characters cannot stand in XML 1.0 at all: as a reference, which the parsers of the SDKs accept, as S3 does it. */
function escapeXml(text: string): string {
  return (
    text
      .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\u0000-\u001f\u007f]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`)
  );
}
