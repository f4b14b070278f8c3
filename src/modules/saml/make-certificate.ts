import { webcrypto } from 'node:crypto';
import { PemConverter, X509CertificateGenerator } from '@peculiar/x509';

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2_048 };
const YEARS = 20; // identity providers keep the certificate by hand; its end would end their logins, and it proves nothing but the key

/** A new RSA key (PKCS #8) and a certificate that it signs itself, both in PEM. `name` is for the person who looks at the certificate. */
export async function makeCertificate(name: string, now: Date): Promise<{ privateKey: string; certificate: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const notAfter = new Date(now);
  notAfter.setUTCFullYear(now.getUTCFullYear() + YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    { name: [{ CN: [name] }], notBefore: new Date(now.getTime() - 86_400_000), notAfter, signingAlgorithm: ALGORITHM, keys },
    webcrypto,
  );
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { privateKey: PemConverter.encode(pkcs8, 'PRIVATE KEY'), certificate: certificate.toString('pem') };
}
