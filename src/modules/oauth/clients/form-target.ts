import { parseUrl } from '../../../shared/validation/index.js';
import { originOf } from './clients.service.js';

/** What a Content-Security-Policy must allow as form-action so that a form may end at the redirect URI: its origin, or its scheme. */
export function formTarget(redirectUri: string): string | null {
  if (!parseUrl(redirectUri)) return null;
  return originOf(redirectUri) ?? new URL(redirectUri).protocol;
}
