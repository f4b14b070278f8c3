import { SamlRefusal } from '../saml-refusal.js';
import { attribute, descendants, isElement, type XmlElement } from '../xml/dom.js';
import { SIGNATURE } from '../xml/namespaces.js';

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
