import { describe, expect, it } from '@jest/globals';
import { toBody, toValues } from './configuration-values';
import type { Configuration } from './queries';

const configuration = (part: Partial<Configuration>) =>
  ({ name: 'Films', type: 'video', templateId: 1, formats: [], securitySettings: null, settings: null, ...part }) as Configuration;

describe('what the form of a player configuration sends', () => {
  it.each([
    ['an empty list of hosts', { authOnly: false, matchReferer: [] }],
    ['an empty list of addresses', { authOnly: false, ipWhiteList: { enabled: true, list: [] } }],
    [
      'a list of addresses that is switched off',
      { authOnly: false, ipWhiteList: { enabled: false, list: [{ cidr: '10.0.0.0/8', type: 'ipv4' }] } },
    ],
    ['no access key', { authOnly: true, extAuth: { enabled: true, allowedAccessKeys: [] } }],
  ] as [string, Configuration['securitySettings']][])('leaves a rule as it is whose fields were not changed: %s', (_, securitySettings) => {
    const before = configuration({ securitySettings });
    const { securitySettings: sent } = toBody({ ...toValues(before), name: 'Clips' }, before, toValues(before));
    expect(sent).toEqual({ authOnly: securitySettings?.authOnly });
  });

  it('has the rules that were changed, null for one that was removed', () => {
    const before = configuration({ securitySettings: { authOnly: false, matchReferer: ['a.test'], auth: { enabled: true } } });
    const { securitySettings } = toBody({ ...toValues(before), pages: [], host: 'b.test' }, before, toValues(before));
    expect(securitySettings).toEqual({ authOnly: false, matchReferer: null, url: { cname: 'b.test' } });
  });

  it('removes a rule that another person added after the page was loaded', () => {
    const shown = { ...toValues(configuration({})), pages: ['theirs.test'] };
    expect(toBody({ ...shown, pages: [] }, configuration({}), shown).securitySettings).toEqual({ authOnly: false, matchReferer: null });
  });

  it('has the setting for originals only if it was changed', () => {
    const before = configuration({ automaticFormats: true, settings: { download: true } as Configuration['settings'] });
    expect(toBody(toValues(before), before, toValues(before))).toEqual(expect.not.objectContaining({ settings: expect.anything() }));
    expect(toBody({ ...toValues(before), download: false }, before, toValues(before)).settings).toEqual({ download: false });
  });

  it('moves a rule that was changed out of the deprecated settings', () => {
    const before = configuration({ settings: { matchReferer: ['a.test'], cname: 'b.test', authOnly: true } as Configuration['settings'] });
    expect(toBody({ ...toValues(before), pages: ['c.test'] }, before, toValues(before))).toMatchObject({
      securitySettings: { authOnly: true, matchReferer: ['c.test'] },
      settings: { matchReferer: null, authOnly: null },
    });
  });
});
