import type { ResponseDocument } from './decode-response.js';
import { SamlRefusal } from './saml.errors.js';
import {
  ASSERTION,
  attribute,
  BEARER,
  children,
  descendants,
  isElement,
  onlyChild,
  PROTOCOL,
  parseXml,
  SIGNATURE,
  STATUS_SUCCESS,
  TRANSIENT,
  text,
  type XmlElement,
} from './xml.js';

/** The values that a response must match. */
export interface Expectation {
  readonly issuer: string;
  /** Our assertion consumer service. */
  readonly acsUrl: string;
  readonly signedResponse: boolean;
}

/**
 * Makes the checks that precede the verification of the signature, so that each failure has its own code. Returns InResponseTo.
 * @throws SamlRefusal
 */
export function checkResponse({ response, assertion }: ResponseDocument, expected: Expectation): string {
  checkStatus(response);
  if (!assertion) throw new SamlRefusal('saml_assertion_count', 'there is no assertion');
  const destination = attribute(response, 'Destination');
  if (destination !== expected.acsUrl) throw new SamlRefusal('saml_destination_mismatch', `Destination is ${quote(destination)}`);
  checkIssuer(response, expected);
  const requestId = attribute(response, 'InResponseTo');
  if (!requestId) throw new SamlRefusal('saml_unsolicited', 'there is no InResponseTo');
  checkSignatures(expected.signedResponse ? [response, assertion] : [assertion]);
  checkAlgorithms(response);
  return requestId;
}

/** A response that reports a failed sign-in need not be signed, because it has no effect. */
function checkStatus(response: XmlElement): void {
  const status = onlyChild(response, PROTOCOL, 'Status');
  const code = status && onlyChild(status, PROTOCOL, 'StatusCode');
  if (!status || !code) throw new SamlRefusal('saml_response_malformed', 'there is no Status');
  const value = attribute(code, 'Value');
  if (value === STATUS_SUCCESS) return;
  const second = onlyChild(code, PROTOCOL, 'StatusCode');
  const message = text(onlyChild(status, PROTOCOL, 'StatusMessage'));
  const codes = [value, second && attribute(second, 'Value')].filter(Boolean).join(' / ');
  throw new SamlRefusal('saml_sign_in_refused', `status ${codes} ${quote(message)}`);
}

/** A signed response must name its issuer (SAML profiles section 4.1.4.2); an unsigned one may leave it to the assertion. */
function checkIssuer(response: XmlElement, { issuer, signedResponse }: Expectation): void {
  const issuers = children(response, ASSERTION, 'Issuer');
  if (issuers.length === 0 && !signedResponse) return;
  const [only, ...more] = issuers;
  if (!only || more.length > 0 || text(only) !== issuer) {
    throw new SamlRefusal('saml_issuer_mismatch', `the issuer of the response is ${quote(text(only ?? null))}`);
  }
}

function checkSignatures(owners: readonly XmlElement[]): void {
  for (const owner of owners) {
    if (children(owner, SIGNATURE, 'Signature').length === 0)
      throw new SamlRefusal('saml_signature_missing', `the ${owner.localName} is not signed`);
  }
}

/** Quotes foreign text for the log, cut to 200 characters. */
export const quote = (value: string | null): string => JSON.stringify((value ?? '').slice(0, 200));

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

/** RSA with SHA-2 only; canonicalization without comments, and the enveloped-signature transform (SAML core section 5.4). */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  SignatureMethod: ['256', '384', '512'].map((bits) => `http://www.w3.org/2001/04/xmldsig-more#rsa-sha${bits}`),
  DigestMethod: [
    'http://www.w3.org/2001/04/xmlenc#sha256',
    'http://www.w3.org/2001/04/xmldsig-more#sha384',
    'http://www.w3.org/2001/04/xmlenc#sha512',
  ],
  CanonicalizationMethod: [EXCLUSIVE],
  Transform: [EXCLUSIVE, `${SIGNATURE}enveloped-signature`],
};

/** @throws SamlRefusal `saml_signature_weak` */
function checkAlgorithms(response: XmlElement): void {
  for (const node of descendants(response)) {
    if (!isElement(node) || node.namespaceURI !== SIGNATURE) continue;
    const accepted = ACCEPTED[node.localName];
    const algorithm = attribute(node, 'Algorithm') ?? '';
    if (accepted && !accepted.includes(algorithm)) {
      throw new SamlRefusal('saml_signature_weak', `${node.localName} is ${algorithm.slice(0, 200)}`);
    }
  }
}

const MAX_NAME_ID = 512; // it is part of an index; SAML core section 8.3.7 allows 256 for a persistent one

/** The content of a verified assertion. */
export interface Assertion {
  readonly id: string;
  /** When it expires; it is not accepted later. */
  readonly expiresAt: Date;
  readonly nameId: string;
  /** Empty when the identity provider names none. */
  readonly nameIdFormat: string;
  /** The first value of each attribute by its name. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** The issuer, audience and time that the assertion must have. */
export interface AssertionExpectation {
  readonly issuer: string;
  readonly audience: string;
  readonly acsUrl: string;
  readonly requestId: string;
  readonly now: Date;
  /** The maximum difference between the clocks of the identity provider and of the service, in milliseconds. */
  readonly skewMs: number;
}

/**
 * Reads an assertion from its signed bytes alone, without the rest of the response.
 * @throws SamlRefusal `saml_issuer_mismatch`, `saml_audience_mismatch`, `saml_recipient_mismatch`, `saml_request_mismatch`, `saml_assertion_expired`, `saml_name_id_unusable`
 */
export function readAssertion(signedXml: string, expected: AssertionExpectation): Assertion {
  const { root } = parseXml(signedXml);
  const issuer = text(onlyChild(root, ASSERTION, 'Issuer'));
  if (issuer !== expected.issuer) throw new SamlRefusal('saml_issuer_mismatch', `the issuer of the assertion is ${quote(issuer)}`);
  checkAudience(root, expected.audience);
  const subject = onlyChild(root, ASSERTION, 'Subject');
  const id = attribute(root, 'ID');
  if (!subject || !id) throw new SamlRefusal('saml_response_malformed', 'the assertion has no ID or no Subject');
  return { id, expiresAt: checkConfirmation(subject, expected), ...readNameId(subject), attributes: readAttributes(root) };
}

/** Checks that every restriction names this service (SAML core section 2.5.1.4). Blanks around a name are ignored, which node-saml does not do. */
function checkAudience(assertion: XmlElement, audience: string): void {
  const restrictions = children(assertion, ASSERTION, 'Conditions').flatMap((one) => children(one, ASSERTION, 'AudienceRestriction'));
  const names = restrictions.map((one) => children(one, ASSERTION, 'Audience').map((name) => (name.textContent ?? '').trim()));
  if (names.length > 0 && names.every((one) => one.includes(audience))) return;
  throw new SamlRefusal('saml_audience_mismatch', `the audience is ${quote(names.flat().join(' '))}`);
}

/** Checks that the bearer confirmation is addressed to us, answers our request and is limited in time (SAML profiles section 4.1.4.2). */
function checkConfirmation(subject: XmlElement, { acsUrl, requestId, now, skewMs }: AssertionExpectation): Date {
  const data = children(subject, ASSERTION, 'SubjectConfirmation')
    .filter((one) => attribute(one, 'Method') === BEARER)
    .flatMap((one) => children(one, ASSERTION, 'SubjectConfirmationData'));
  const addressed = data.filter((one) => attribute(one, 'Recipient') === acsUrl);
  if (addressed.length === 0) {
    throw new SamlRefusal('saml_recipient_mismatch', `Recipient is ${quote(data.map((one) => attribute(one, 'Recipient')).join(' '))}`);
  }
  const answering = addressed.filter((one) => attribute(one, 'InResponseTo') === requestId);
  if (answering.length === 0)
    throw new SamlRefusal('saml_request_mismatch', 'the assertion does not name the request that the response names');
  const ends = answering.map((one) => new Date(attribute(one, 'NotOnOrAfter') ?? '').getTime()).filter(Number.isFinite);
  const last = Math.max(...ends) + skewMs;
  if (last > now.getTime()) return new Date(last);
  throw new SamlRefusal('saml_assertion_expired', 'no subject confirmation is valid now');
}

function readNameId(subject: XmlElement): Pick<Assertion, 'nameId' | 'nameIdFormat'> {
  const element = onlyChild(subject, ASSERTION, 'NameID');
  const nameId = text(element);
  const nameIdFormat = (element && attribute(element, 'Format')) ?? '';
  if (!nameId || nameId.length > MAX_NAME_ID || nameIdFormat === TRANSIENT) {
    throw new SamlRefusal('saml_name_id_unusable', `the NameID has ${nameId.length} characters and the format ${quote(nameIdFormat)}`);
  }
  return { nameId, nameIdFormat: nameIdFormat.slice(0, MAX_NAME_ID) };
}

function readAttributes(assertion: XmlElement): Map<string, string> {
  const values = new Map<string, string>();
  for (const statement of children(assertion, ASSERTION, 'AttributeStatement')) {
    for (const one of children(statement, ASSERTION, 'Attribute')) {
      const name = attribute(one, 'Name') ?? '';
      const [value] = children(one, ASSERTION, 'AttributeValue');
      if (value && !values.has(name)) values.set(name, text(value));
    }
  }
  return values;
}
