import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareKeys } from '../store/key-index.js';
import { listPage } from './list-objects.js';

const word = fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength: 1, maxLength: 5 });
const keys = fc.uniqueArray(word, { maxLength: 12 }).map((list) => list.sort(compareKeys));

describe('A listing', () => {
  it('shows on all pages together the same as one page without a limit', () => {
    fc.assert(
      fc.property(
        keys,
        fc.constantFrom('', 'a', 'a/', 'b'),
        fc.constantFrom('', '/'),
        fc.integer({ min: 1, max: 4 }),
        (all, prefix, delimiter, limit) => {
          const whole = listPage(all, { prefix, delimiter, after: '', limit: 1_000 });
          const shown: { keys: string[]; prefixes: string[] } = { keys: [], prefixes: [] };
          for (let after: string | undefined = ''; after !== undefined; ) {
            const page = listPage(all, { prefix, delimiter, after, limit });
            expect(page.keys.length + page.prefixes.length).toBeLessThanOrEqual(limit);
            shown.keys.push(...page.keys);
            shown.prefixes.push(...page.prefixes);
            after = page.last;
          }
          expect(shown).toEqual({ keys: whole.keys, prefixes: whole.prefixes });
        },
      ),
    );
  });

  it('shows each key once: itself, or by its common prefix', () => {
    fc.assert(
      fc.property(keys, fc.constantFrom('', 'a', 'a/'), (all, prefix) => {
        const wanted = all.filter((key) => key.startsWith(prefix));
        const { keys: shown, prefixes } = listPage(all, { prefix, delimiter: '/', after: '', limit: 1_000 });
        const isGrouped = (key: string) => key.slice(prefix.length).includes('/');
        expect(shown).toEqual(wanted.filter((key) => !isGrouped(key)));
        const groups = wanted.filter(isGrouped).map((key) => key.slice(0, key.indexOf('/', prefix.length) + 1));
        expect(prefixes).toEqual([...new Set(groups)]);
      }),
    );
  });

  it('is in the order of the bytes of UTF-8', () => {
    const unit = fc.constantFrom('a', 'é', '\ue000', '\uffff', '🎬', '𐀀');
    const text = fc.string({ unit, maxLength: 4 });
    fc.assert(fc.property(text, text, (a, b) => Math.sign(compareKeys(a, b)) === Buffer.compare(Buffer.from(a), Buffer.from(b))));
  });
});
