/** `:name`, `:name.property`, `:list.0`. Not `::name`; a port (`host:8080`) and a time (`10:30`) begin with a digit. */
const PLACEHOLDER = /(?<!:):([A-Za-z_]\w*(?:\.\w+)*)/g;
/** The same, and nothing else. */
const ONLY_PLACEHOLDER = /^:([A-Za-z_]\w*(?:\.\w+)*)$/;
/** Scheme and authority as the WHATWG URL standard reads them: it wants no two slashes, and takes a backslash for one. */
const ORIGIN = /^[a-z][a-z\d+.-]*:[/\\]*[^/\\?#]*/i;
/** What the same standard drops: control characters and blanks in front, tabs and line breaks anywhere. */
const DROPPED = /^[\0- ]+|[\t\n\r]/g;

/**
 * So many characters are put into one template, four times what a list of instructions may have: a template may name a long value thousands of
 * times, and is filled again with every try.
 */
const MOST_FILLED = 262_144;

/** What was to be put into a template is too long to be sent and kept. */
export class FilledTooLong extends Error {
  constructor() {
    super(`placeholders: what they stand for has more than ${MOST_FILLED} characters`);
  }
}

/** What placeholders stand for, by their names. */
export type PlaceholderValues = Readonly<Record<string, unknown>>;

/**
 * Puts values in place of `:name` in every string of `template`, keys of objects excepted. A string that is a placeholder and nothing else
 * becomes the value itself, of whatever type; a name without a value stays as it stands. What was put in is not looked at again. Throws
 * FilledTooLong, as the others do.
 */
export const fillPlaceholders = (template: unknown, values: PlaceholderValues): unknown => fillDeep(template, values, spending());

/** Puts values as text in place of `:name`: null as nothing, objects and lists as JSON. */
export const fillText = (text: string, values: PlaceholderValues): string => fill(text, values, writing(asText));

/**
 * As fillText, percent-encoded, so that a value never adds a segment or a parameter. Scheme, host and port of an absolute URL stay as they
 * stand: no event decides where a request goes. A value of one or two dots stays what it is; nothing can encode them.
 */
export function fillUrl(text: string, values: PlaceholderValues): string {
  const plain = text.replace(DROPPED, '');
  const [origin = ''] = ORIGIN.exec(plain) ?? [];
  const written = writing((value) => encode(asText(value)));
  return origin + fill(plain.slice(origin.length), values, written);
}

/** The names that `template` asks for, each once and as they stand in it (`name`, `list.0`). */
export function placeholdersIn(template: unknown): string[] {
  if (typeof template === 'string') return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
  if (typeof template !== 'object' || template === null) return [];
  return [...new Set(Object.values(template).flatMap(placeholdersIn))];
}

/** Counts what is put into one template, and answers it. */
type Spend = (text: string) => string;

function spending(): Spend {
  let left = MOST_FILLED;
  return (text) => {
    left -= text.length;
    if (left < 0) throw new FilledTooLong();
    return text;
  };
}

function writing(write: (value: unknown) => string, spend = spending()): (value: unknown) => string {
  return (value) => spend(write(value));
}

function fillDeep(template: unknown, values: PlaceholderValues, spend: Spend): unknown {
  if (typeof template === 'string') return fillString(template, values, spend);
  if (Array.isArray(template)) return template.map((element) => fillDeep(element, values, spend));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillDeep(value, values, spend)]));
}

function fillString(text: string, values: PlaceholderValues, spend: Spend): unknown {
  const [, name] = ONLY_PLACEHOLDER.exec(text) ?? [];
  const found = name === undefined ? null : find(name, values);
  if (found?.rest !== '') return fill(text, values, writing(asText, spend));
  spend(asText(found.value));
  return found.value;
}

function fill(text: string, values: PlaceholderValues, written: (value: unknown) => string): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => {
    const found = find(name, values);
    return found ? written(found.value) + found.rest : whole;
  });
}

/** The value of the longest part of a dotted name that has one, and what follows it: `:name.Thanks` may be the end of a sentence. */
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

/** Nothing of a prototype: `:constructor` is no placeholder. */
const ownProperty = (holder: unknown, name: string): unknown =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name) ? (holder as Record<string, unknown>)[name] : undefined;

function asText(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Half of a surrogate pair has no encoding; it becomes the replacement character. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
