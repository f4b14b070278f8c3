import { createRequire } from 'node:module';
import { findXmlProblem } from '../../shared/find-xml-problem.js';

/** A node of a parsed document, with the members of the DOM that are used here. */
export interface XmlNode {
  readonly nodeType: number;
  readonly firstChild: XmlNode | null;
  readonly nextSibling: XmlNode | null;
}

export interface XmlElement extends XmlNode {
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly textContent: string | null;
  readonly parentNode: XmlNode | null;
  readonly attributes: { readonly length: number; item(index: number): XmlAttribute | null };
  getAttribute(name: string): string;
  hasAttribute(name: string): boolean;
}

interface XmlAttribute {
  readonly localName: string;
  readonly namespaceURI: string | null;
  readonly value: string;
}

interface XmlDocument extends XmlNode {
  readonly documentElement: XmlElement | null;
}

interface Xmldom {
  readonly DOMParser: new (options: {
    errorHandler: Record<string, (message: string) => void>;
  }) => {
    parseFromString(xml: string, type: string): XmlDocument | undefined;
  };
}

/** The parser of node-saml, so that both read the same. Not imported, because its types would add the browser's globals to every file. */
const { DOMParser } = createRequire(import.meta.url)('@xmldom/xmldom') as Xmldom;

const ELEMENT = 1;

/** Parses a document. Throws an Error with the parser's message if the text is not well-formed XML, or if it would take long to parse. */
export function parseXml(xml: string): { document: XmlNode; root: XmlElement } {
  const problem = findXmlProblem(xml);
  if (problem !== null) throw new Error(`the document ${problem}`);
  const complain = (message: string) => {
    throw new Error(message.split('\n')[0]?.replace(/^\[xmldom \w+\]\s*/, '') ?? message);
  };
  const document = new DOMParser({ errorHandler: { warning: complain, error: complain, fatalError: complain } }).parseFromString(
    xml,
    'text/xml',
  );
  if (!document?.documentElement) throw new Error('there is no element');
  return { document, root: document.documentElement };
}

export const isElement = (node: XmlNode): node is XmlElement => node.nodeType === ELEMENT;

/** Yields all descendants in document order, without recursion, because a hostile document may be nested deeply. */
export function* descendants(root: XmlNode): Generator<XmlNode> {
  const waiting = childrenOf(root).reverse();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node;
    waiting.push(...childrenOf(node).reverse());
  }
}

/** The child elements of this name. */
export const children = (element: XmlElement, namespace: string, name: string): XmlElement[] =>
  childrenOf(element)
    .filter(isElement)
    .filter((child) => child.localName === name && child.namespaceURI === namespace);

/** The only child element of this name; null when there is none or more than one. */
export function onlyChild(element: XmlElement, namespace: string, name: string): XmlElement | null {
  const [first, ...more] = children(element, namespace, name);
  return first && more.length === 0 ? first : null;
}

/** The value of an attribute without namespace; null when it is absent. */
export const attribute = (element: XmlElement, name: string): string | null =>
  element.hasAttribute(name) ? element.getAttribute(name) : null;

/** The text of an element without surrounding white space. */
export const text = (element: XmlElement | null): string => (element?.textContent ?? '').trim();

function childrenOf(node: XmlNode): XmlNode[] {
  const found: XmlNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
}

/** XML namespaces and identifiers of SAML 2.0 and XML Signature. */
export const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
export const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
export const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
export const SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';

export const STATUS_SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success';
export const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer';
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
export const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
export const HTTP_REDIRECT = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
