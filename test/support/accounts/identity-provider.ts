import samlp from 'samlp';
import { makeCertificate } from '../../../src/modules/saml/service-provider.service.js';
import { applyDocument } from '../app/admin.js';
import type { TestApp } from '../app/test-app.js';
import type { TestBrowser } from '../browser/browser.js';
import { request } from './oauth.js';
import { PASSWORD } from './scenario.js';

export const EMAIL_ADDRESS = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
export const PERSISTENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';

/** Whom the identity provider says that it signed in. */
export interface Person {
  readonly nameId: string;
  readonly nameIdFormat?: string;
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>;
}

/** What a browser brings to the identity provider. */
export interface Visit {
  readonly id: string;
  readonly issuer: string;
  readonly acsUrl: string;
  readonly forceAuthn: boolean;
}

/** Options of npm samlp, and what stands for them here. */
export interface ResponseOptions {
  readonly [option: string]: unknown;
  readonly signResponse?: boolean;
  readonly signAssertion?: boolean;
}

export interface TestIdentityProvider {
  readonly ssoIdentifier: string;
  readonly issuer: string;
  readonly privateKey: string;
  readonly certificate: string;
  /** What `admin apply` takes. */
  readonly entry: { readonly ssoIdentifier: string; readonly [field: string]: unknown };
  /** Reads the AuthnRequest, and checks its signature with our published certificate. */
  visit(app: TestApp, location: string): Promise<Visit>;
  /** The XML of a response; by default signed twice, valid for five minutes and for the visit. */
  respond(visit: Visit, person: Person, options?: ResponseOptions): Promise<string>;
}

let count = 0;

/** An independent identity provider: npm samlp with a key of its own. */
export async function anIdentityProvider(customer: string, fields: Record<string, unknown> = {}): Promise<TestIdentityProvider> {
  count += 1;
  const ssoIdentifier = `idp-${count}`;
  const issuer = `https://idp-${count}.example/metadata`;
  const { privateKey, certificate } = await makeCertificate(`idp-${count}.example`, new Date());
  const ssoUrl = `https://idp-${count}.example/sso?tenant=1`;
  const attributeMapping = { email: 'mail', firstname: 'givenName', lastname: 'sn' };
  return {
    ssoIdentifier,
    issuer,
    privateKey,
    certificate,
    entry: { ssoIdentifier, customer, issuer, ssoUrl, certificates: [certificate], attributeMapping, ...fields },
    visit: async (app, location) => {
      if (!location.startsWith(`${ssoUrl}&`)) throw new Error(`The browser is sent elsewhere: ${location}`);
      return await readRequest(location, await publishedCertificate(app, ssoIdentifier));
    },
    respond: async (visit, person, options = {}) => {
      const base = { issuer, key: privateKey, cert: certificate, signResponse: true, signAssertion: true, lifetimeInSeconds: 300 };
      const algorithms = { signatureAlgorithm: 'rsa-sha256', digestAlgorithm: 'sha256' };
      const { id: inResponseTo, acsUrl, issuer: audience } = visit;
      const addresses = { inResponseTo, audience, recipient: acsUrl, destination: acsUrl };
      const profileMapper = () => ({
        getClaims: () => person.attributes ?? {},
        getNameIdentifier: () => ({ nameIdentifier: person.nameId, nameIdentifierFormat: person.nameIdFormat ?? PERSISTENT }),
      });
      return await new Promise((resolve, reject) => {
        const all = { ...base, ...algorithms, ...addresses, profileMapper, ...options };
        samlp.getSamlResponse(all, {}, (error, xml) => (error ? reject(error) : resolve(xml)));
      });
    },
  };
}

/** `admin apply` with these identity providers; their customers must exist. */
export const declareProviders = async (app: TestApp, ...entries: TestIdentityProvider['entry'][]): Promise<void> =>
  void (await applyDocument(app, { identityProviders: entries }));

/** The certificate in our metadata. */
export async function publishedCertificate(app: TestApp, ssoIdentifier: string): Promise<string> {
  const metadata = await (await fetch(`${app.url}/v4/saml/${ssoIdentifier}/metadata`)).text();
  const base64 = /<ds:X509Certificate>([^<]+)</.exec(metadata)?.[1]?.replaceAll(/\s/g, '') ?? '';
  return `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`;
}

async function readRequest(location: string, signingCert: string): Promise<Visit> {
  const query = Object.fromEntries(new URL(location).searchParams);
  if (!query.Signature) throw new Error('The AuthnRequest is not signed.');
  return await new Promise((resolve, reject) => {
    samlp.parseRequest({ method: 'GET', query }, { signingCert }, (error, found) => {
      if (error) return reject(error);
      const { id, issuer, assertionConsumerServiceURL: acsUrl, forceAuthn } = found;
      resolve({ id, issuer, acsUrl, forceAuthn: forceAuthn === 'true' });
    });
  });
}

/** Begins a login at the application; answers the visit at the identity provider. */
export async function beginLogin(
  app: TestApp,
  browser: TestBrowser,
  parties: { idp: TestIdentityProvider; client: { clientId: string }; query?: Record<string, string> },
): Promise<Visit> {
  const query = request(parties.client, { ssoIdentifier: parties.idp.ssoIdentifier, ...parties.query });
  const { response, url } = await browser.follow(`${app.url}/v4/authorize?${new URLSearchParams(query)}`);
  if (url.origin === browser.origin) throw new Error(`The browser stays here (${response.status}): ${await response.text()}`);
  return await parties.idp.visit(app, url.href);
}

/** The cross-site POST of a response: without the cookies of a Lax or Strict kind, as a browser sends it. Answers status, code and target. */
export async function postResponse(acsUrl: string, xml: string) {
  return await postForm(acsUrl, new URLSearchParams({ SAMLResponse: Buffer.from(xml).toString('base64') }));
}

export async function postForm(acsUrl: string, body: URLSearchParams) {
  const response = await fetch(acsUrl, { method: 'POST', body, redirect: 'manual', headers: { origin: 'https://idp.example' } });
  const html = await response.text();
  return {
    status: response.status,
    code: /<code>(\w+)<\/code>/.exec(html)?.[1] ?? null,
    location: response.headers.get('location'),
    html,
  };
}

/** Brings a response and goes on, with PASSWORD where the account that is linked has one; answers where the browser ends (at the client, or an error page here). */
export async function finishLogin(browser: TestBrowser, acsUrl: string, xml: string) {
  const posted = await postResponse(acsUrl, xml);
  if (!posted.location) return { ...posted, url: null };
  let { response, url } = await browser.follow(posted.location);
  let html = await response.text();
  if (html.includes('/password"')) {
    ({ response, url } = await browser.submit(html, '/password', { password: PASSWORD })); // of an account that is not linked yet
    html = await response.text();
  }
  return { status: response.status, code: /<code>(\w+)<\/code>/.exec(html)?.[1] ?? null, location: posted.location, html, url };
}
