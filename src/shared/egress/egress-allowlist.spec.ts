import { describe, expect, it } from '@jest/globals';
import { parseUrl } from '../validation/index.js';
import { EgressAllowlist } from './egress-allowlist.js';

/** Whether the host of a URL, in whatever spelling, is allowed by this entry. */
const allows = (entry: string, host: string): boolean =>
  new EgressAllowlist([entry]).has(parseUrl(`http://${host}/`)?.hostname ?? 'no host');

describe('an allowlist', () => {
  it.each([
    ['hooks.internal', 'hooks.internal'],
    ['hooks.internal', 'HOOKS.Internal'],
    ['HOOKS.Internal', 'hooks.internal'],
    ['hooks.internal', 'hooks.internal.'],
    ['hooks.internal.', 'hooks.internal'],
    ['hooks.internal', 'hooks.internal:8080'],
    ['müller.example', 'xn--mller-kva.example'],
    ['xn--mller-kva.example', 'MÜLLER.example'],
    ['10.0.0.7', '10.0.0.7'],
    ['10.0.0.7', '0x0a.0.0.7'],
    ['::1', '[::1]'],
    ['[::1]', '[0:0:0:0:0:0:0:1]'],
    ['FD00::1', '[fd00:0::1]'],
  ])('with %s allows %s', (entry, host) => {
    expect(allows(entry, host)).toBe(true);
  });

  it.each([
    ['hooks.internal', 'evil.hooks.internal'],
    ['hooks.internal', 'internal'],
    ['hooks.internal', 'hooks.internal.example'],
    ['10.0.0.7', '10.0.0.8'],
    ['127.0.0.1', 'localhost'],
    ['127.0.0.1', '[::ffff:127.0.0.1]'],
    ['localhost', '127.0.0.1'],
    ['::1', '127.0.0.1'],
  ])('with %s does not allow %s', (entry, host) => {
    expect(allows(entry, host)).toBe(false);
  });

  it.each(['', ' ', 'no host', '//'])('with %j allows nothing', (entry) => {
    expect(allows(entry, 'hooks.internal')).toBe(false);
    expect(new EgressAllowlist([entry]).has('')).toBe(false);
  });
});
