import { X509Certificate } from 'node:crypto';
import { utcDayOf } from '../../shared/utc-day.js';
import { parseUrl } from '../../shared/validation/index.js';
import {
  attribute,
  children,
  descendants,
  HTTP_REDIRECT,
  isElement,
  METADATA,
  PROTOCOL,
  parseXml,
  SIGNATURE,
  type XmlElement,
} from './xml.js';

/** The parts of an identity provider's metadata that this service uses. */
export interface IdpMetadata {
  readonly issuer: string;
  readonly ssoUrl: string;
  /** PEM. */
  readonly certificates: readonly string[];
  /** Why other signing certificates are left out, one sentence each. */
  readonly leftOut: readonly string[];
}

/** Either the metadata, or all problems, described for the person who received the file. */
export type ReadMetadata = { readonly metadata: IdpMetadata } | { readonly problems: readonly string[] };

/** Reads SAML 2.0 metadata (saml-metadata-2.0-os). A signature of the file is not checked: the operator is responsible for its origin. */
export function readMetadata(xml: string, now: Date): ReadMetadata {
  const entity = findEntity(xml);
  if ('problem' in entity) return { problems: [entity.problem] };
  const role = findRole(entity.element);
  if ('problem' in role) return { problems: [role.problem] };
  const issuer = (attribute(entity.element, 'entityID') ?? '').trim();
  const sso = findSsoUrl(role.element);
  const keys = findCertificates(role.element, now);
  const validUntil = [entity.element, role.element].flatMap((one) => attribute(one, 'validUntil') ?? []);
  const isOver = validUntil.some((moment) => !(new Date(moment) > now)); // also if it is no date
  const over = isOver ? [`The metadata is no longer valid (validUntil ${validUntil.join(', ')}); ask for the current one.`] : [];
  const problems = [...over, ...(issuer ? [] : ['The EntityDescriptor has no entityID.']), ...sso.problems, ...keys.problems];
  return problems.length > 0
    ? { problems }
    : { metadata: { issuer, ssoUrl: sso.url, certificates: keys.certificates, leftOut: keys.leftOut } };
}

type Found = { readonly element: XmlElement } | { readonly problem: string };

function findEntity(xml: string): Found {
  if (/<!(DOCTYPE|ENTITY)/i.test(xml)) return { problem: 'The file has a DOCTYPE (is it an HTML page?); save the metadata XML itself.' };
  let root: XmlElement;
  try {
    root = parseXml(xml).root;
  } catch (error) {
    return { problem: `The file is not XML: ${(error as Error).message}.` };
  }
  if (root.localName === 'EntityDescriptor' && root.namespaceURI === METADATA) return { element: root };
  const entities = [...descendants(root)].filter(isElement).filter((one) => one.localName === 'EntityDescriptor');
  const [only, ...more] = entities.filter((one) => children(one, METADATA, 'IDPSSODescriptor').length > 0);
  if (!only) return { problem: `The file is not the metadata of an identity provider: its root element is ${root.localName}.` };
  if (more.length > 0)
    return { problem: `The file describes ${more.length + 1} identity providers; keep the EntityDescriptor of yours only.` };
  return { element: only };
}

function findRole(entity: XmlElement): Found {
  const roles = children(entity, METADATA, 'IDPSSODescriptor');
  const role = roles.find((one) => (attribute(one, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(PROTOCOL));
  if (role) return { element: role };
  if (roles.length > 0) return { problem: 'The identity provider does not speak SAML 2.0 (protocolSupportEnumeration).' };
  if (children(entity, METADATA, 'SPSSODescriptor').length > 0) {
    return { problem: 'This is the metadata of a service provider (SPSSODescriptor); ask for the one of the identity provider.' };
  }
  return { problem: 'There is no IDPSSODescriptor, so this describes no identity provider.' };
}

function findSsoUrl(role: XmlElement): { url: string; problems: string[] } {
  const services = children(role, METADATA, 'SingleSignOnService');
  const url = attribute(services.find((one) => attribute(one, 'Binding') === HTTP_REDIRECT) ?? role, 'Location') ?? '';
  if (/^https?:\/\//i.test(url) && parseUrl(url)) return { url, problems: [] };
  if (url) return { url, problems: ['The Location of the SingleSignOnService is not an http or https address.'] };
  const bindings = services.map((one) => (attribute(one, 'Binding') ?? '').replace(/^.*:/, '')).join(', ') || 'none';
  return { url, problems: [`There is no SingleSignOnService with the HTTP-Redirect binding (there is: ${bindings}).`] };
}

/** Finds the signing certificates; keys without `use` are for signing, too (saml-metadata section 2.4.1.1). */
function findCertificates(role: XmlElement, now: Date): { certificates: string[]; leftOut: string[]; problems: string[] } {
  const signing = children(role, METADATA, 'KeyDescriptor').filter((key) => (attribute(key, 'use') ?? 'signing') === 'signing');
  const texts = signing.flatMap((key) =>
    [...descendants(key)].filter(isElement).filter((one) => one.localName === 'X509Certificate' && one.namespaceURI === SIGNATURE),
  );
  const pems = [...new Set(texts.map((one) => pemOf(one.textContent ?? '')))];
  if (pems.length === 0)
    return { certificates: [], leftOut: [], problems: ['There is no signing certificate (KeyDescriptor with X509Certificate).'] };
  const broken = pems.flatMap((pem, index) => {
    const problem = findCertificateProblem(pem);
    return problem ? [`Signing certificate ${index + 1} ${problem}.`] : [];
  });
  const usable = pems.filter((pem) => findCertificateProblem(pem) === null);
  if (usable.length === 0) return { certificates: [], leftOut: [], problems: broken };
  return { certificates: usable.map(normalizeCertificate), leftOut: broken, problems: findExpiry(usable, now) };
}

/** Reports expired certificates only if all of them have expired: a provider that renews its certificate lists the old one for a while. */
function findExpiry(pems: readonly string[], now: Date): string[] {
  const ends = pems.map((pem) => new Date(new X509Certificate(pem).validTo));
  if (ends.some((end) => end > now)) return [];
  const last = utcDayOf(new Date(Math.max(...ends.map((end) => end.getTime()))));
  return [`Every signing certificate has expired (the last one on ${last}); ask for the current metadata.`];
}

const MIN_KEY_BITS = 2_048; // shorter RSA keys are no longer considered safe (NIST SP 800-131A)

/** The problem of a signing certificate, or null. Its expiry is ignored, because identity providers keep signing with expired ones. */
export function findCertificateProblem(pem: unknown): string | null {
  if (typeof pem !== 'string') return 'must be a string';
  const certificate = parse(pem);
  if (!certificate)
    return 'must be one X.509 certificate: in PEM (-----BEGIN CERTIFICATE----- …), in metadata the same without its first and last line';
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa') return `must have an RSA key, not ${asymmetricKeyType}`;
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < MIN_KEY_BITS ? `must have an RSA key of at least ${MIN_KEY_BITS} bits, not ${bits}` : null;
}

/** Converts a certificate to the stored form: PEM with lines of 64 characters. */
export const normalizeCertificate = (pem: string): string => new X509Certificate(pem).toString();

/** Converts the base64 text in metadata to PEM. */
const pemOf = (base64: string): string =>
  `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/\s/g, '').replaceAll(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;

function parse(pem: string): X509Certificate | null {
  if ((pem.match(/-----BEGIN/g) ?? []).length !== 1) return null;
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
