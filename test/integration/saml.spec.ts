import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AccountsService } from '../../src/modules/accounts/index.js';
import { IdentityProvidersService, SingleSignOnService } from '../../src/modules/saml/index.js';
import { SamlRequestsRepository } from '../../src/modules/saml/saml-requests.repository.js';
import { makeCertificate } from '../../src/modules/saml/service-provider.service.js';
import { Database } from '../../src/shared/database/index.js';
import { DomainError } from '../../src/shared/errors.js';
import { HousekeepingService } from '../../src/shared/jobs/index.js';
import { sha256 } from '../../src/shared/secrets/index.js';
import { aRequest, aResponse } from '../support/accounts/exchange.js';
import { startTestContext, type TestContext } from '../support/app/test-context.js';
import { capturedLog } from '../support/captured-log.js';

describe('SAML', () => {
  const { log, lines } = capturedLog();
  let service: TestContext;
  let second: TestContext;

  beforeAll(async () => {
    service = await startTestContext({ log });
    second = await startTestContext({ database: service.database });
    const { id: customerId } = await service.get(AccountsService).declareCustomer({ name: 'Acme' });
    const { certificate } = await makeCertificate('idp.example', new Date());
    const source = { issuer: 'https://idp.example', ssoUrl: 'https://idp.example/sso', certificates: [certificate] };
    await service.get(IdentityProvidersService).declare({ ssoIdentifier: 'acme', customerId, ...source });
  });
  afterAll(async () => {
    await second.close();
    await service.close();
  });

  const begin = async (context: TestContext, exchange = exchangeOf()) =>
    await context
      .get(SingleSignOnService)
      .startLogin(exchange, { ssoIdentifier: 'acme', returnTo: '/v4/interaction/x/sso', forceAuthn: false });
  const exchangeOf = (cookie?: string) => {
    const request = aRequest({ headers: cookie ? { cookie } : {} });
    return { request, response: aResponse(request) };
  };
  const query = async (sql: string) => (await service.get(Database).query(sql)).rows;

  it('signs with one key, however many processes need it at the same moment, and keeps it encrypted', async () => {
    const metadata = await Promise.all([service, second].map(async (one) => await one.get(SingleSignOnService).createMetadata('acme')));
    const certificates = metadata.map((xml) => /<ds:X509Certificate>([^<]+)/.exec(xml)?.[1]);
    expect(certificates[0]).toEqual(expect.any(String));
    expect(certificates[1]).toBe(certificates[0]);
    const rows = await query('SELECT sealed_private_key FROM saml_keys');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(/PRIVATE KEY/);
  });

  it('marks the browser that begins with a cookie for its own login, and keeps the mark it has', async () => {
    const exchange = exchangeOf();
    await begin(service, exchange);
    const cookie = String(exchange.response.getHeader('set-cookie'));
    expect(cookie).toMatch(/^saml_login=[\w-]{43}; Max-Age=3600; Path=\/v4\/interaction\/x; HttpOnly; SameSite=Lax$/);
    const [mark] = cookie.split(';');
    const again = exchangeOf(mark);
    await begin(service, again);
    expect(String(again.response.getHeader('set-cookie'))).toBe(cookie);
    expect(await query(`SELECT * FROM saml_requests WHERE browser_hash LIKE '%${mark?.split('=')[1]}%'`)).toEqual([]);
  });

  it('redeems a handle once, of two processes at the same moment', async () => {
    const person = { email: 'ada@acme.example', customer: 'Acme', firstname: 'Ada', lastname: 'Lovelace' };
    const { id: userId } = await service.get(AccountsService).declareUser(person);
    const exchange = exchangeOf();
    await begin(service, exchange);
    const [mark] = String(exchange.response.getHeader('set-cookie')).split(';');
    const [request] = await query('SELECT id FROM saml_requests ORDER BY created_at DESC LIMIT 1');
    const link = { linkNameId: null, linkNameIdFormat: null };
    const handle = { userId, handleHash: sha256('handle'), handleExpiresAt: new Date(Date.now() + 60_000), ...link };
    await service.get(SamlRequestsRepository).setHandle(request?.id, handle);
    const redeem = async ({ get }: TestContext) => await get(SingleSignOnService).redeemHandle(exchangeOf(mark).request, 'handle');
    const outcomes = await Promise.allSettled([redeem(service), redeem(second)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([
      { status: 'fulfilled', value: { userId, linkRequestId: null } },
    ]);
    await expect(redeem(second)).rejects.toMatchObject({ code: 'saml_handle_expired' });
  });

  it('shows the person what to change and the operator the reason', async () => {
    const refused = service.get(SingleSignOnService).acceptResponse(aRequest(), 'acme', Buffer.from('<secret/>').toString('base64'));
    const error = await refused.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DomainError);
    expect(error).toMatchObject({ code: 'saml_response_malformed', detail: expect.not.stringContaining('secret') });
    expect(lines.find(({ msg }) => msg === 'saml response refused')).toMatchObject({
      level: 40,
      requestId: 'request-1',
      ssoIdentifier: 'acme',
      error: 'saml_response_malformed',
      detail: 'the root element is secret, not a SAML 2.0 Response',
    });
  });

  it('deletes requests and assertions that have expired', async () => {
    await begin(service);
    await query(`UPDATE saml_requests SET expires_at = now() - interval '1 second'`);
    await begin(service);
    await query(`INSERT INTO saml_assertions SELECT id, 'old', now() - interval '1 second' FROM identity_providers`);
    await query(`INSERT INTO saml_assertions SELECT id, 'new', now() + interval '1 hour' FROM identity_providers`);
    await service.get(HousekeepingService).run();
    expect(await query('SELECT id FROM saml_requests')).toHaveLength(1);
    expect(await query('SELECT assertion_id FROM saml_assertions')).toEqual([{ assertion_id: 'new' }]);
  });
});
