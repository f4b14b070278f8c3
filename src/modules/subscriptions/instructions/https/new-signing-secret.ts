import { randomBytes } from 'node:crypto';

const BYTES = 32; // as many as HMAC-SHA256 makes use of; Standard Webhooks ask for 24 to 64

/** A secret that receivers check signatures with, as Standard Webhooks write it: `whsec_` and the key in base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(BYTES).toString('base64')}`;
