import { domainToUnicode } from 'node:url';
import { type Person, PersonFields, type Relation } from './person-fields.js';
import { rewriteJson } from './rewrite-json.js';

/** Where an address is replaced. */
export interface ErasureScope {
  /** Also in the path and query of URLs; their hosts and user information (RFC 3986 section 3.2) stay. */
  readonly inUrls: boolean;
}

/** A reserved domain (RFC 2606 section 2), which never has mailboxes. */
const ERASED_DOMAIN = '@erased.invalid';

/** The address that replaces that of an erased user. */
export const erasedAddress = (id: number | null): string => `erased${id === null ? '' : `-${id}`}${ERASED_DOMAIN}`;

export const isErasedAddress = (email: string): boolean => email.endsWith(ERASED_DOMAIN);

/** Only these characters delimit an address: `nada@example.org` and `ada@example.org.uk` are others. In JSON and URLs, `\n` and `%20` delimit too. */
const BEGIN_OF_ADDRESS = String.raw`(?:(?<![\p{L}\p{N}._%+-])|(?<=\\[nrtbf])|(?<=%[0-9a-f]{2}))`;
const END_OF_ADDRESS = String.raw`(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`;

/** The beginning of what follows the scheme of a URL, as written, in JSON that escapes slashes, or percent-encoded. */
const BEGIN_OF_URL = String.raw`(?::(?:\\?/){2}|%3a%2f%2f)`;
const AUTHORITY = String.raw`${BEGIN_OF_URL}(?:(?!%2f|%3f|%23)[^\s"'<>\\/?#])*`;
const URL_TO_ITS_END = String.raw`${BEGIN_OF_URL}(?:[^\s"'<>\\]|\\/)*`;

/** Finds and erases the address of a person in texts, in any case, Unicode form or escaping, and the person's names in fields of JSON documents. */
export class PersonPattern {
  /** A text that contains the address contains at least one of these, possibly only in lower case; used to preselect rows in SQL. */
  readonly hints: readonly string[];

  private readonly address: RegExp;
  private readonly urlOrAddress: RegExp;
  private readonly authorityOrAddress: RegExp;
  private readonly fields: PersonFields;

  constructor(
    person: Person,
    private readonly replacement: string,
  ) {
    const addresses = spellingsOf(person.email).flatMap((email) => [email, encodeURIComponent(email), email.replace('@', '%40')]);
    const address = `${BEGIN_OF_ADDRESS}(?<address>${anyOf(addresses)})${END_OF_ADDRESS}`;
    const whole = toRegExp(`^${anyOf([...addresses, replacement])}$`);
    this.address = toRegExp(address);
    this.urlOrAddress = toRegExp(`${URL_TO_ITS_END}|${address}`);
    this.authorityOrAddress = toRegExp(`${AUTHORITY}|${address}`);
    this.fields = new PersonFields(person, (text) => has(whole, text.trim()));
    this.hints = hintsOf(addresses);
  }

  /** Whether a text contains the address as a whole word, also in a URL. */
  isIn(text: string): boolean {
    return has(this.address, text);
  }

  /** Replaces the address where it is a whole word; names in a text are words like any other. */
  erase(text: string, { inUrls }: ErasureScope): string {
    const pattern = inUrls ? this.authorityOrAddress : this.urlOrAddress;
    const encoded = this.replacement.replace('@', '%40');
    return text.replace(pattern, (found, address: string | undefined) => {
      if (address === undefined) return found;
      return address.includes('@') ? this.replacement : encoded;
    });
  }

  /** Replaces the address in all strings and member names of a JSON document, and names in fields of the person. */
  eraseJson(json: string, { inUrls, ...relation }: ErasureScope & Relation): string {
    return rewriteJson(json, {
      text: (text) => this.erase(text, { inUrls }),
      object: (members) => this.fields.replacementsIn(members, relation),
    });
  }
}

/** The address with its domain as A-labels, as it is stored, and as people write it (RFC 5890 section 2.3.2.1). */
function spellingsOf(email: string): string[] {
  const at = email.lastIndexOf('@');
  const domain = domainToUnicode(email.slice(at + 1));
  return [...new Set([email, ...(at === -1 || domain === '' ? [] : [`${email.slice(0, at)}@${domain}`])])];
}

/** A pattern for any of the texts in all of their written forms. */
const anyOf = (texts: readonly string[]): string => `(?:${[...new Set(texts.flatMap(formsOf))].map(escaped).join('|')})`;

/** The text itself, its other Unicode form, and both escaped for ASCII JSON and for HTML. */
function formsOf(text: string): string[] {
  return ['NFC', 'NFD'].flatMap((form) => {
    const normal = text.normalize(form);
    return [normal, inAsciiJson(normal), inHtml(normal)];
  });
}

const inAsciiJson = (text: string): string =>
  text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const inHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => HTML[character] ?? character);

/** In some locales PostgreSQL's `lower` converts only ASCII, so other addresses are searched for in their usual spellings. */
function hintsOf(texts: readonly string[]): string[] {
  const forms = texts.flatMap(formsOf).flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const spellings = (text: string) => (isAscii(text) ? [text.toLowerCase()] : [text, text.toLowerCase(), text.toUpperCase()]);
  return [...new Set(forms.flatMap(spellings))];
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const escaped = (text: string): string => text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');

const toRegExp = (source: string): RegExp => new RegExp(source, 'giu');

const has = (pattern: RegExp, text: string): boolean => text.search(pattern) >= 0;
