import { beforeAll, describe, expect, it } from '@jest/globals';
import { aClient } from '../support/accounts/scenario.js';
import { useTestApp } from '../support/app/test-app.js';
import { aProtectedLink, type EmbeddedMedia, embeddedMedia, silentStorage } from '../support/browser/embedded-media.js';
import { aPublisher } from '../support/delivery/player-configurations.js';

const OFFICE = [{ cidr: '203.0.113.0/24', type: 'ipv4' as const }];

const app = useTestApp(silentStorage);
let media: EmbeddedMedia;
beforeAll(async () => {
  media = await embeddedMedia(app);
});

describe('an explanation', () => {
  const explain = async (id: number, viewer: object) =>
    await media.publisher.send<{
      allowed?: boolean;
      code?: string | null;
      rule?: string | null;
      rules?: { rule: string; result: string; detail: string }[];
    }>(`playerconfiguration/${id}/explain`, 'POST', viewer);
  const rules = { auth: { enabled: true }, extAuth: { enabled: true, allowedAccessKeys: ['key-1'] }, matchReferer: ['example.com'] };

  it('contains the result of each rule', async () => {
    const { configuration } = await aProtectedLink(media, {
      security: { ...rules, ipWhiteList: OFFICE, url: { cname: 'video.example.com' } },
    });
    const viewer = { ip: '203.0.113.7', referer: 'https://example.com/', host: 'video.example.com', formatId: media.format.id };
    const { status, body } = await explain(configuration.id, viewer);
    expect({ status, allowed: body.allowed, rule: body.rule, code: body.code }).toEqual({
      status: 200,
      allowed: true,
      rule: null,
      code: null,
    });
    expect(body.rules?.map(({ rule, result }) => `${rule} ${result}`)).toEqual([
      'auth skipped',
      'extAuth skipped',
      'oauth skipped',
      'ipWhiteList passed',
      'matchReferer passed',
      'url.cname passed',
      'formats passed',
    ]);
    for (const { detail } of body.rules ?? []) expect(detail).toMatch(/^[A-Z].*\.$/);
  });

  it('concerns the described viewer, never the caller', async () => {
    const { configuration } = await aProtectedLink(media, { security: { auth: { enabled: true } } });
    expect((await explain(configuration.id, { ip: '203.0.113.7' })).body).toMatchObject({
      allowed: false,
      rule: 'auth',
      code: 'auth_required',
    });
    expect((await explain(configuration.id, { ip: '203.0.113.7', userLoggedIn: true })).body).toMatchObject({ allowed: true });
  });

  it('knows the client of a token, the key of an external token, formats, and the host of the service', async () => {
    const client = await aClient(app);
    const oauth = { enabled: true, clientId: client.clientId };
    const { configuration } = await aProtectedLink(media, {
      security: { ...rules, auth: { enabled: false }, oauth, matchReferer: ['example.com'] },
    });
    const told = async (viewer: object) => {
      const { body } = await explain(configuration.id, { ip: '::1', referer: 'https://example.com/', ...viewer });
      return body.allowed ? 'allowed' : `${body.rule} ${body.code}`;
    };
    expect(await told({})).toBe('extAuth ext_auth_required');
    expect(await told({ oauthClientId: client.clientId })).toBe('allowed');
    expect(await told({ extAuthAccessKey: 'key-1' })).toBe('allowed');
    expect(await told({ extAuthAccessKey: 'key-2' })).toBe('extAuth ext_auth_required');
    expect(await told({ extAuthAccessKey: 'key-1', formatId: 2_000_000 })).toBe('formats format_not_in_configuration');
    expect(await told({ extAuthAccessKey: 'key-1', formatId: media.format.id, download: true })).toBe('allowed');
    const own = await aProtectedLink(media, { security: { url: { cname: 'video.example.com' } } });
    expect((await explain(own.configuration.id, { ip: '::1' })).body).toMatchObject({ code: 'wrong_host' });
  });

  it('is refused for an invalid address, and for configurations of other customers', async () => {
    const { configuration } = await aProtectedLink(media);
    for (const viewer of [{}, { ip: '' }, { ip: '010.0.0.1' }, { ip: 'localhost' }, { ip: 7 }]) {
      const { status, body } = await explain(configuration.id, viewer);
      expect([status, body]).toEqual([
        400,
        expect.objectContaining({ code: 'validation_failed', errors: [expect.objectContaining({ path: 'ip' })] }),
      ]);
    }
    const stranger = await aPublisher(app);
    expect((await stranger.send(`playerconfiguration/${configuration.id}/explain`, 'POST', { ip: '::1' })).status).toBe(404);
    expect((await explain(2_000_000_000, { ip: '::1' })).status).toBe(404);
  });
});
