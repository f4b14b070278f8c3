import { originOf } from '../clients/clients.service.js';

/** The origins that may frame the sign-in of a client: those of its redirect URIs. */
export function frameAncestors(redirectUris: readonly string[]): string[] {
  const origins = redirectUris.map((uri) => originOf(uri)).filter((origin) => origin !== null);
  return [...new Set(origins)];
}
