import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PlayerSettings, SecuritySettings } from '../../player-configurations/index.js';
import { parseAddress } from './addresses.js';
import { compilePolicy, type Decision, decideDelivery, explainDelivery, type ProtectedConfiguration } from './decide-delivery.js';
import type { Viewer } from './rules/delivery-rule.js';

describe('any policy and any viewer', () => {
  const host = fc.constantFrom('example.com', 'www.example.com', 'other.example');
  const cidr = fc.constantFrom('10.0.0.0/8', '10.1.0.0/16', '192.0.2.0/24', '2001:db8::/32');
  const ranges = fc.array(
    cidr.map((one) => ({ cidr: one, type: 'ipv4' as const })),
    { maxLength: 3 },
  );
  const keys = fc.subarray(['key-1', 'key-2']);
  const clientId = fc.constantFrom('tv', 'phone');
  const enabled = fc.boolean();
  const rules = {
    auth: fc.record({ enabled }),
    extAuth: fc.record({ enabled, allowedAccessKeys: keys }),
    oauth: fc.record({ enabled, clientId, grants: fc.constantFrom<string[]>([], ['cookie']) }),
    ipWhiteList: fc.oneof(ranges, fc.record({ enabled, list: ranges }), fc.record({ enabled })),
    authOnly: fc.boolean(),
    matchReferer: fc.subarray(['example.com', '*.example.com', 'other.example']),
  };
  const security = fc.record({ ...rules, url: fc.record({ cname: host }) }, { requiredKeys: [] });
  const settings = fc.record({ ...rules, cname: host }, { requiredKeys: [] });
  const formats = fc.uniqueArray(fc.record({ formatId: fc.nat(4), downloadable: fc.boolean() }), { selector: (one) => one.formatId });
  const viewers: fc.Arbitrary<Viewer> = fc.record({
    address: fc.constantFrom('10.1.2.3', '10.200.0.1', '192.0.2.1', '2001:db8::1', '198.51.100.1', '').map(parseAddress),
    referer: fc.option(host.map((one) => `https://${one}/page`)),
    host,
    userOfCustomer: fc.boolean(),
    tokenClientId: fc.option(clientId),
    sessionClientId: fc.option(clientId),
    extAuthAccessKey: fc.option(fc.constantFrom('key-1', 'key-2')),
    formatId: fc.option(fc.nat(4), { nil: undefined }),
    download: fc.option(fc.boolean(), { nil: undefined }),
  });
  const policies = fc.record({ securitySettings: fc.option(security), settings: fc.option(settings), formats });
  const decideAll = (policy: ProtectedConfiguration, viewer: Viewer): Decision => decideDelivery(compilePolicy(policy), viewer);

  it('are explained as decided: allowed if no rule has failed, otherwise denied by the first that has', () => {
    fc.assert(
      fc.property(policies, viewers, (rule, viewer) => {
        const policy = compilePolicy(rule);
        const decision = decideDelivery(policy, viewer);
        const explanation = explainDelivery(policy, viewer);
        const failed = explanation.rules.filter(({ result }) => result === 'failed');
        expect(explanation.allowed).toBe(decision.allowed);
        expect(explanation.allowed).toBe(failed.length === 0);
        expect({ rule: explanation.rule, code: explanation.code }).toEqual(
          decision.allowed ? { rule: null, code: null } : { rule: decision.rule, code: decision.code },
        );
        expect(failed[0]?.rule ?? null).toBe(explanation.rule);
        expect(explanation.rules.map((one) => one.rule)).toEqual([
          'auth',
          'extAuth',
          'oauth',
          'ipWhiteList',
          'matchReferer',
          'url.cname',
          'formats',
        ]);
        for (const { detail } of explanation.rules) expect(detail).toMatch(/^[A-Z].*\.$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are decided by the table of rules', () => {
    fc.assert(
      fc.property(policies, viewers, (rule, viewer) => {
        const { allowed } = decideAll(rule, viewer);
        expect(allowed).toBe(contract(rule, viewer));
      }),
      { numRuns: 2_000 },
    );
  });

  it('get no more by a further rule that has to pass', () => {
    const further = fc.oneof(
      host.map((cname) => ({ url: { cname } })),
      rules.matchReferer.map((matchReferer) => ({ matchReferer })),
      fc.constant({ authOnly: true }),
    );
    fc.assert(
      fc.property(policies, viewers, further, (rule, viewer, more) => {
        const set = { ...rule.settings, ...rule.securitySettings };
        const isFurther = Object.keys(more).every((key) => key === 'authOnly' || !(key in set)) && !('url' in more && 'cname' in set);
        fc.pre(isFurther);
        const stricter = { ...rule, securitySettings: { ...rule.securitySettings, ...more } };
        if (decideAll(stricter, viewer).allowed) expect(decideAll(rule, viewer).allowed).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('get no less by a longer list', () => {
    const set = fc.record({ securitySettings: security, settings: fc.option(settings), formats });
    fc.assert(
      fc.property(set, viewers, ranges, keys, (rule, viewer, moreRanges, moreKeys) => {
        const { ipWhiteList, extAuth, matchReferer } = rule.securitySettings;
        const longer: SecuritySettings = {
          ...rule.securitySettings,
          ...(Array.isArray(ipWhiteList) && { ipWhiteList: [...ipWhiteList, ...moreRanges] }),
          ...(extAuth && { extAuth: { ...extAuth, allowedAccessKeys: [...extAuth.allowedAccessKeys, ...moreKeys] } }),
          ...(matchReferer && { matchReferer: [...matchReferer, '*.example.com'] }),
        };
        if (decideAll(rule, viewer).allowed) expect(decideAll({ ...rule, securitySettings: longer }, viewer).allowed).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('get no less with more credentials', () => {
    fc.assert(
      fc.property(policies, viewers, (rule, viewer) => {
        const anonymous = { ...viewer, userOfCustomer: false, tokenClientId: null, sessionClientId: null, extAuthAccessKey: null };
        if (decideAll(rule, anonymous).allowed) expect(decideAll(rule, viewer).allowed).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  /** The rules once more, without the code under test. */
  function contract({ securitySettings, settings: old, formats: list }: ProtectedConfiguration, viewer: Viewer): boolean {
    const set = { ...old, ...securitySettings };
    const inside = insideOf(set, old, viewer);
    const authentications = [
      set.auth?.enabled ? viewer.userOfCustomer : null,
      set.extAuth?.enabled ? set.extAuth.allowedAccessKeys.includes(viewer.extAuthAccessKey ?? '') : null,
      set.oauth?.enabled
        ? viewer.tokenClientId === set.oauth.clientId ||
          (set.oauth.grants?.[0] === 'cookie' && viewer.sessionClientId === set.oauth.clientId)
        : null,
    ].filter((one) => one !== null);
    const authenticated = authentications.length === 0 || authentications.includes(true);
    const together =
      set.authOnly || authentications.length === 0 ? authenticated && inside !== false : authentications.includes(true) || inside === true;
    const cname = securitySettings?.url?.cname ?? old?.cname;
    const from = viewer.referer ? new URL(viewer.referer).hostname : null;
    const referer = set.matchReferer?.some((one) => (one.startsWith('*') ? from?.endsWith(one.slice(1)) : from === one)) ?? true;
    const wanted = list.find(({ formatId }) => formatId === viewer.formatId);
    const named = viewer.formatId === undefined ? list.some((one) => one.downloadable) || !viewer.download : wanted !== undefined;
    return (
      together && referer && (cname === undefined || cname === viewer.host) && named && !(viewer.download && wanted?.downloadable === false)
    );
  }

  /** Null: there is no list. */
  function insideOf(set: SecuritySettings & PlayerSettings, old: PlayerSettings | null, { address }: Viewer): boolean | null {
    const own = set.ipWhiteList;
    if (!own || ('enabled' in own && !own.enabled)) return null;
    const fallback = old?.ipWhiteList;
    const listOf = (one: typeof own | undefined) => (Array.isArray(one) ? one : one && 'list' in one ? one.list : undefined);
    const names: Record<string, string[]> = {
      '10.0.0.0/8': ['10.1.2.3', '10.200.0.1'],
      '10.1.0.0/16': ['10.1.2.3'],
      '192.0.2.0/24': ['192.0.2.1'],
      '2001:db8::/32': ['2001:db8::1'],
    };
    const members = (listOf(own) ?? listOf(fallback) ?? []).flatMap((one: { cidr: string }) => names[one.cidr] ?? []);
    return members.some((text) => parseAddress(text)?.value === address?.value);
  }
});
