/** From when to when a certificate is valid. */
export interface Validity {
  readonly from: Date;
  readonly until: Date;
}

/** Tags of ASN.1 (X.690 section 8.1.2) that the way to the validity meets. */
const VERSION = 0xa0;
const UTC_TIME = 0x17;

/** An element in DER: its tag, and the positions of its content. */
interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** Reads the validity of a certificate in PEM (RFC 5280 section 4.1.2.5); null if it cannot be read. */
export function validityOf(pem: string): Validity | null {
  try {
    const base64 = pem.replace(/-----[^-]+-----/g, '').replace(/\s/g, '');
    const der = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const certificate = elementAt(der, 0);
    const [first, ...rest] = childrenOf(der, elementAt(der, certificate.start));
    const fields = first?.tag === VERSION ? rest : [first as Element, ...rest];
    const [, , , validity] = fields; // serial number, signature algorithm, issuer, validity
    const [from, until] = childrenOf(der, validity as Element).map((element) => timeOf(der, element));
    return from && until && Number.isFinite(from.getTime() + until.getTime()) ? { from, until } : null;
  } catch {
    return null;
  }
}

function elementAt(der: Uint8Array, position: number): Element {
  const [tag = 0, length = 0] = der.subarray(position, position + 2);
  if (length < 0x80) return inside(der, { tag, start: position + 2, end: position + 2 + length });
  const start = position + 2 + (length & 0x7f);
  const long = der.subarray(position + 2, start).reduce((sum, byte) => sum * 256 + byte, 0);
  return inside(der, { tag, start, end: start + long });
}

function inside(der: Uint8Array, element: Element): Element {
  if (element.end > der.length) throw new RangeError('The element ends behind the certificate.');
  return element;
}

function childrenOf(der: Uint8Array, { start, end }: Element): Element[] {
  const children: Element[] = [];
  for (let position = start; position < end; position = children.at(-1)?.end ?? end) children.push(elementAt(der, position));
  return children;
}

/** UTCTime has two digits of the year, from 1950 on; GeneralizedTime has four. */
function timeOf(der: Uint8Array, { tag, start, end }: Element): Date {
  const digits = String.fromCharCode(...der.subarray(start, end));
  const full = tag === UTC_TIME ? `${Number(digits.slice(0, 2)) < 50 ? '20' : '19'}${digits}` : digits;
  return new Date(full.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}
