import { describe, expect, it } from '@jest/globals';
import { startCpuTimer } from './support/cpu-timer.js';
import { type Attack, attacksOn, attackText, patternsInSources } from './support/pattern-attacks.js';

const all = patternsInSources();

describe('a regular expression in the sources', () => {
  it('takes linear time for long runs of everything that it repeats', () => {
    const patterns = new Map(all.flatMap(({ place, pattern }) => (pattern ? [[String(pattern), { place, pattern }] as const] : [])));
    const slow = [...patterns.values()].flatMap(({ place, pattern }) => {
      const attack = attacksOn(pattern).find((one) => isSlow(pattern, one));
      return attack ? [`${place} ${pattern} ${JSON.stringify(attack)}`] : [];
    });
    expect(slow).toEqual([]);
  });

  it.each([/=+$/, /^\s*\n/gm, /<Part>([\s\S]*?)<\/Part>/g, /-->(?:[ \t]+(.*))?$/, /^(\w+\s?)*$/])(
    'would be noticed if it were %s',
    (pattern) => {
      expect(attacksOn(pattern).some((attack) => isSlow(pattern, attack))).toBe(true);
    },
  );

  /** A pattern that contains a text of strangers escapes it, or is one of RE2. */
  it('is made of texts in these places only', () => {
    const made = all.filter(({ pattern }) => pattern === null).map(({ place }) => place.replace(/:\d+$/, ''));
    expect(made).toEqual([
      'sdk/src/uploader/storage-client.ts', // the name of an element
      'src/modules/formats/converters/converter.ts', // the pattern of a converter's parameter, anchored
      'src/modules/formats/converters/imagemagick.converter.ts', // the names of defines
      'src/modules/formats/converters/merge-parameters.ts', // the pattern of a blueprint, by RE2
      'src/modules/oauth/provider/oidc-provider.service.ts', // the paths of the provider
      'src/modules/oauth/sessions/framed-cookies.ts', // the prefixes of cookies
      ...Array(3).fill('src/shared/letters-of-languages.ts'), // the letters of a language
      'src/shared/removal/person-pattern.ts', // the address of a person, escaped
      'src/shared/svg-size.ts', // a copy, because it is sticky
    ]);
  });
});

/** Lengths of texts. An exponential, cubic or quadratic pattern takes more than SUSPICIOUS_MS for one of them; longer texts could take minutes. */
const LENGTHS = [20, 256, 2_048, 8_192] as const;
/** Linear patterns take less than a millisecond, unless garbage is collected meanwhile. */
const SUSPICIOUS_MS = 2;

function isSlow(pattern: RegExp, attack: Attack): boolean {
  const timeOf = (length: number) => {
    const text = attackText(attack, length);
    const elapsed = startCpuTimer();
    text.replace(pattern, '');
    return elapsed();
  };
  const fastestOf = (length: number) => Math.min(timeOf(length), timeOf(length), timeOf(length));
  const length = LENGTHS.find((one) => timeOf(one) > SUSPICIOUS_MS && fastestOf(one) > SUSPICIOUS_MS);
  if (length === undefined) return false;
  // Eight times the length takes 8 times as long, and 64 times as long if the pattern is quadratic. Only exponential and cubic ones are slow below that.
  return length < 2_048 || fastestOf(8 * length) > 20 * fastestOf(length);
}
