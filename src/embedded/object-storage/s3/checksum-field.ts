import { checksumElement } from '../body/checksum.js';
import type { Checksum } from '../body/payload.js';
import type { XmlFields } from '../http/xml.js';

/** The element of a checksum in a document; nothing when there is none. */
export const checksumField = ({ checksum }: { readonly checksum?: Checksum }): XmlFields =>
  checksum ? { [checksumElement(checksum.algorithm)]: checksum.value } : {};
