/** Matches `:name`, `:name.property` and `:list.0`, but not `::name`; a port (`host:8080`) and a time (`10:30`) begin with a digit. */
const PLACEHOLDER = /(?<!:):([A-Za-z_]\w*(?:\.\w+)*)/g;
/** Matches a text that consists of one placeholder. */
const ONLY_PLACEHOLDER = /^:([A-Za-z_]\w*(?:\.\w+)*)$/;
/** Matches scheme and authority according to the WHATWG URL standard, which does not require two slashes and reads a backslash as a slash. */
const ORIGIN = /^[a-z][a-z\d+.-]*:[/\\]*[^/\\?#]*/i;
/** Matches the characters that the same standard removes: leading control characters and blanks, and tabs and line breaks anywhere. */
const REMOVED_CHARACTERS = /^[\0- ]+|[\t\n\r]/g;

/** Matches a segment of a path that leads elsewhere: one or two dots, also percent-encoded, which parsers may decode (RFC 3986 section 6.2.2.2). */
export const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * The number of characters that values may insert into one template, four times the limit of a list of instructions. A template may name a long value
 * thousands of times, and is filled again in every attempt.
 */
export const MAX_INSERTED_LENGTH = 262_144;

/** The values for a template are too long to be sent and stored. */
export class FilledTooLong extends Error {
  constructor() {
    super(`placeholders: their values have more than ${MAX_INSERTED_LENGTH} characters`);
  }
}

/** The values of placeholders, by their names. */
export type PlaceholderValues = Readonly<Record<string, unknown>>;

/**
 * Replaces `:name` by its value in every string of `template`, except in keys of objects. A string that consists of one placeholder becomes the value
 * itself, of any type; a name without a value is left as it is. Inserted values are not searched for placeholders. Like the other functions here,
 * throws FilledTooLong.
 */
export const fillPlaceholders = (template: unknown, values: PlaceholderValues): unknown => fillDeep(template, values, limitLength());

/** Replaces `:name` by its value as text: null as an empty text, objects and lists as JSON. */
export const fillText = (text: string, values: PlaceholderValues): string => fill(text, values, writing(asText));

/**
 * Like fillText, but percent-encodes values, so that a value never adds a segment or a parameter. Scheme, host and port of an absolute URL are not
 * filled, because events must not decide where a request is sent. A value of one or two dots stays a DOT_SEGMENT, because dots cannot be encoded.
 */
export function fillUrl(text: string, values: PlaceholderValues): string {
  const plain = text.replace(REMOVED_CHARACTERS, '');
  const [origin = ''] = ORIGIN.exec(plain) ?? [];
  const written = writing((value) => encode(asText(value)));
  return origin + fill(plain.slice(origin.length), values, written);
}

/** The names of the placeholders in `template`, each once and as written (`name`, `list.0`). */
export function placeholdersIn(template: unknown): string[] {
  if (typeof template === 'string') return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
  if (typeof template !== 'object' || template === null) return [];
  return [...new Set(Object.values(template).flatMap(placeholdersIn))];
}

/** Counts the text inserted into one template, and returns it. */
type CountLength = (text: string) => string;

function limitLength(): CountLength {
  let left = MAX_INSERTED_LENGTH;
  return (text) => {
    left -= text.length;
    if (left < 0) throw new FilledTooLong();
    return text;
  };
}

function writing(write: (value: unknown) => string, count = limitLength()): (value: unknown) => string {
  return (value) => count(write(value));
}

function fillDeep(template: unknown, values: PlaceholderValues, count: CountLength): unknown {
  if (typeof template === 'string') return fillString(template, values, count);
  if (Array.isArray(template)) return template.map((element) => fillDeep(element, values, count));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillDeep(value, values, count)]));
}

function fillString(text: string, values: PlaceholderValues, count: CountLength): unknown {
  const [, name] = ONLY_PLACEHOLDER.exec(text) ?? [];
  const found = name === undefined ? null : find(name, values);
  if (found?.rest !== '') return fill(text, values, writing(asText, count));
  count(asText(found.value));
  return found.value;
}

function fill(text: string, values: PlaceholderValues, written: (value: unknown) => string): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => {
    const found = find(name, values);
    return found ? written(found.value) + found.rest : whole;
  });
}

/** The value of the longest part of a dotted name that has a value, and the rest of the name: the dot in `:name.Thanks` may end a sentence. */
function find(name: string, values: PlaceholderValues): { value: unknown; rest: string } | null {
  const segments = name.split('.');
  let value: unknown = values;
  for (const [index, segment] of segments.entries()) {
    const next = ownProperty(value, segment);
    if (next === undefined) return index === 0 ? null : { value, rest: `.${segments.slice(index).join('.')}` };
    value = next;
  }
  return { value, rest: '' };
}

/** Ignores inherited properties: `:constructor` is not a placeholder. */
const ownProperty = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;

function asText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Percent-encodes a text. A lone surrogate cannot be encoded and becomes the replacement character. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
