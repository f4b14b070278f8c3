import { quote } from './check-response.js';
import { SamlRefusal } from './saml.errors.js';
import { ASSERTION, attribute, BEARER, children, onlyChild, parseXml, TRANSIENT, text, type XmlElement } from './xml.js';

const MAX_NAME_ID = 512; // it stands in an index; SAML core section 8.3.7 allows 256 for a persistent one
const SKEW_MS = 5_000;

/** What a genuine assertion says. */
export interface Assertion {
  readonly id: string;
  /** From then on it is not accepted anyway. */
  readonly expiresAt: Date;
  readonly nameId: string;
  /** Empty when the identity provider names none. */
  readonly nameIdFormat: string;
  /** The first value of each attribute by its name. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** Whom the assertion has to be from and for, and when. */
export interface AssertionExpectation {
  readonly issuer: string;
  readonly acsUrl: string;
  readonly requestId: string;
  readonly now: Date;
}

/**
 * Reads the signed bytes of an assertion, and nothing else of the response.
 * @throws SamlRefusal `saml_issuer_mismatch`, `saml_recipient_mismatch`, `saml_request_mismatch`, `saml_assertion_expired`, `saml_name_id_unusable`
 */
export function readAssertion(signedXml: string, expected: AssertionExpectation): Assertion {
  const { root } = parseXml(signedXml);
  const issuer = text(onlyChild(root, ASSERTION, 'Issuer'));
  if (issuer !== expected.issuer) throw new SamlRefusal('saml_issuer_mismatch', `the issuer of the assertion is ${quote(issuer)}`);
  const subject = onlyChild(root, ASSERTION, 'Subject');
  const id = attribute(root, 'ID');
  if (!subject || !id) throw new SamlRefusal('saml_response_malformed', 'the assertion has no ID or no Subject');
  return { id, expiresAt: checkConfirmation(subject, expected), ...readNameId(subject), attributes: readAttributes(root) };
}

/** The bearer confirmation (SAML profiles section 4.1.4.2): for us, in answer to our request, and for a limited time. */
function checkConfirmation(subject: XmlElement, { acsUrl, requestId, now }: AssertionExpectation): Date {
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
  const last = Math.max(...ends) + SKEW_MS;
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
