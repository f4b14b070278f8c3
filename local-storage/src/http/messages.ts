import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';

/** A parsed request that is not yet authenticated. */
export interface Incoming {
  readonly method: string;
  /** Decoded; begins with a slash. */
  readonly path: string;
  /** Decoded, in the order of the request. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Lower-case name to value; several headers with the same name are joined by a comma, as SigV4 requires. */
  readonly headers: ReadonlyMap<string, string>;
  readonly message: IncomingMessage;
}

/** Parses the request line and headers. @throws StorageError if the URL cannot be decoded */
export function readIncoming(message: IncomingMessage): Incoming {
  const [rawPath = '/', rawQuery = ''] = splitOnce(message.url ?? '/', '?');
  return {
    method: message.method ?? 'GET',
    path: decode(rawPath.startsWith('/') ? rawPath : new URL(rawPath).pathname),
    query: rawQuery.split('&').filter(Boolean).map(readParameter),
    headers: joinHeaders(message.rawHeaders),
    message,
  };
}

/** The value of a query parameter; undefined if it is absent. */
export function parameter(incoming: Pick<Incoming, 'query'>, name: string): string | undefined {
  return incoming.query.find(([candidate]) => candidate === name)?.[1];
}

function readParameter(text: string): [string, string] {
  const [name, value = ''] = splitOnce(text, '=');
  return [decode(name), decode(value)];
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new StorageError('InvalidURI');
  }
}

function joinHeaders(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]?.toLowerCase() ?? '';
    const value = decodeHeader(raw[index + 1] ?? '');
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before},${value}`);
  }
  return headers;
}

/** Node decodes headers as Latin-1, but clients that send non-ASCII metadata encode and sign it as UTF-8. */
function decodeHeader(value: string): string {
  return /[\u0080-\u00ff]/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;
}

/** The response to a request. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | AsyncIterable<Buffer>;
}

/** A response with an XML document of S3. */
export const xmlAnswer = (body: string, headers: Answer['headers'] = {}): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/xml', ...headers },
  body,
});

export const emptyAnswer = (status: number, headers: Answer['headers'] = {}): Answer => ({ status, headers });

/** The content of an element; undefined omits the element, a list repeats it. */
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

/** XML 1.0 does not allow control characters; like S3, this writes them as character references, which the parsers of the SDKs accept. */
function escapeXml(text: string): string {
  return (
    text
      .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      .replace(/[\u0000-\u001f\u007f]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`)
  );
}

/** The error codes of S3 and STS with status and default message. Clients decide by code and status, so these are the same as those of AWS. */
const catalogue = {
  AccessDenied: [403, 'Access Denied'],
  AuthorizationHeaderMalformed: [400, 'The authorization header that you provided is not valid.'],
  AuthorizationQueryParametersError: [400, 'The query parameters of the signature are not valid.'],
  BadDigest: [400, 'The checksum or Content-MD5 that you specified did not match what was received.'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size.'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size.'],
  ExpiredToken: [400, 'The provided token has expired.'],
  IncompleteBody: [400, 'The request body is not complete.'],
  IncompleteSignature: [400, 'The request signature is not complete.'],
  InternalError: [500, 'We encountered an internal error. Please try again.'],
  InvalidAccessKeyId: [403, 'The AWS Access Key Id you provided does not exist in our records.'],
  InvalidAction: [400, 'The action or operation requested is invalid.'],
  InvalidArgument: [400, 'Invalid argument.'],
  InvalidClientTokenId: [403, 'The security token included in the request is invalid.'],
  InvalidDigest: [400, 'The Content-MD5 or checksum value that you specified is not valid.'],
  InvalidPart: [400, 'One or more of the specified parts could not be found or its entity tag does not match.'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order.'],
  InvalidRange: [416, 'The requested range is not satisfiable.'],
  InvalidRequest: [400, 'The request is not valid.'],
  InvalidToken: [400, 'The provided token is malformed or otherwise invalid.'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long.'],
  MalformedPolicyDocument: [400, 'The policy document is malformed.'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our published schema.'],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size.'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource.'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header.'],
  NoSuchBucket: [404, 'The specified bucket does not exist.'],
  NoSuchKey: [404, 'The specified key does not exist.'],
  NoSuchUpload: [404, 'The specified upload does not exist. It may have been aborted or completed.'],
  NoSuchVersion: [404, 'The specified version does not exist.'],
  NotImplemented: [501, 'This object storage does not implement that.'],
  PackedPolicyTooLarge: [400, 'Packed policy is too large, please use a smaller policy.'],
  PreconditionFailed: [412, 'At least one of the preconditions you specified did not hold.'],
  RequestTimeTooSkewed: [403, 'The difference between the request time and the current time is too large.'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
  ],
  ValidationError: [400, 'The input fails to satisfy the constraints.'],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' header does not match what was computed."],
} as const satisfies Record<string, readonly [number, string]>;

export type ErrorCode = keyof typeof catalogue;

/** Additional elements of the error document, for example the computed canonical request. */
type Details = Readonly<Record<string, string>>;

/** An error that the client receives as an error document of S3 or STS. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string = catalogue[code][1],
    readonly details: Details = {},
  ) {
    super(message);
    this.status = catalogue[code][0];
  }
}

/** The part of the DOM that is used here. */
export interface XmlElement {
  readonly localName: string | null;
  readonly textContent: string | null;
  readonly firstChild: XmlElement | null;
  readonly nextSibling: XmlElement | null;
}

interface Xmldom {
  readonly DOMParser: new (options: {
    errorHandler: Record<string, () => void>;
  }) => { parseFromString(xml: string, type: string): { documentElement: XmlElement | null } | undefined };
}

/** Loaded without `import`, because its types would add the browser's globals to every file. */
const { DOMParser } = createRequire(import.meta.url)('@xmldom/xmldom') as Xmldom;

/** The documents of S3 have fewer names; the parser searches the whole text for each different one. */
const MAX_XML_NAMES = 256;
/** The name of an element, or the declaration of the prefix of a namespace. */
const XML_NAME = /<[^\s<>/!?][^\s<>/]*|xmlns:[^\s=<>]*/g;
const isWithoutEnd = (text: string, begin: string, end: string) => text.lastIndexOf(begin) > text.lastIndexOf(end);

/** Whether xmldom would take more than linear time to parse a text. */
function isSlowToParse(text: string): boolean {
  if (isWithoutEnd(text, '<?', '?>') || isWithoutEnd(text, '<![CDATA[', ']]>')) return true;
  const names = new Set<string>();
  for (const [name] of text.matchAll(XML_NAME)) if (names.add(name).size > MAX_XML_NAMES) return true;
  return false;
}

/**
 * Parses the XML body of a request; returns its root element. @throws StorageError MalformedXML, also for a DOCTYPE, which no client sends, and for what
 * would take long to parse
 */
export function readXml(text: string, root: string): XmlElement {
  const fail = (): never => {
    throw new StorageError('MalformedXML');
  };
  if (text.trim() === '' || /<!DOCTYPE/i.test(text) || isSlowToParse(text)) return fail();
  const parser = new DOMParser({ errorHandler: { warning: () => {}, error: fail, fatalError: fail } });
  const element = parser.parseFromString(text, 'text/xml')?.documentElement;
  return element?.localName === root ? element : fail();
}

/** The child elements with this name, in any namespace, because some clients send none. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (let child = element.firstChild; child; child = child.nextSibling) if (child.localName === name) found.push(child);
  return found;
}

/** The text of the first child element with this name. */
export const textOf = (element: XmlElement, name: string): string | undefined => childrenOf(element, name)[0]?.textContent ?? undefined;
