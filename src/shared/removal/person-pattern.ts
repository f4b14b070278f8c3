/** The names of a person as given; each may be empty. */
export interface PersonName {
  readonly firstname: string;
  readonly lastname: string;
}

/** What identifies a person in texts. */
export interface Person {
  /** E-mail address, compared case-insensitively. */
  readonly email: string;
  readonly names: readonly PersonName[];
}

/** What is erased from a text in addition to the address. */
export interface ErasureScope {
  /** First and last name together. */
  readonly names: boolean;
  /** First name and last name separately, as whole words. */
  readonly nameParts: boolean;
  /** In a JSON document: the members whose values may contain `nameParts`; absent or null: all. */
  readonly members?: readonly string[] | null;
}

/** The replacement for a name. An address is replaced by text in the form of an address, so that the surrounding text stays valid. */
export const ERASED_NAME = '[erased]';

/** A reserved domain (RFC 2606 section 2), which never has mailboxes. */
const ERASED_DOMAIN = '@erased.invalid';

/** The address that replaces that of an erased user. */
export const erasedAddress = (id: number | null): string => `erased${id === null ? '' : `-${id}`}${ERASED_DOMAIN}`;

export const isErasedAddress = (email: string): boolean => email.endsWith(ERASED_DOMAIN);

/** A single letter occurs in too many words to be searched for as a name. */
const MIN_NAME_LENGTH = 2;

/** A name is delimited by anything but letters and digits. In JSON and URLs, `\n` and `%20` are delimiters too. */
const BEGIN = String.raw`(?:(?<![\p{L}\p{N}])|(?<=\\[nrtbf])|(?<=%[0-9a-f]{2}))`;
const END = String.raw`(?![\p{L}\p{N}])`;
const BETWEEN_NAMES = String.raw`(?:[\s._,+-]|%20|\\[nrt]){1,3}`;

/** More characters continue an address than a name: `nada@example.org` and `ada@example.org.uk` are other addresses. */
const BEGIN_OF_ADDRESS = String.raw`(?:(?<![\p{L}\p{N}._%+-])|(?<=\\[nrtbf])|(?<=%[0-9a-f]{2}))`;
const END_OF_ADDRESS = String.raw`(?![\p{L}\p{N}-]|\.[\p{L}\p{N}])`;

/** A JSON string with its quotes. */
const JSON_TEXT = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/** Finds and erases a person in texts, in any case, Unicode form or escaping. */
export class PersonPattern {
  /** A text that names the person contains at least one of these, possibly only in lower case; used to preselect rows in SQL. */
  readonly hints: readonly string[];

  private readonly address: RegExp;
  private readonly fullNames: RegExp | null;
  private readonly nameParts: RegExp | null;

  constructor(
    { email, names }: Person,
    private readonly replacement: string,
  ) {
    const known = names.map(({ firstname, lastname }) => [firstname.trim(), lastname.trim()] as const);
    const full = known.filter(([first, last]) => first !== '' && last !== '');
    const parts = [...new Set(known.flat())].filter((part) => part.length >= MIN_NAME_LENGTH);
    const addresses = [email, encodeURIComponent(email), email.replace('@', '%40')];
    this.address = toRegExp(`${BEGIN_OF_ADDRESS}${anyOf(addresses)}${END_OF_ADDRESS}`);
    this.fullNames = full.length === 0 ? null : toRegExp(full.map(bothOrders).join('|'));
    this.nameParts = parts.length === 0 ? null : toRegExp(`${BEGIN}${anyOf(parts)}${END}`);
    this.hints = hintsOf([...addresses, ...full.map(([, last]) => last)]);
  }

  /** Whether a text contains the address or, with `names`, the first and last name together. */
  isIn(text: string, { names }: Pick<ErasureScope, 'names'>): boolean {
    return has(this.address, text) || (names && this.fullNames !== null && has(this.fullNames, text));
  }

  erase(text: string, { names, nameParts }: ErasureScope): string {
    let erased = text.replace(this.address, (found) => (found.includes('@') ? this.replacement : this.replacement.replace('@', '%40')));
    if (names && this.fullNames) erased = erased.replace(this.fullNames, ERASED_NAME);
    if (nameParts && this.nameParts) erased = erased.replace(this.nameParts, ERASED_NAME);
    return erased;
  }

  /** Erases the person in a JSON document. Numbers stay as written, and member names keep parts of names, which may be ordinary words. */
  eraseJson(json: string, scope: ErasureScope): string {
    let member = '';
    return json.replace(JSON_TEXT, (literal: string, colon: string | undefined) => {
      const quoted = colon === undefined ? literal : literal.slice(0, -colon.length);
      const text = JSON.parse(quoted) as string;
      if (colon !== undefined) member = text;
      const isWords = colon === undefined && (!scope.members || scope.members.includes(member));
      const erased = this.erase(text, { ...scope, nameParts: scope.nameParts && isWords });
      return erased === text ? literal : `${JSON.stringify(erased)}${colon ?? ''}`;
    });
  }
}

const bothOrders = ([first, last]: readonly [string, string]): string =>
  [
    [first, last],
    [last, first],
  ]
    .map(([left = '', right = '']) => `${BEGIN}${anyOf([left])}${BETWEEN_NAMES}${anyOf([right])}${END}`)
    .join('|');

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

/** In some locales PostgreSQL's `lower` converts only ASCII, so other names are searched for in their usual spellings. */
function hintsOf(texts: readonly string[]): string[] {
  const forms = texts.flatMap(formsOf).flatMap((text) => [text, JSON.stringify(text).slice(1, -1)]);
  const spellings = (text: string) => (isAscii(text) ? [text.toLowerCase()] : [text, text.toLowerCase(), text.toUpperCase()]);
  return [...new Set(forms.flatMap(spellings))];
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

const escaped = (text: string): string => text.replaceAll(/[\^$\\.*+?()[\]{}|/]/g, '\\$&');

const toRegExp = (source: string): RegExp => new RegExp(source, 'giu');

const has = (pattern: RegExp, text: string): boolean => text.search(pattern) >= 0;
