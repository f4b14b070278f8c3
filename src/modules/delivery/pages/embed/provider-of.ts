import { parseUrl } from '../../../../shared/validation/index.js';
import type { PlayerSettings } from '../../../player-configurations/index.js';

/** Who offers the media. */
export interface Provider {
  readonly name: string;
  readonly url: string | null;
}

/** What the configuration says of the provider, in the new spelling or the deprecated one; else the account. */
export function providerOf(settings: PlayerSettings | null, accountName: string): Provider {
  const { providerName, providerUrl, customer } = settings ?? {};
  return { name: providerName || customer?.name || accountName, url: webAddress(providerUrl || customer?.url || '') };
}

/** A host as people write it is meant with https; what is no address of a web site becomes no link. */
function webAddress(text: string): string | null {
  const address = /^https?:\/\//i.test(text) ? text : `https://${text}`;
  return text !== '' && !/\s/.test(text) ? (parseUrl(address)?.href ?? null) : null;
}
