import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeCertificate } from '../../src/modules/saml/service-provider.service.js';
import { Database } from '../../src/shared/database/index.js';
import {
  anIdentityProvider,
  beginLogin,
  declareProviders,
  finishLogin,
  type Person,
  postForm,
  postResponse,
  type ResponseOptions,
  type TestIdentityProvider,
  type Visit,
} from '../support/accounts/identity-provider.js';
import { aClient, aUser } from '../support/accounts/scenario.js';
import { applyDocument } from '../support/app/admin.js';
import { useTestApp } from '../support/app/test-app.js';
import { TestBrowser } from '../support/browser/browser.js';

/** Parts of the XML that npm samlp writes. */
const ASSERTION = /<saml:Assertion [\s\S]*<\/saml:Assertion>/;
const SIGNATURE = /<Signature [\s\S]*?<\/Signature>/;
const STATUS = /<samlp:Status>.*?<\/samlp:Status>/;

const part = (xml: string, pattern: RegExp): string => pattern.exec(xml)?.[0] ?? fail(`${pattern} is not in ${xml}`);
const fail = (message: string): never => {
  throw new Error(message);
};
/** Replaces without `$` patterns, and never nothing. */
const swap = (xml: string, what: string | RegExp, by: string): string => {
  const result = xml.replace(what, () => by);
  return result === xml ? fail(`${what} is not in ${xml}`) : result;
};

const assertionOf = (xml: string): string => part(xml, ASSERTION);
const signatureOfAssertion = (xml: string): string => part(assertionOf(xml), SIGNATURE);
const signatureOfResponse = (xml: string): string => part(swap(xml, ASSERTION, '<i/>'), SIGNATURE);
/** The same assertion for another person, with another identifier, unsigned. */
const evil = (xml: string): string =>
  swap(swap(swap(assertionOf(xml), SIGNATURE, ''), />victim</, '>attacker<'), / ID="[^"]*"/, ' ID="_evil"');
const unsigned = (xml: string): string => swap(assertionOf(xml), SIGNATURE, '');
const inside = (element: string, content: string): string => swap(element, /<\/[\w:]+>$/, `${content}${/<\/[\w:]+>$/.exec(element)?.[0]}`);

describe('a SAML response', () => {
  const app = useTestApp();
  let client: { clientId: string };
  let idp: TestIdentityProvider;
  let lenient: TestIdentityProvider;
  let person: Person;
  let visit: Visit;
  let browser: TestBrowser;

  beforeAll(async () => {
    client = await aClient(app);
    await applyDocument(app, { customers: [{ name: 'Acme' }] });
    idp = await anIdentityProvider('Acme');
    lenient = await anIdentityProvider('Acme', { signedResponse: false });
    await declareProviders(app, idp.entry, lenient.entry);
    const user = await aUser(app, { customer: 'Acme' });
    person = { nameId: 'victim', attributes: { mail: user.email, givenName: 'A & B' } };
  });

  beforeEach(async () => {
    browser = new TestBrowser(app.url);
    visit = await beginLogin(app, browser, { idp, client });
  });

  /** The genuine response of the same login signs in: nothing else was wrong, and what was refused has used nothing up. */
  async function expectGenuineWorks(): Promise<void> {
    const { url } = await finishLogin(browser, visit.acsUrl, await idp.respond(visit, person));
    expect(url?.searchParams.get('code')).toEqual(expect.any(String));
  }

  async function expectRefused(xml: string, code: string, status = 400): Promise<void> {
    const answer = await postResponse(visit.acsUrl, xml);
    expect([answer.code, answer.status, answer.location]).toEqual([code, status, null]);
    expect(answer.html).not.toMatch(/victim|attacker|urn:oasis/);
    await expectGenuineWorks();
  }

  type Attack = readonly [name: string, change: (xml: string) => string, code: string];

  const wrappings: readonly Attack[] = [
    ['a forged assertion before the genuine one', (xml) => swap(xml, ASSERTION, `${evil(xml)}${assertionOf(xml)}`), 'saml_assertion_count'],
    ['a forged assertion after the genuine one', (xml) => swap(xml, ASSERTION, `${assertionOf(xml)}${evil(xml)}`), 'saml_assertion_count'],
    [
      'the genuine assertion inside the forged one',
      (xml) => swap(xml, ASSERTION, inside(evil(xml), assertionOf(xml))),
      'saml_assertion_count',
    ],
    [
      'the forged assertion with the signature, the genuine one behind it without',
      (xml) => swap(xml, ASSERTION, `${inside(evil(xml), signatureOfAssertion(xml))}${unsigned(xml)}`),
      'saml_assertion_count',
    ],
    [
      'the genuine assertion inside the signature of the forged one',
      (xml) => swap(xml, ASSERTION, inside(evil(xml), inside(signatureOfAssertion(xml), unsigned(xml)))),
      'saml_assertion_count',
    ],
    [
      'the genuine assertion in an Object of the signature',
      (xml) => swap(xml, ASSERTION, inside(evil(xml), inside(signatureOfAssertion(xml), `<Object>${unsigned(xml)}</Object>`))),
      'saml_assertion_count',
    ],
    [
      'the forged assertion in Extensions',
      (xml) => swap(xml, '<samlp:Status>', `<samlp:Extensions>${evil(xml)}</samlp:Extensions><samlp:Status>`),
      'saml_assertion_count',
    ],
    [
      'the genuine response inside the signature of a forged one',
      (xml) => {
        const genuine = swap(xml, signatureOfResponse(xml), '');
        const forged = swap(swap(xml, ASSERTION, evil(xml)), / ID="[^"]*"/, ' ID="_evilresponse"');
        return swap(forged, signatureOfResponse(xml), inside(signatureOfResponse(xml), `<Object>${genuine}</Object>`));
      },
      'saml_assertion_count',
    ],
    [
      'the forged assertion in another namespace beside the genuine one',
      (xml) => swap(xml, ASSERTION, `<x:Assertion xmlns:x="urn:x"/>${assertionOf(xml)}`),
      'saml_assertion_count',
    ],
    [
      'the assertion below another element',
      (xml) => swap(xml, ASSERTION, `<samlp:Extensions>${assertionOf(xml)}</samlp:Extensions>`),
      'saml_structure_refused',
    ],
    [
      'an identifier twice',
      (xml) => swap(xml, '<samlp:Status>', `<samlp:Status Id=${part(assertionOf(xml), /ID=("[^"]*")/).slice(3)}>`),
      'saml_structure_refused',
    ],
    [
      'a response inside the response',
      (xml) => swap(xml, STATUS, `${part(xml, STATUS)}<samlp:Response ID="_inner"/>`),
      'saml_structure_refused',
    ],
    [
      'the signature of the assertion on the response',
      (xml) => swap(xml, signatureOfResponse(xml), signatureOfAssertion(xml)),
      'saml_structure_refused',
    ],
    [
      'a signature that is nowhere near what it signs',
      (xml) =>
        swap(
          swap(xml, signatureOfAssertion(xml), ''),
          STATUS,
          `<samlp:Extensions>${signatureOfAssertion(xml)}</samlp:Extensions>${part(xml, STATUS)}`,
        ),
      'saml_structure_refused',
    ],
    [
      'a second reference in a signature',
      (xml) =>
        swap(
          xml,
          signatureOfAssertion(xml),
          swap(
            signatureOfAssertion(xml),
            /<Reference [\s\S]*<\/Reference>/,
            part(signatureOfAssertion(xml), /<Reference [\s\S]*<\/Reference>/).repeat(2),
          ),
        ),
      'saml_structure_refused',
    ],
    [
      'two signatures on the assertion',
      (xml) => swap(xml, signatureOfAssertion(xml), signatureOfAssertion(xml).repeat(2)),
      'saml_structure_refused',
    ],
  ];

  it.each(wrappings)('is refused with %s, and not at the cost of the genuine one', async (_, change, code) => {
    await expectRefused(change(await idp.respond(visit, person)), code);
  });

  const changes: readonly Attack[] = [
    ['another NameID', (xml) => swap(xml, />victim</, '>attacker<'), 'saml_signature_invalid'],
    ['another attribute', (xml) => swap(xml, 'A &amp; B', 'Eve'), 'saml_signature_invalid'],
    ['another time', (xml) => swap(xml, /NotOnOrAfter="20/, 'NotOnOrAfter="21'), 'saml_signature_invalid'],
    ['another status', (xml) => swap(xml, ':status:Success', ':status:Responder'), 'saml_sign_in_refused'],
    ['the assertion unsigned', (xml) => swap(xml, signatureOfAssertion(xml), ''), 'saml_signature_missing'],
    ['the response unsigned', (xml) => swap(xml, signatureOfResponse(xml), ''), 'saml_signature_missing'],
    ['both unsigned', (xml) => swap(swap(xml, signatureOfResponse(xml), ''), SIGNATURE, ''), 'saml_signature_missing'],
    ['a comment in the NameID', (xml) => swap(xml, />victim</, '>victim<!-- -->.attacker<'), 'saml_comment_refused'],
    ['a comment that keeps the signature valid', (xml) => swap(xml, />victim</, '>vic<!---->tim<'), 'saml_comment_refused'],
    ['a processing instruction in the NameID', (xml) => swap(xml, />victim</, '>vic<?x y?>tim<'), 'saml_comment_refused'],
    ['a DOCTYPE', (xml) => `<!DOCTYPE x>${xml}`, 'saml_doctype_refused'],
    ['an entity', (xml) => `<!DOCTYPE x [<!ENTITY e "victim">]>${swap(xml, />victim</, '>&e;<')}`, 'saml_doctype_refused'],
    [
      'an encrypted assertion',
      (xml) => swap(xml, ASSERTION, '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>'),
      'saml_assertion_encrypted',
    ],
    ['no assertion', (xml) => swap(xml, ASSERTION, ''), 'saml_assertion_count'],
    [
      'another Destination',
      (xml) => swap(xml, / Destination="[^"]*"/, ' Destination="https://elsewhere.example/acs"'),
      'saml_destination_mismatch',
    ],
    ['no Destination', (xml) => swap(xml, / Destination="[^"]*"/, ''), 'saml_destination_mismatch'],
    ['no InResponseTo', (xml) => swap(xml, / InResponseTo="[^"]*"/, ''), 'saml_unsolicited'],
    [
      'a canonicalization that keeps comments',
      (xml) => swap(xml, /(?<=CanonicalizationMethod Algorithm=")[^"]*/, 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments'),
      'saml_signature_weak',
    ],
    ['another root element', (xml) => xml.replaceAll('samlp:Response', 'samlp:LogoutResponse'), 'saml_response_malformed'],
    ['broken XML', (xml) => xml.slice(0, -1), 'saml_response_malformed'],
    ['no XML', () => 'hello', 'saml_response_malformed'],
  ];

  it.each(changes)('is refused with %s, and not at the cost of the genuine one', async (name, change, code) => {
    await expectRefused(change(await idp.respond(visit, person)), code, name === 'another status' ? 403 : 400);
  });

  const intoSubject = (xml: string, more: string): string => swap(xml, '<saml:NameID', `${more}<saml:NameID`);
  const costs: readonly (readonly [string, (xml: string) => string])[] = [
    ['elements nested without end', () => '<a>'.repeat(50_000)],
    ['elements nested 20 levels deep', (xml) => intoSubject(xml, `${'<a>'.repeat(20)}${'</a>'.repeat(20)}`)],
    ['50,000 elements', (xml) => intoSubject(xml, '<a/>'.repeat(50_000))],
    [
      '5,000 attributes behind a comment with a quote',
      (xml) => intoSubject(xml, `<!-- > <a " --><a${Array.from({ length: 5_000 }, (_, at) => ` a${at}=""`).join('')}/>`),
    ],
    ['5,000 attributes', (xml) => intoSubject(xml, `<a${Array.from({ length: 5_000 }, (_, at) => ` a${at}=""`).join('')}/>`)],
    ['5,000 namespaces', (xml) => intoSubject(xml, `<a${Array.from({ length: 5_000 }, (_, at) => ` xmlns:n${at}="n"`).join('')}/>`)],
  ];

  it.each(costs)('that would take long to verify is refused: %s', async (_, change) => {
    await expectRefused(change(await idp.respond(visit, person)), 'saml_response_too_large', 413);
  });

  it('that takes long to verify does not keep other requests waiting', async () => {
    const xml = intoSubject(await idp.respond(visit, person), '<a/>'.repeat(3_500));
    let isVerified = false;
    const verified = postResponse(visit.acsUrl, xml).finally(() => {
      isVerified = true;
    });
    let answered = 0;
    while (!isVerified) {
      expect((await fetch(`${app.url}/health/live`)).status).toBe(200);
      answered += 1;
    }
    expect((await verified).code).toBe('saml_signature_invalid');
    expect(answered).toBeGreaterThan(5); // in one turn of the event loop there would be one or two
  });

  const signedWrongly: readonly (readonly [string, ResponseOptions, string])[] = [
    ['for another audience', { audience: 'https://elsewhere.example' }, 'saml_audience_mismatch'],
    ['for no audience', { audience: '' }, 'saml_audience_mismatch'],
    ['for another recipient', { recipient: 'https://elsewhere.example/acs' }, 'saml_recipient_mismatch'],
    ['for no recipient', { recipient: '' }, 'saml_recipient_mismatch'],
    ['for another destination', { destination: 'https://elsewhere.example/acs' }, 'saml_destination_mismatch'],
    ['by another issuer', { issuer: 'https://elsewhere.example/metadata' }, 'saml_issuer_mismatch'],
    ['two minutes too late', { lifetimeInSeconds: -120 }, 'saml_assertion_expired'],
    ['for no request', { inResponseTo: '' }, 'saml_unsolicited'],
    ['for a request that never was', { inResponseTo: '_0123456789abcdef' }, 'saml_request_unknown'],
    ['with SHA-1', { signatureAlgorithm: 'rsa-sha1' }, 'saml_signature_weak'],
    ['with a SHA-1 digest', { digestAlgorithm: 'sha1' }, 'saml_signature_weak'],
  ];

  it.each(signedWrongly)('is refused when it is signed %s, and not at the cost of the genuine one', async (_, options, code) => {
    await expectRefused(await idp.respond(visit, person, options), code);
  });

  it('is accepted half a minute too late, because clocks may differ by SAML_CLOCK_SKEW_SECONDS', async () => {
    expect(await postResponse(visit.acsUrl, await idp.respond(visit, person, { lifetimeInSeconds: -30 }))).toMatchObject({ status: 303 });
  });

  it('is refused with a foreign key, even with its certificate', async () => {
    const other = await makeCertificate('attacker.example', new Date());
    const xml = await idp.respond(visit, person, { key: other.privateKey, cert: other.certificate });
    await expectRefused(xml, 'saml_signature_invalid');
  });

  it('is refused with the key of another identity provider of the same customer', async () => {
    const xml = await idp.respond(visit, person, { key: lenient.privateKey, cert: lenient.certificate });
    await expectRefused(xml, 'saml_signature_invalid');
  });

  it('must answer a request to its own identity provider', async () => {
    const [theirs, hers] = [new TestBrowser(app.url), person];
    const foreign = await beginLogin(app, theirs, { idp: lenient, client });
    await expectRefused(await idp.respond({ ...visit, id: foreign.id }, hers), 'saml_request_unknown');
  });

  it('with an assertion that answers another request is refused, though the response itself is not signed', async () => {
    const [victims, attackers] = [new TestBrowser(app.url), new TestBrowser(app.url)];
    const [stolen, own] = [
      await beginLogin(app, victims, { idp: lenient, client }),
      await beginLogin(app, attackers, { idp: lenient, client }),
    ];
    const genuine = await lenient.respond(stolen, person, { signResponse: false });
    const forged = swap(genuine, `InResponseTo="${stolen.id}"`, `InResponseTo="${own.id}"`);
    expect(await postResponse(own.acsUrl, forged)).toMatchObject({ status: 400, code: 'saml_request_mismatch' });
    const { url } = await finishLogin(victims, stolen.acsUrl, genuine);
    expect(url?.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('with an assertion of another issuer is refused, though the response itself names the right one', async () => {
    const own = new TestBrowser(app.url);
    const start = await beginLogin(app, own, { idp: lenient, client });
    const foreign = 'https://elsewhere.example/metadata';
    const xml = await lenient.respond(start, person, { signResponse: false, issuer: foreign });
    const answer = await postResponse(start.acsUrl, swap(xml, `>${foreign}<`, `>${lenient.issuer}<`));
    expect(answer).toMatchObject({ status: 400, code: 'saml_issuer_mismatch' });
    const { url } = await finishLogin(own, start.acsUrl, await lenient.respond(start, person, { signResponse: false }));
    expect(url?.searchParams.get('code')).toEqual(expect.any(String));
  });

  it('is refused when its request was answered, has expired, or its assertion was used before', async () => {
    const database = app.app.get(Database);
    const xml = await idp.respond(visit, person);
    const expire = async (time: string) =>
      await database.query(`UPDATE saml_requests SET expires_at = now() + $2::interval WHERE id = $1`, [visit.id, time]);
    await expire('-1 second');
    expect(await postResponse(visit.acsUrl, xml)).toMatchObject({ code: 'saml_request_unknown' });
    await expire('1 hour');
    expect(await postResponse(visit.acsUrl, xml)).toMatchObject({ status: 303 });
    expect(await postResponse(visit.acsUrl, xml)).toMatchObject({ status: 400, code: 'saml_response_replayed' });
    await database.query('UPDATE saml_requests SET consumed_at = NULL WHERE id = $1', [visit.id]);
    expect(await postResponse(visit.acsUrl, xml)).toMatchObject({ status: 400, code: 'saml_assertion_replayed' });
  });

  it('is not taken for a replay when another identity provider gave its assertion the same identifier', async () => {
    const foreign = await beginLogin(app, new TestBrowser(app.url), { idp: lenient, client });
    const [theirs, ours] = [await lenient.respond(foreign, person), await idp.respond(visit, person)];
    expect(await postResponse(foreign.acsUrl, theirs)).toMatchObject({ status: 303 });
    const ids = [theirs, ours].map((xml) => / ID="([^"]*)"/.exec(assertionOf(xml))?.[1]);
    const sql = 'UPDATE saml_assertions SET assertion_id = $2 WHERE assertion_id = $1';
    expect((await app.app.get(Database).query(sql, ids)).rowCount).toBe(1);
    expect(await postResponse(visit.acsUrl, ours)).toMatchObject({ status: 303 });
  });

  it('is refused if it is missing, repeated, too large, or not text', async () => {
    const post = async (...fields: string[]) => {
      const answer = await postForm(visit.acsUrl, new URLSearchParams(fields.map((value): [string, string] => ['SAMLResponse', value])));
      return [answer.code, answer.status];
    };
    expect(await post()).toEqual(['saml_response_missing', 400]);
    expect(await post('')).toEqual(['saml_response_missing', 400]);
    expect(await post('a', 'b')).toEqual(['saml_response_malformed', 400]);
    expect(await post('no base64!')).toEqual(['saml_response_malformed', 400]);
    expect(await post(Buffer.from([0xff, 0xfe, 0x3c, 0x00]).toString('base64'))).toEqual(['saml_response_malformed', 400]);
    expect(await post(Buffer.alloc(300_000, 'x').toString('base64'))).toEqual(['saml_response_too_large', 413]);
    await expectGenuineWorks();
  });
});
