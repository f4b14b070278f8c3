import { parseUrl } from '../../../../shared/validation/index.js';
import { hostName } from '../../decision/host-names.js';

const PATH = /^\/v5\/deliverEmbed\/([\da-f-]{36})\/?$/i;

/** The address of a link's page, taken apart. */
export interface LinkUrl {
  readonly link: string;
  readonly origin: string;
  /** In the form in which hosts compare. */
  readonly host: string;
}

/** Null: it is not the address of a page like ours. */
export function parseLinkUrl(text: string): LinkUrl | null {
  const url = parseUrl(text);
  if (!url) return null;
  const { protocol, host, origin, pathname } = url;
  const [, link] = PATH.exec(pathname) ?? [];
  const name = hostName(host);
  return link && name && /^https?:$/.test(protocol) ? { link, origin, host: name } : null;
}
