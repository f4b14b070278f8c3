import acSignature from 'ac-signature';
import { AccessKeysService, AccountsService, type User } from '../../../src/modules/accounts/index.js';
import { makeCertificate } from '../../../src/modules/saml/service-provider.service.js';
import type { TestApp } from '../app/test-app.js';
import { TestBrowser } from '../browser/browser.js';
import { aDropsite, senderOf } from '../delivery/dropsites.js';
import { call, tokenOf } from '../media/uploads.js';
import { aClient, aUser, authorizeUrl, postToken, REDIRECT_URI, signIn } from './scenario.js';

/** Who calls the operations of the administration; the order of the columns of the matrix. */
export const CALLERS = [
  'level 0',
  'level 9',
  'level 10',
  'level 100',
  'operator',
  'other customer',
  'service user',
  'sender',
  'casa',
  'api:read',
  'signed',
] as const;
export type CallerName = (typeof CALLERS)[number];

const SECRET = 'a secret for tests, long enough to be accepted';

/** The customer `Acme` with users of all levels, another customer, the operator, and every way to authenticate. */
export interface AdministrationWorld {
  readonly people: Readonly<Record<'level 0' | 'level 9' | 'level 10' | 'level 100' | 'operator' | 'other customer', User>>;
  readonly metadata: string;
  /** Calls an operation as one of them; answers status and body. */
  as(caller: CallerName, method: string, path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }>;
}

/** SAML 2.0 metadata of an identity provider with a fresh certificate. */
export async function aMetadata(issuer = 'https://idp.acme.example/metadata'): Promise<string> {
  const { certificate } = await makeCertificate('idp.acme.example', new Date());
  const base64 = certificate.replaceAll(/-----[^-]+-----|\s/g, '');
  const key = `<X509Data><X509Certificate>${base64}</X509Certificate></X509Data>`;
  return `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${issuer}">
    <IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
      <KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#">${key}</KeyInfo></KeyDescriptor>
      <SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.acme.example/sso"/>
    </IDPSSODescriptor>
  </EntityDescriptor>`;
}

/** The token of a member of staff who acts for a user of a customer. */
async function casaToken(app: TestApp, staff: User, user: User): Promise<string> {
  const { clientId } = await aClient(app, { clientSecret: SECRET });
  const query = { client_id: clientId, redirect_uri: REDIRECT_URI, scope: 'api' };
  const target = await signIn(new TestBrowser(app.url), authorizeUrl(app.url, query), staff);
  const casa = Buffer.from(JSON.stringify({ customerId: user.customerId, userId: user.id, reason: 'ticket 1' })).toString('base64');
  const code = target.searchParams.get('code') ?? '';
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, client_id: clientId, client_secret: SECRET, casa };
  return (await postToken(app.url, form)).body.access_token;
}

/** Builds the world. All of its customers are new. */
export async function anAdministration(app: TestApp): Promise<AdministrationWorld> {
  const accounts = app.app.get(AccountsService);
  const people = {
    'level 0': await aUser(app, { customer: 'Acme' }),
    'level 9': await aUser(app, { customer: 'Acme', adminLevel: 9 }),
    'level 10': await aUser(app, { customer: 'Acme', adminLevel: 10 }),
    'level 100': await aUser(app, { customer: 'Acme', adminLevel: 100 }),
    operator: await aUser(app, { customer: 'Operator', adminLevel: 100 }),
    'other customer': await aUser(app, { customer: 'Other', adminLevel: 9 }),
  };
  await accounts.declareCustomer({ name: 'Operator', operator: true });
  await accounts.declareCustomer({ name: 'Acme', supportAccessUntil: new Date(Date.now() + 3_600_000) });
  const service = await aUser(app, { customer: 'Acme', kind: 'service', adminLevel: 9 });
  const worker = await aClient(app, {
    clientSecret: SECRET,
    serviceUser: service.email,
    grantTypes: ['client_credentials'],
    redirectUris: [],
  });
  const credentials = { grant_type: 'client_credentials', client_id: worker.clientId, client_secret: SECRET };
  const { dropsite } = await aDropsite(app);
  await app.app.get(AccessKeysService).declare({ accessKey: 'acme-key', accessSecret: SECRET, userId: people['level 10'].id });

  const tokens: Partial<Record<CallerName, string>> = {
    'service user': (await postToken(app.url, credentials)).body.access_token,
    sender: (await senderOf(app, dropsite.link).session()).access_token,
    casa: await casaToken(app, people.operator, people['level 9']),
    'api:read': await tokenOf(app, people['level 9'], 'api:read'),
  };

  const sign = (path: string, payload: object): Record<string, string> => {
    const ts = Math.floor(Date.now() / 1_000);
    const identifier = people['level 9'].email;
    const key = { accessKey: 'acme-key', accessSecret: SECRET };
    const { hash } = acSignature.sign5({ path, payload, ts, identifier, ...key });
    const headers = { accesskey: key.accessKey, rts: String(ts), hash, version: '5', identifier };
    return Object.fromEntries(Object.entries(headers).map(([name, value]) => [`x-service-${name}`, value]));
  };

  return {
    people,
    metadata: await aMetadata(),
    async as(caller, method, path, body) {
      const [bare = '', query = ''] = path.split('?');
      const payload = { ...Object.fromEntries(new URLSearchParams(query)), ...body };
      const person = people[caller as keyof typeof people];
      const token = person ? await tokenOf(app, person) : (tokens[caller] ?? null); // a person has just signed in
      const credentials = caller === 'signed' ? { headers: sign(bare, payload) } : { token };
      const answer = await call(`${app.url}${path}`, { method, body, ...credentials });
      return { status: answer.status, body: answer.body };
    },
  };
}
