import { X509Certificate } from 'node:crypto';
import { createReadStream } from 'node:fs';
import path from 'node:path';
import { readMetadata } from '../modules/saml/index.js';
import { StartupError } from '../shared/errors.js';
import { type Call, readText, type Work } from './command.js';

/** `admin saml check FILE`: prints what an identity provider's metadata contains, or everything that is wrong with it. `-` reads stdin. */
export async function checkMetadata(call: Call): Promise<Work> {
  const source = call.argument === '-' ? 'stdin' : path.resolve(call.argument);
  const read = readMetadata(await readText(source === 'stdin' ? call.stdin : createReadStream(source), source), new Date());
  if ('problems' in read) throw new StartupError([`${source} cannot be used:`, ...read.problems.map((one) => `  - ${one}`)].join('\n'));
  const { issuer, ssoUrl, certificates } = read.metadata;
  return async () => ({ issuer, ssoUrl, certificates: certificates.map(describe) });
}

/** The properties of a certificate that an administrator compares with the identity provider. */
function describe(pem: string): object {
  const { subject, validTo, fingerprint256 } = new X509Certificate(pem);
  return { subject: subject.replaceAll('\n', ', '), validUntil: new Date(validTo).toISOString(), sha256: fingerprint256 };
}
