import { SamlRefusal } from './saml.errors.js';
import {
  ASSERTION,
  attribute,
  children,
  descendants,
  isElement,
  onlyChild,
  PROTOCOL,
  parseXml,
  SIGNATURE,
  type XmlElement,
  type XmlNode,
} from './xml.js';

const MAX_BYTES = 262_144; // a response with several hundred groups has 100 KiB; parsing more costs time before the signature is verified
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Decodes the XML of a SAMLResponse form field. Refuses a document type declaration, because it could change the meaning of the document.
 * @throws SamlRefusal `saml_response_missing`, `saml_response_too_large`, `saml_response_malformed`, `saml_doctype_refused`
 */
export function decodeResponse(field: unknown): string {
  if (field === undefined || field === '') throw new SamlRefusal('saml_response_missing', 'the form has no SAMLResponse');
  if (typeof field !== 'string') throw new SamlRefusal('saml_response_malformed', 'SAMLResponse was sent more than once');
  if (field.length > (MAX_BYTES * 4) / 3) throw new SamlRefusal('saml_response_too_large', `SAMLResponse has ${field.length} characters`);
  const base64 = field.replaceAll(/\s/g, '');
  if (!BASE64.test(base64)) throw new SamlRefusal('saml_response_malformed', 'SAMLResponse is not base64');
  const xml = decodeUtf8(Buffer.from(base64, 'base64'));
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new SamlRefusal('saml_doctype_refused', 'the document has a DOCTYPE');
  return xml;
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlRefusal('saml_response_malformed', 'SAMLResponse is not UTF-8');
  }
}

const COMMENT_OR_INSTRUCTION = new Set([7, 8]);
/** Far more than identity providers send, even with a thousand groups in attributes of their own; counted before the text is parsed, because parsing is expensive. */
const MAX_ELEMENTS = 2_500;
const MAX_ATTRIBUTES = 5_000; // namespace declarations included
const MAX_DEPTH = 20;
const ID_NAMES = new Set(['id']); // ID, Id, id, xml:id: what a parser may treat as an identifier

/** A response with the only accepted structure; its signature has not been verified yet. */
export interface ResponseDocument {
  readonly response: XmlElement;
  /** Null only in a response that reports a failed sign-in. */
  readonly assertion: XmlElement | null;
}

/**
 * Prevents signature wrapping, which hides a second, unsigned assertion where only one of two parsers looks: the root must be the only Response,
 * with at most one Assertion directly below it, unique identifiers, and signatures only where SAML core section 5.4 puts them.
 * @throws SamlRefusal `saml_response_too_large`, `saml_response_malformed`, `saml_comment_refused`, `saml_assertion_encrypted`, `saml_assertion_count`, `saml_structure_refused`
 */
export function checkStructure(xml: string): ResponseDocument {
  checkSize(xml);
  const { document, root } = parse(xml);
  const elements = collectElements(document);
  if (root.localName !== 'Response' || root.namespaceURI !== PROTOCOL) {
    throw new SamlRefusal('saml_response_malformed', `the root element is ${root.localName}, not a SAML 2.0 Response`);
  }
  checkIdentifiers(elements);
  const assertion = findAssertion(root, elements);
  const owners = assertion ? [root, assertion] : [root];
  checkSignaturePlaces(elements, owners);
  if (elements.filter(named('Response')).length > 1) throw new SamlRefusal('saml_structure_refused', 'there is a Response inside');
  return { response: root, assertion };
}

/** Refuses a document with too many elements or attributes. Texts may contain any characters: a group's distinguished name has equals signs. */
function checkSize(xml: string): void {
  const { tags, attributes } = countParts(xml);
  if (tags > 2 * MAX_ELEMENTS || attributes > MAX_ATTRIBUTES) {
    throw new SamlRefusal('saml_response_too_large', `there are more than ${MAX_ELEMENTS} elements or ${MAX_ATTRIBUTES} attributes`);
  }
}

/** What is skipped as a whole: it has neither elements nor attributes. */
const SKIPPED = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

/** Counts tags, of which an element has at most two, and attributes (each has an equals sign outside of quotes), in one pass. */
function countParts(xml: string): { readonly tags: number; readonly attributes: number } {
  let [tags, attributes] = [0, 0];
  for (let at = xml.indexOf('<'); at !== -1; at = xml.indexOf('<', at)) {
    const [, end] = SKIPPED.find(([begin]) => xml.startsWith(begin, at)) ?? [];
    if (end !== undefined) {
      const stop = xml.indexOf(end, at);
      if (stop === -1) break;
      at = stop + end.length;
      continue;
    }
    tags += 1;
    let quote = '';
    for (at += 1; at < xml.length && (quote !== '' || xml[at] !== '>'); at += 1) {
      const character = xml[at] as string;
      if (quote === '' && character === '=') attributes += 1;
      if (character === quote) quote = '';
      else if (quote === '' && (character === '"' || character === "'")) quote = character;
    }
  }
  return { tags, attributes };
}

function parse(xml: string): { document: XmlNode; root: XmlElement } {
  try {
    return parseXml(xml);
  } catch (error) {
    throw new SamlRefusal('saml_response_malformed', `not well-formed XML: ${(error as Error).message}`);
  }
}

/** Refuses comments: canonicalization drops them, so a comment could split a signed NameID, of which parsers then read only a part. */
function collectElements(document: XmlNode): XmlElement[] {
  const elements: XmlElement[] = [];
  for (const node of descendants(document)) {
    const isDeclaration = node.nodeType === 7 && (node as unknown as { target: string }).target === 'xml';
    if (COMMENT_OR_INSTRUCTION.has(node.nodeType) && !isDeclaration) {
      throw new SamlRefusal('saml_comment_refused', 'there is a comment or processing instruction');
    }
    if (!isElement(node)) continue;
    elements.push(node);
    checkDepth(node);
  }
  return elements;
}

function checkDepth(element: XmlElement): void {
  let depth = 0;
  for (let node: XmlNode | null = element; node && isElement(node); node = node.parentNode) depth += 1;
  if (depth > MAX_DEPTH) throw new SamlRefusal('saml_response_too_large', `elements are nested more than ${MAX_DEPTH} levels deep`);
}

/** Matches the local name in any namespace, because some parsers ignore namespaces. */
const named =
  (name: string) =>
  (element: XmlElement): boolean =>
    element.localName === name;

function checkIdentifiers(elements: readonly XmlElement[]): void {
  const seen = new Set<string>();
  for (const { attributes } of elements) {
    for (let index = 0; index < attributes.length; index += 1) {
      const one = attributes.item(index);
      if (!one || !ID_NAMES.has(one.localName.toLowerCase())) continue;
      if (seen.has(one.value)) throw new SamlRefusal('saml_structure_refused', 'an identifier occurs twice');
      seen.add(one.value);
    }
  }
}

function findAssertion(root: XmlElement, elements: readonly XmlElement[]): XmlElement | null {
  if (elements.some(named('EncryptedAssertion'))) throw new SamlRefusal('saml_assertion_encrypted', 'there is an EncryptedAssertion');
  const found = elements.filter(named('Assertion'));
  if (found.length > 1) throw new SamlRefusal('saml_assertion_count', `there are ${found.length} assertions`);
  const [assertion] = found;
  if (assertion && (assertion.parentNode !== root || assertion.namespaceURI !== ASSERTION)) {
    throw new SamlRefusal('saml_structure_refused', 'the assertion is not directly below the response');
  }
  return assertion ?? null;
}

/** Checks that an owner has at most one signature, directly below it, with a single reference to that owner. */
function checkSignaturePlaces(elements: readonly XmlElement[], owners: readonly XmlElement[]): void {
  for (const signature of elements.filter(named('Signature'))) {
    const owner = owners.find((one) => one === signature.parentNode);
    if (!owner || signature.namespaceURI !== SIGNATURE) throw new SamlRefusal('saml_structure_refused', 'a signature is out of place');
    if (children(owner, SIGNATURE, 'Signature').length > 1) throw new SamlRefusal('saml_structure_refused', 'an element is signed twice');
    checkReference(signature, owner);
  }
}

function checkReference(signature: XmlElement, owner: XmlElement): void {
  const inside = [...descendants(signature)].filter(isElement);
  if (inside.some(named('Object'))) throw new SamlRefusal('saml_structure_refused', 'a signature contains an Object');
  const info = onlyChild(signature, SIGNATURE, 'SignedInfo');
  const reference = info && onlyChild(info, SIGNATURE, 'Reference');
  const id = attribute(owner, 'ID');
  const isAlone = inside.filter(named('Reference')).length === 1 && inside.filter(named('SignedInfo')).length === 1;
  if (!reference || !isAlone || !id || attribute(reference, 'URI') !== `#${id}`) {
    throw new SamlRefusal('saml_structure_refused', 'a signature does not refer to exactly the element that contains it');
  }
}
