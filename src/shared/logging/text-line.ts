/** The names of pino's levels, padded to equal width. */
const LEVELS: Readonly<Record<number, string>> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO ', 40: 'WARN ', 50: 'ERROR', 60: 'FATAL' };

/** Members that are omitted because they are constant in a terminal or printed separately. */
const OMITTED = new Set(['level', 'time', 'service', 'pid', 'msg', 'err']);

/**
 * Formats a log line for people: local time, level, message and the other members; then an error with its stack, indented. Control characters,
 * which a terminal would execute and a request may contain, are escaped.
 */
export function toTextLine(jsonLine: string): string {
  const line = JSON.parse(jsonLine) as Record<string, unknown>;
  const level = LEVELS[Number(line.level)] ?? String(line.level);
  const members = Object.entries(line).filter(([name, value]) => !OMITTED.has(name) && value !== null);
  const described = members.map(([name, value]) => `${escapeControls(name)}=${describeValue(value)}`);
  const first = [timeOf(Number(line.time)), level, escapeControls(String(line.msg ?? '')), ...described].join(' ').trimEnd();
  return `${[first, ...describeError(line.err)].join('\n')}\n`;
}

const timeOf = (ms: number): string => {
  const time = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}.${String(time.getMilliseconds()).padStart(3, '0')}`;
};

/** Simple words unchanged, everything else as JSON, which escapes control characters up to U+001F. */
const describeValue = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:@%+-]+$/.test(value) ? value : escapeControls(JSON.stringify(value));

interface DescribedError {
  readonly type?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[];
}

/** The stack of an error, or whatever is known about it, followed by its causes. */
function describeError(error: unknown, label = ''): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { type, message, stack, cause, errors = [], ...rest } = error as DescribedError & Record<string, unknown>;
  const [head = '', ...frames] = (stack ?? `${type ?? 'Error'}: ${message ?? ''}`).split('\n');
  const facts = Object.entries(rest).map(([name, value]) => ` ${name}=${describeValue(value)}`);
  return [
    `    ${label}${escapeControls(head)}${facts.join('')}`,
    ...frames.map((frame) => `    ${escapeControls(frame)}`),
    ...[cause, ...errors].flatMap((inner) => describeError(inner, 'caused by ')),
  ];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be escaped
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

const escapeControls = (text: string): string =>
  text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
