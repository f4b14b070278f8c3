import { createRequire } from 'node:module';
import { StorageError } from '../http/storage-error.js';

/** What of the DOM is used here. */
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

/** Not by `import`: its types would bring the browser's globals into every file. */
const { DOMParser } = createRequire(import.meta.url)('@xmldom/xmldom') as Xmldom;

/** The root element of a document in a request. @throws StorageError MalformedXML, also for one with a DOCTYPE, which no client sends */
export function readXml(text: string, root: string): XmlElement {
  const fail = (): never => {
    throw new StorageError('MalformedXML');
  };
  if (text.trim() === '' || /<!DOCTYPE/i.test(text)) return fail();
  const parser = new DOMParser({ errorHandler: { warning: () => {}, error: fail, fatalError: fail } });
  const element = parser.parseFromString(text, 'text/xml')?.documentElement;
  return element?.localName === root ? element : fail();
}

/** The elements directly below with this name, in whatever namespace: some clients send none. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  for (let child = element.firstChild; child; child = child.nextSibling) if (child.localName === name) found.push(child);
  return found;
}

/** The text of the first element directly below with this name. */
export const textOf = (element: XmlElement, name: string): string | undefined => childrenOf(element, name)[0]?.textContent ?? undefined;
