import type { ResponseDocument } from './decode-response.js';
import { SamlRefusal } from './saml.errors.js';
import {
  ASSERTION,
  attribute,
  children,
  descendants,
  isElement,
  onlyChild,
  PROTOCOL,
  SIGNATURE,
  STATUS_SUCCESS,
  text,
  type XmlElement,
} from './xml.js';

/** What a response has to agree with. */
export interface Expectation {
  readonly issuer: string;
  /** Our assertion consumer service. */
  readonly acsUrl: string;
  readonly signedResponse: boolean;
}

/**
 * What can be refused before the signature is checked, so that it is refused by its own name. Answers InResponseTo.
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

/** A person who could not be signed in is told so; nothing is done, so it need not be signed. */
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

/** Foreign text for the log: short, and marked as such. */
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
export function checkAlgorithms(response: XmlElement): void {
  for (const node of descendants(response)) {
    if (!isElement(node) || node.namespaceURI !== SIGNATURE) continue;
    const accepted = ACCEPTED[node.localName];
    const algorithm = attribute(node, 'Algorithm') ?? '';
    if (accepted && !accepted.includes(algorithm)) {
      throw new SamlRefusal('saml_signature_weak', `${node.localName} is ${algorithm.slice(0, 200)}`);
    }
  }
}
