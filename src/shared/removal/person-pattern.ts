import { domainToUnicode } from 'node:url';
import { ERASED_NAME, type Person, PersonFields, type PersonName, type Relation } from './person-fields.js';
import { rewriteJson } from './rewrite-json.js';

/** What is replaced in a text. */
export interface ErasureScope {
  /** Also in the path and query of URLs; their hosts and user information (RFC 3986 section 3.2) stay. */
  readonly inUrls: boolean;
  /** The full name of the person too, in either order. A first or last name alone may be a word. */
  readonly withNames: boolean;
}

/** A reserved domain (RFC 2606 section 2), which never has mailboxes. */
const ERASED_DOMAIN = '@erased.invalid';

/** The address that replaces that of an erased user. */
export const erasedAddress = (id: number | null): string => `erased${id === null ? '' : `-${id}`}${ERASED_DOMAIN}`;

export const isErasedAddress = (email: string): boolean => email.endsWith(ERASED_DOMAIN);

/** Only these characters delimit an address: `nada@example.org` and `ada@example.org.uk` are others. In JSON and URLs, `\n` and `%20` delimit too. */
const BEGIN_OF_ADDRESS = String.raw`(?:(?<![\p{L}\p{N}._%+-])|(?<=\\[nrtbf])|(?<=%[0-9a-f]{2}))`;
const END_OF_ADDRESS = String.raw`(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`;

/** Names are whole words too; `Ada Lovelace-King` is another person. */
const BEGIN_OF_NAME = String.raw`(?:(?<![\p{L}\p{M}\p{N}]|[\p{L}\p{N}]-)|(?<=\\[nrtbf])|(?<=%[0-9a-f]{2}))`;
const END_OF_NAME = String.raw`(?![\p{L}\p{M}\p{N}@]|-\p{L})`;
/** Between the parts of a name, also in file names, URLs and forms (application/x-www-form-urlencoded). */
const BETWEEN_NAMES = String.raw`(?:[\s,_+]|%20|%2c|&nbsp;|\\[nrt])+`;

/** The beginning of what follows the scheme of a URL, as written, in JSON that escapes slashes, or percent-encoded. */
const BEGIN_OF_URL = String.raw`(?::(?:\\?/){2}|%3a%2f%2f)`;
const AUTHORITY = String.raw`${BEGIN_OF_URL}(?:(?!%2f|%3f|%23)[^\s"'<>\\/?#])*`;
const URL_TO_ITS_END = String.raw`${BEGIN_OF_URL}(?:[^\s"'<>\\]|\\/)*`;

/** Finds and erases the address and the full name of a person in texts, in any case, Unicode form or escaping, and single names in fields of JSON documents. */
export class PersonPattern {
  /** A text that contains the address contains at least one of these, possibly only in lower case; used to preselect rows in SQL. */
  readonly hints: readonly string[];

  private readonly address: RegExp;
  /** Find a URL, or else the person in the groups `address` and `fullName`. */
  private readonly urlOrPerson: RegExp;
  private readonly authorityOrPerson: RegExp;
  private readonly fields: PersonFields;

  constructor(
    person: Person,
    private readonly replacement: string,
  ) {
    const addresses = spellingsOf(person.email).flatMap((email) => [email, encodeURIComponent(email), email.replace('@', '%40')]);
    const address = `${BEGIN_OF_ADDRESS}(?<address>${anyOf(addresses)})${END_OF_ADDRESS}`;
    const whole = toRegExp(`^${anyOf([...addresses, replacement])}$`);
    this.address = toRegExp(address);
    const anyone = `${address}|${BEGIN_OF_NAME}(?<fullName>${fullNameOf(person.names)})${END_OF_NAME}`;
    this.urlOrPerson = toRegExp(`${URL_TO_ITS_END}|${anyone}`);
    this.authorityOrPerson = toRegExp(`${AUTHORITY}|${anyone}`);
    this.fields = new PersonFields(person, (text) => has(whole, text.trim()));
    this.hints = hintsOf(addresses);
  }

  /** Whether a text contains the address as a whole word, also in a URL. */
  isIn(text: string): boolean {
    return has(this.address, text);
  }

  /** Replaces the address, and with `withNames` the full name, where they are whole words. */
  erase(text: string, { inUrls, withNames }: ErasureScope): string {
    const pattern = inUrls ? this.authorityOrPerson : this.urlOrPerson;
    const encoded = this.replacement.replace('@', '%40');
    return text.replace(pattern, (found: string, address: string | undefined, fullName: string | undefined) => {
      if (fullName !== undefined && withNames) return ERASED_NAME;
      if (address === undefined) return found;
      return address.includes('@') ? this.replacement : encoded;
    });
  }

  /**
   * Replaces the address in all strings and member names of a JSON document, names in fields of the person, and the full name in a document that belongs
   * to the person or contains the address.
   */
  eraseJson(json: string, { inUrls, ...relation }: Pick<ErasureScope, 'inUrls'> & Relation): string {
    const withNames = relation.isOwn || this.isIn(json);
    return rewriteJson(json, {
      text: (text) => this.erase(text, { inUrls, withNames }),
      object: (members) => this.fields.replacementsIn(members, relation),
    });
  }
}

/** A pattern for the full names, in either order; those who gave only one name have none. */
function fullNameOf(names: readonly PersonName[]): string {
  const parts = ({ firstname, lastname }: PersonName) => [firstname, lastname].map((name) => name.split(/\s+/u).filter(Boolean));
  const orders = names.map(parts).flatMap(([first = [], last = []]) =>
    first.length > 0 && last.length > 0
      ? [
          [...first, ...last],
          [...last, ...first],
        ]
      : [],
  );
  const written = orders.map((words) => words.map((word) => anyOf([word, encodeURIComponent(word)])).join(BETWEEN_NAMES));
  return written.length > 0 ? `(?:${written.join('|')})` : '(?!)';
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
