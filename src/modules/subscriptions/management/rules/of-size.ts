import { problem, type Rule } from './rule.js';

/** What follows the rule and has at most so many bytes as JSON. */
export const ofSize =
  (maxBytes: number, rule: Rule): Rule =>
  (value, path) => {
    const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
    return bytes > maxBytes
      ? problem(path, 'max_bytes', `must have ${maxBytes} bytes of JSON or less, and has ${bytes}`)
      : rule(value, path);
  };
