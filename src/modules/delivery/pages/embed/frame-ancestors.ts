import type { PlayerSettings, SecuritySettings } from '../../../player-configurations/index.js';
import { parseHostPattern } from '../../decision/host-names.js';

/** Hosts that a source expression of the Content-Security-Policy can name; IPv6 addresses are not among them (CSP level 3, section 2.3.1). */
const NAME = /^[a-z\d._-]+$/;

/** Node's and others' clients read headers of 16 KiB altogether. */
const MAX_CHARACTERS = 4_096;

interface Settings {
  readonly securitySettings: SecuritySettings | null;
  readonly settings: PlayerSettings | null;
}

/**
 * Which pages may show a link in a frame: those on the hosts of `matchReferer`; without the rule any. A list that no header can hold, or that
 * names an IPv6 address, allows any page here, too: the rule itself, which looks at the Referer, still counts.
 */
export function frameAncestors({ securitySettings, settings }: Settings): readonly string[] | 'any' {
  const patterns = securitySettings?.matchReferer ?? settings?.matchReferer;
  if (!patterns) return 'any';
  const named = patterns.flatMap((pattern) => parseHostPattern(pattern) ?? []);
  if (named.some(({ host }) => host.startsWith('['))) return 'any';
  const sources = named.flatMap(({ isWildcard, host, port }) => {
    const name = `${isWildcard ? '*.' : ''}${host}:${port ?? '*'}`;
    return NAME.test(host) ? [`https://${name}`, `http://${name}`] : [];
  });
  return sources.join(' ').length > MAX_CHARACTERS ? 'any' : sources;
}
