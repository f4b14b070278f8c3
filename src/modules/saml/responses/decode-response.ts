import { SamlRefusal } from '../saml-refusal.js';

const MAX_BYTES = 262_144; // a response with some hundred group memberships has 100 KiB; more only costs time before the signature is known
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * The XML of a SAMLResponse form field. A document type declaration (SAML core section 6.1 does without) could change what the rest says.
 * @throws SamlRefusal `saml_response_missing`, `saml_response_too_large`, `saml_response_malformed`, `saml_doctype_refused`
 */
export function decodeResponse(field: unknown): string {
  if (field === undefined || field === '') throw new SamlRefusal('saml_response_missing', 'the form has no SAMLResponse');
  if (typeof field !== 'string') throw new SamlRefusal('saml_response_malformed', 'SAMLResponse was sent more than once');
  if (field.length > (MAX_BYTES * 4) / 3) throw new SamlRefusal('saml_response_too_large', `SAMLResponse has ${field.length} characters`);
  const base64 = field.replaceAll(/\s/g, '');
  if (!BASE64.test(base64)) throw new SamlRefusal('saml_response_malformed', 'SAMLResponse is not base64');
  const xml = decodeUtf8(Buffer.from(base64, 'base64'));
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) throw new SamlRefusal('saml_doctype_refused', 'the document has a DOCTYPE');
  return xml;
}

function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SamlRefusal('saml_response_malformed', 'SAMLResponse is not UTF-8');
  }
}
