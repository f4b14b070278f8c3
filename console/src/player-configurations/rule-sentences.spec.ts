import { describe, expect, it } from '@jest/globals';
import { ruleSentences } from './rule-sentences.js';
import { rulesOf } from './rules.js';

type Security = Parameters<typeof rulesOf>[0]['securitySettings'];

const say = (securitySettings: Security, settings: Parameters<typeof rulesOf>[0]['settings'] = null, language: 'en' | 'de' = 'en') =>
  ruleSentences(rulesOf({ securitySettings, settings }), language);

const addresses = { enabled: true, list: [{ cidr: '192.0.2.0/24', type: 'ipv4' as const }] };

describe('the sentences of rules', () => {
  it('say that everyone gets in if there are no rules', () => {
    expect(say(null)).toEqual(['Everyone who has the link gets in.']);
    expect(say({ authOnly: false, auth: { enabled: false } })).toEqual(say(null));
  });

  it('say which ways lead in, of which one is enough', () => {
    expect(say({ authOnly: false, auth: { enabled: true }, ipWhiteList: addresses })).toEqual([
      'A viewer gets in who is signed in as a user of your organisation or has an address in 192.0.2.0/24.',
    ]);
  });

  it('say that an address and an authentication are needed', () => {
    const extAuth = { enabled: true, allowedAccessKeys: ['A', 'B'] };
    const oauth = { enabled: true, clientId: 'shop' };
    expect(say({ authOnly: true, extAuth, oauth, ipWhiteList: addresses })).toEqual([
      'A viewer gets in who has an address in 192.0.2.0/24, and who in addition has a token of the access key A or B or has an access token of the application shop.',
    ]);
    expect(say({ authOnly: true, oauth, ipWhiteList: addresses }, null, 'de')).toEqual([
      'Hinein kommt, wer eine Adresse aus 192.0.2.0/24 hat und außerdem ein Zugriffstoken der Anwendung shop hat.',
    ]);
  });

  it('name pages, hosts and limits', () => {
    const bandwidthControl = [{ cidr: '10.0.0.0/8', type: 'parallel' as const, limit: 1_000 }];
    expect(say({ authOnly: false, matchReferer: ['*.example.org'], url: { cname: 'media.example.org' }, bandwidthControl })).toEqual([
      'Everyone who has the link gets in.',
      'The player is shown only in pages of *.example.org.',
      'Links work only on media.example.org.',
      'Viewers from 10.0.0.0/8 share 1,000 plays at the same time.',
    ]);
  });

  it('read the deprecated settings where the newer ones are absent, and say when an empty list admits no viewer', () => {
    expect(say(null, { ipWhiteList: [{ cidr: '::1', type: 'ipv6' }] })).toEqual(['A viewer gets in who has an address in ::1.']);
    expect(say({ authOnly: false, ipWhiteList: [] }, { ipWhiteList: [{ cidr: '::1', type: 'ipv6' }] })).toEqual([
      'A viewer gets in who has an allowed address (the list is empty).',
    ]);
  });
});
