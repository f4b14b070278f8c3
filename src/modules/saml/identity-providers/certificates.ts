import { X509Certificate } from 'node:crypto';

const LEAST_BITS = 2_048; // shorter RSA keys are not safe any more (NIST SP 800-131A)

/** What is wrong with a signing certificate, null if nothing. Its end is not looked at: identity providers go on signing with it. */
export function findCertificateProblem(pem: unknown): string | null {
  if (typeof pem !== 'string') return 'must be a text';
  const certificate = parse(pem);
  if (!certificate)
    return 'must be one X.509 certificate: in PEM (-----BEGIN CERTIFICATE----- …), in metadata the same without its first and last line';
  const { asymmetricKeyType, asymmetricKeyDetails } = certificate.publicKey;
  if (asymmetricKeyType !== 'rsa') return `must have an RSA key, not ${asymmetricKeyType}`;
  const bits = asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < LEAST_BITS ? `must have an RSA key of at least ${LEAST_BITS} bits, not ${bits}` : null;
}

/** PEM as it is stored, with lines of 64 characters. */
export const normalizeCertificate = (pem: string): string => new X509Certificate(pem).toString();

/** PEM of the base64 that stands in metadata. */
export const pemOf = (base64: string): string =>
  `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/\s/g, '').replaceAll(/(.{64})(?=.)/g, '$1\n')}\n-----END CERTIFICATE-----\n`;

function parse(pem: string): X509Certificate | null {
  if ((pem.match(/-----BEGIN/g) ?? []).length !== 1) return null;
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
