import { tooLarge } from '../../../../shared/validation/index.js';
import type { Rule } from './rule.js';

/** What follows the rule and has at most so many bytes as JSON. */
export const ofSize =
  (maxBytes: number, rule: Rule): Rule =>
  (value, path) => {
    const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
    return bytes > maxBytes ? [tooLarge(path, maxBytes, bytes)] : rule(value, path);
  };
