import type { PlayerSettings, SecuritySettings } from '../../../player-configurations/index.js';
import { hostName } from '../../decision/host-names.js';

/** What a source expression of the Content-Security-Policy can say: no addresses of IPv6, and no star that would mean all. */
const NAME = /^[a-z\d._-]+$/;

/** Node's and others' clients read headers of 16 KiB altogether. */
const MAX_CHARACTERS = 4_096;

interface Settings {
  readonly securitySettings: SecuritySettings | null;
  readonly settings: PlayerSettings | null;
}

/**
 * Which pages may show a link in a frame: those on the hosts of `matchReferer`; without the rule any. So it is with a list that no header
 * holds: the rule itself, which looks at the Referer, still counts.
 */
export function frameAncestors({ securitySettings, settings }: Settings): readonly string[] | 'any' {
  const patterns = securitySettings?.matchReferer ?? settings?.matchReferer;
  if (!patterns) return 'any';
  const sources = patterns.flatMap((pattern) => {
    const wildcard = pattern.startsWith('*.') ? '*.' : '';
    const host = hostName(pattern.slice(wildcard.length));
    return host === null || !NAME.test(host) ? [] : [`https://${wildcard}${host}:*`, `http://${wildcard}${host}:*`];
  });
  return sources.join(' ').length > MAX_CHARACTERS ? 'any' : sources;
}
