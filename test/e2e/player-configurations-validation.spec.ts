import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { useTestApp } from '../support/app/test-app.js';
import { aPublisher, type Publisher, problemsOf } from '../support/delivery/player-configurations.js';

const app = useTestApp();
let publisher: Publisher;
beforeAll(async () => {
  publisher = await aPublisher(app);
});

const range = (cidr: unknown, type: unknown = 'ipv4') => ({ cidr, type });
const rule = (fields: object) => ({ cidr: '10.0.0.0/8', type: 'parallel', limit: 1, ...fields });
/** In securitySettings, where authOnly has to be. */
const security = (fields: object) => ({ securitySettings: { authOnly: false, ...fields } });
const settings = (fields: object) => ({ settings: fields });
const NO_OBJECTS = [5, 'text', true, [], [{}]];

describe('a player configuration is not made', () => {
  it.each<[object, ...string[]]>([
    [{ name: undefined }, 'name required'],
    [{ name: null }, 'name required'],
    [{ name: 5 }, 'name type'],
    [{ name: ' ' }, 'name matches'],
    [{ name: 'two\nlines' }, 'name matches'],
    [{ name: 'x'.repeat(256) }, 'name max_length'],
    [{ type: undefined }, 'type required'],
    [{ type: 'watermark' }, 'type is_in'],
    [{ type: ['video'] }, 'type type'],
    [{ templateId: undefined }, 'templateId required'],
    [{ templateId: '1' }, 'templateId type'],
    [{ templateId: 1.5 }, 'templateId type'],
    [{ templateId: -1 }, 'templateId min'],
    [{ templateId: 2_147_483_648 }, 'templateId max'],
    [{ templateId: 0 }, 'templateId is_template_of_type'],
    [{ templateId: 0, type: 'audio' }, 'templateId is_template_of_type'],
    [{ width: 0 }, 'width min'],
    [{ width: '1280' }, 'width type'],
    [{ height: 720.5 }, 'height type'],
    [{ height: 2_147_483_648 }, 'height max'],
    [{ autoGenerate: 'yes' }, 'autoGenerate type'],
    [{ formats: undefined }, 'formats required'],
    [{ formats: null }, 'formats required'],
    [{ formats: {} }, 'formats type'],
    [{ formats: 'all' }, 'formats type'],
    [{ formats: Array(1_001).fill({ formatId: 1 }) }, 'formats array_max_size'],
    [{ formats: [null, [], 'x', [{ formatId: 1 }]] }, ...[0, 1, 2, 3].map((n) => `formats.${n} type`)],
    [{ formats: [{}] }, 'formats.0.formatId required'],
    [
      { formats: [{ formatId: '1' }, { formatId: 0 }, { formatId: 2_147_483_648 }, { formatId: 1, downloadable: 1 }] },
      'formats.0.formatId type',
      'formats.1.formatId min',
      'formats.2.formatId max',
      'formats.3.downloadable type',
    ],
    [{ configuration: { mediaTypes: 'video' } }, 'configuration.mediaTypes type'],
    [{ configuration: { mediaTypes: ['watermark'] } }, 'configuration.mediaTypes.0 is_in'],
    [{ configuration: { mediaTypes: Array(5).fill('video') } }, 'configuration.mediaTypes array_max_size'],
    ...['configuration', 'securitySettings', 'settings'].flatMap((group) =>
      NO_OBJECTS.map((value): [object, string] => [{ [group]: value }, `${group} type`]),
    ),
  ])('with %j', async (fields, ...problems) => {
    const answer = await publisher.create(fields);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(problemsOf(answer)).toEqual([...problems].sort());
  });

  it.each<[object, ...string[]]>([
    [{ securitySettings: {} }, 'authOnly required'],
    [{ securitySettings: { authOnly: null } }, 'authOnly required'],
    [{ securitySettings: { authOnly: 'true' } }, 'authOnly type'],
    [security({ extAuth: {} }), 'extAuth.allowedAccessKeys required'],
    [security({ extAuth: { allowedAccessKeys: 'AK' } }), 'extAuth.allowedAccessKeys type'],
    [security({ extAuth: { allowedAccessKeys: [5] } }), 'extAuth.allowedAccessKeys.0 type'],
    [security({ extAuth: { allowedAccessKeys: [''] } }), 'extAuth.allowedAccessKeys.0 min_length'],
    [security({ extAuth: { enabled: 1, allowedAccessKeys: [] } }), 'extAuth.enabled type'],
    [security({ oauth: {} }), 'oauth.clientId required', 'oauth.enabled required'],
    [security({ oauth: { enabled: true, clientId: 5 } }), 'oauth.clientId type'],
    [security({ oauth: { enabled: true, clientId: 'nobody' } }), 'oauth.clientId not_found'],
    [security({ oauth: { enabled: true, clientId: 'nobody', grants: ['code'] } }), 'oauth.grants.0 is_in'],
    [security({ oauth: { enabled: true, clientId: 'nobody', grants: 'cookie' } }), 'oauth.grants type'],
    [security({ oauth: { enabled: true, clientId: 'nobody', grants: ['cookie', 'cookie'] } }), 'oauth.grants array_max_size'],
    [security({ auth: { enabled: 'yes' } }), 'auth.enabled type'],
    [security({ url: { cname: 'https://media.example.org' } }), 'url.cname is_fqdn'],
    ...[
      'media',
      'media.example.org:8080',
      'media.example.org/x',
      '*.example.org',
      'media_1.example.org',
      '-a.example.org',
      '192.0.2.1',
    ].map((cname): [object, string] => [security({ url: { cname } }), 'url.cname is_fqdn']),
    [security({ url: { cname: 5 } }), 'url.cname type'],
    ...NO_OBJECTS.flatMap((value) =>
      ['auth', 'extAuth', 'oauth', 'url'].map((name): [object, string] => [security({ [name]: value }), `${name} type`]),
    ),
    [security({ bandwidthControl: {} }), 'bandwidthControl type'],
    [
      security({
        bandwidthControl: [{}, null, rule({ limit: 0 }), rule({ limit: 1.5 }), rule({ type: 'speed' }), rule({ cidr: '10.0.0.0/33' })],
      }),
      'bandwidthControl.0.cidr required',
      'bandwidthControl.0.limit required',
      'bandwidthControl.0.type required',
      'bandwidthControl.1 type',
      'bandwidthControl.2.limit min',
      'bandwidthControl.3.limit type',
      'bandwidthControl.4.type is_in',
      'bandwidthControl.5.cidr is_cidr',
    ],
    ...['x', '10.0.0.0/', '10.0.0.0/08', '10.0.0', '::1/129', 'fe80::1%eth0', '10.0.0.0/8/8', '10.0.0.0-10.0.0.9'].map(
      (cidr): [object, string] => [security({ ipWhiteList: [range(cidr)] }), 'ipWhiteList.0.cidr is_cidr'],
    ),
    [security({ ipWhiteList: [range(5)] }), 'ipWhiteList.0.cidr type'],
    [security({ ipWhiteList: Array(10_001).fill(range('10.0.0.0/8')) }), 'ipWhiteList too_large'],
    [security({ ipWhiteList: { list: Array(10_001).fill(range('10.0.0.0/8')) } }), 'ipWhiteList.list too_large'],
    [
      security({ ipWhiteList: [range('::/0', 'ipv4'), range('10.0.0.0/8', 'ipv6'), range('10.0.0.0/8', 'ip'), { cidr: '10.0.0.1' }, 5] }),
      'ipWhiteList.0.type is_family_of_cidr',
      'ipWhiteList.1.type is_family_of_cidr',
      'ipWhiteList.2.type is_in',
      'ipWhiteList.3.type required',
      'ipWhiteList.4 type',
    ],
    [
      security({ ipWhiteList: { enabled: 'yes', list: [range('10.0.0.0/8', 'ipv6')] } }),
      'ipWhiteList.enabled type',
      'ipWhiteList.list.0.type is_family_of_cidr',
    ],
    [security({ ipWhiteList: { list: {} } }), 'ipWhiteList.list type'],
    [security({ ipWhiteList: 'all' }), 'ipWhiteList type'],
    ...[
      'https://example.org',
      'example.org/path',
      'example.org:https',
      '10.0.0.0/8',
      '*',
      'a.*.org',
      '',
      'exam ple.org',
      '.example.org',
      'example.org.',
    ].map((domain): [object, string] => [security({ matchReferer: [domain] }), 'matchReferer.0 is_referer_domain']),
    [security({ matchReferer: [5] }), 'matchReferer.0 type'],
    [security({ matchReferer: 'example.org' }), 'matchReferer type'],
    [security({ matchReferer: Array(1_001).fill('example.org') }), 'matchReferer array_max_size'],
  ])('with %j', async (fields, ...problems) => {
    const answer = await publisher.create(fields);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(problemsOf(answer)).toEqual(problems.map((problem) => `securitySettings.${problem}`));
  });

  it.each<[object, ...string[]]>([
    [settings({ extAuth: {} }), 'extAuth.allowedAccessKeys required'],
    [settings({ oauth: {} }), 'oauth.clientId required'],
    [settings({ oauth: { clientId: 'nobody', enabled: 'yes' } }), 'oauth.enabled type'],
    [settings({ oauth: { clientId: 'nobody' } }), 'oauth.clientId not_found'],
    [settings({ auth: { enabled: 1 } }), 'auth.enabled type'],
    [settings({ authOnly: 'no' }), 'authOnly type'],
    [settings({ ipWhiteList: [range('x')] }), 'ipWhiteList.0.cidr is_cidr'],
    [settings({ matchReferer: ['http://a.example'] }), 'matchReferer.0 is_referer_domain'],
    [settings({ cname: 'media' }), 'cname is_fqdn'],
    [settings({ customer: { name: 5, url: 'http://example.org/' } }), 'customer.name type', 'customer.url is_fqdn'],
    [settings({ providerName: ['x'], providerUrl: 'https://example.org' }), 'providerName type', 'providerUrl is_fqdn'],
    [
      settings({ fixedPreviewImage: { enabled: 'yes', mediaContainerId: 'x', preferredFileExtensions: ['a/b'] } }),
      'fixedPreviewImage.enabled type',
      'fixedPreviewImage.mediaContainerId type',
      'fixedPreviewImage.preferredFileExtensions.0 matches',
    ],
    [settings({ fixedPreviewImage: { preferredFileExtensions: 'pdf' } }), 'fixedPreviewImage.preferredFileExtensions type'],
    [settings({ fixedPreviewImage: { mediaContainerId: 2_147_483_647 } }), 'fixedPreviewImage.mediaContainerId not_found'],
    [
      settings({ subtitle: { default: -1, behaviour: 5, lang: 'de' } }),
      'subtitle.behaviour max',
      'subtitle.default min',
      'subtitle.lang matches',
    ],
    [
      settings({ subtitle: { default: 0.5, behaviour: '1', lang: 5 } }),
      'subtitle.behaviour type',
      'subtitle.default type',
      'subtitle.lang type',
    ],
    ...NO_OBJECTS.flatMap((value) =>
      ['auth', 'extAuth', 'oauth', 'customer', 'fixedPreviewImage', 'subtitle'].map((name): [object, string] => [
        settings({ [name]: value }),
        `${name} type`,
      ]),
    ),
  ])('with %j', async (fields, ...problems) => {
    const answer = await publisher.create(fields);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(problemsOf(answer)).toEqual(problems.map((problem) => `settings.${problem}`));
  });

  it('without hearing of every problem at once', async () => {
    const answer = await publisher.create({
      name: '',
      templateId: 0,
      formats: [{}],
      securitySettings: { bandwidthControl: [{ cidr: '10.0.0.0/8', type: 'parallel' }], oauth: {} },
      settings: { subtitle: { behaviour: 9 } },
    });
    expect(problemsOf(answer)).toEqual([
      'formats.0.formatId required',
      'name matches',
      'securitySettings.authOnly required',
      'securitySettings.bandwidthControl.0.limit required',
      'securitySettings.oauth.clientId required',
      'securitySettings.oauth.enabled required',
      'settings.subtitle.behaviour max',
      'templateId is_template_of_type',
    ]);
    expect((answer.body as { detail?: string }).detail).toContain('securitySettings.bandwidthControl.0.limit: limit is required');
  });
});

describe('a player configuration is made', () => {
  it.each<[object, object]>([
    [{ width: null, height: null, settings: null, securitySettings: null, configuration: null, autoGenerate: null }, { settings: null }],
    [{ settings: {} }, { settings: {} }],
    [settings({ cname: null, subtitle: { lang: null, default: 1 } }), settings({ subtitle: { default: 1 } })],
    [settings({ unknown: 1, subtitle: { unknown: [], lang: 'deu' } }), settings({ subtitle: { lang: 'deu' } })],
    [security({ ipWhiteList: [] }), security({ ipWhiteList: [] })],
    [security({ ipWhiteList: { enabled: true } }), security({ ipWhiteList: { enabled: true } })],
    [security({ ipWhiteList: { list: [range('10.0.0.1')] } }), security({ ipWhiteList: { list: [range('10.0.0.1')] } })],
    [security({ ipWhiteList: [range('::FFFF:10.0.0.0/104', 'ipv6')] }), security({ ipWhiteList: [range('::FFFF:10.0.0.0/104', 'ipv6')] })],
    [
      security({ matchReferer: ['*.bücher.example', 'xn--bcher-kva.example'] }),
      security({ matchReferer: ['*.bücher.example', 'xn--bcher-kva.example'] }),
    ],
    [
      security({ matchReferer: ['10.0.0.5', '[2001:db8::5]:80', 'a:1'] }),
      security({ matchReferer: ['10.0.0.5', '[2001:db8::5]:80', 'a:1'] }),
    ],
    [{ formats: [], type: 'document', templateId: 0 }, { templateId: 0 }],
    [{ configuration: { mediaTypes: [] } }, { configuration: { mediaTypes: [] } }],
    [{ configuration: {} }, { configuration: { mediaTypes: ['video'] } }],
  ])('with %j', async (fields, expected) => {
    const { status, body } = await publisher.create(fields);
    expect(status).toBe(201);
    for (const [name, value] of Object.entries(expected)) expect(body[name]).toEqual(value);
  });
});

describe('a change of a player configuration is refused', () => {
  it.each<[object, string]>([
    [{ formats: undefined }, 'formats required'],
    [{ name: null }, 'name type'],
    [{ name: '' }, 'name matches'],
    [{ templateId: null }, 'templateId type'],
    [{ templateId: 0 }, 'templateId is_template_of_type'],
    [{ width: -1 }, 'width min'],
    [{ securitySettings: {} }, 'securitySettings.authOnly required'],
    [security({ bandwidthControl: [rule({ limit: undefined })] }), 'securitySettings.bandwidthControl.0.limit required'],
    [settings({ subtitle: { behaviour: 5 } }), 'settings.subtitle.behaviour max'],
  ])('with %j, and changes nothing', async (fields, problem) => {
    const before = await publisher.made();
    const answer = await publisher.update(before.id, { name: 'Other', ...fields });
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(problemsOf(answer)).toEqual([problem]);
    expect((await publisher.get(before.id, '?refresh=true')).body).toEqual({ ...before, freshness: expect.any(Number) });
  });
});

describe('an allow-list', () => {
  const list = Array.from({ length: 10_000 }, (_, n) =>
    n % 2 ? range(`10.${n >> 8}.${n & 255}.0/24`) : range(`2001:0db8:0000:0000:0000:0000:${n.toString(16)}:0000/112`, 'ipv6'),
  );

  it.each<[string, object]>([
    ['securitySettings', security({ ipWhiteList: list })],
    ['securitySettings, as an object', security({ ipWhiteList: { enabled: true, list } })],
    ['settings', settings({ ipWhiteList: list })],
    ['settings, as an object', settings({ ipWhiteList: { enabled: true, list } })],
    ['both', { ...security({ ipWhiteList: list }), ...settings({ ipWhiteList: { enabled: false, list } }) }],
  ])('has up to 10,000 ranges in %s, and is answered as it was sent', async (_, fields) => {
    const made = await publisher.create(fields);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject(fields);
    expect((await publisher.update(made.body.id, { name: 'Other', ...fields })).body).toMatchObject(fields);
    expect((await publisher.get(made.body.id)).body).toMatchObject(fields);
  });
});

describe('anything at all', () => {
  const SETTINGS = ['auth', 'extAuth', 'oauth', 'ipWhiteList', 'authOnly', 'bandwidthControl', 'matchReferer', 'url', 'cname', 'subtitle'];
  const junk = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom('10.0.0.0/8', [{ cidr: 1 }], { list: [null] }, 2 ** 53, -1, 1e300));
  const group = fc.oneof(junk, fc.dictionary(fc.constantFrom(...SETTINGS), junk, { maxKeys: 4 }));
  const member = fc.constantFrom(
    'id',
    'name',
    'type',
    'templateId',
    'width',
    'formats',
    'configuration',
    'securitySettings',
    'settings',
    'move',
  );

  it('is answered without a crash', async () => {
    const { id } = await publisher.made();
    await fc.assert(
      fc.asyncProperty(fc.dictionary(member, group, { maxKeys: 5 }), async (fields) => {
        const answers = [
          await publisher.create(fields),
          await publisher.update(id, fields),
          await publisher.send('embedlink/7', 'POST', fields),
        ];
        for (const { status } of answers) expect(status).toBeLessThan(500);
        const { move } = fields;
        if (move !== undefined) expect((await publisher.destroy(2_147_483_647, { move })).status).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  });
});
