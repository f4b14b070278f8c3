/** `:name`, `:name.property`, `:list.0`. Not `::name`; a port (`host:8080`) and a time (`10:30`) begin with a digit. */
const PLACEHOLDER = /(?<!:):([A-Za-z_]\w*(?:\.\w+)*)/g;
/** The same, and nothing else. */
const ONLY_PLACEHOLDER = /^:([A-Za-z_]\w*(?:\.\w+)*)$/;
/** Scheme and authority as the WHATWG URL standard reads them: it wants no two slashes, and takes a backslash for one. */
const ORIGIN = /^[a-z][a-z\d+.-]*:[/\\]*[^/\\?#]*/i;
/** What the same standard drops: control characters and blanks in front, tabs and line breaks anywhere. */
const DROPPED = /^[\0- ]+|[\t\n\r]/g;

/** What placeholders stand for, by their names. */
export type PlaceholderValues = Readonly<Record<string, unknown>>;

/**
 * Puts values in place of `:name` in every string of `template`, keys of objects excepted. A string that is a placeholder and nothing else
 * becomes the value itself, of whatever type; a name without a value stays as it stands. What was put in is not looked at again.
 */
export function fillPlaceholders(template: unknown, values: PlaceholderValues): unknown {
  if (typeof template === 'string') return fillString(template, values);
  if (Array.isArray(template)) return template.map((element) => fillPlaceholders(element, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillPlaceholders(value, values)]));
}

/** Puts values as text in place of `:name`: null as nothing, objects and lists as JSON. */
export const fillText = (text: string, values: PlaceholderValues): string => fill(text, values, asText);

/**
 * As fillText, percent-encoded, so that a value never adds a segment or a parameter. Scheme, host and port of an absolute URL stay as they
 * stand: no event decides where a request goes. A value of one or two dots stays what it is; nothing can encode them.
 */
export function fillUrl(text: string, values: PlaceholderValues): string {
  const plain = text.replace(DROPPED, '');
  const [origin = ''] = ORIGIN.exec(plain) ?? [];
  return origin + fill(plain.slice(origin.length), values, (value) => encode(asText(value)));
}

/** The names that `template` asks for, each once and as they stand in it (`name`, `list.0`). */
export function placeholdersIn(template: unknown): string[] {
  if (typeof template === 'string') return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
  if (typeof template !== 'object' || template === null) return [];
  return [...new Set(Object.values(template).flatMap(placeholdersIn))];
}

function fillString(text: string, values: PlaceholderValues): unknown {
  const [, name] = ONLY_PLACEHOLDER.exec(text) ?? [];
  const found = name === undefined ? null : find(name, values);
  return found?.rest === '' ? found.value : fillText(text, values);
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
