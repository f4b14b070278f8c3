import type { Request } from 'express';
import { type Delivered, deviceOf } from '../../statistics/index.js';
import { hostName, refererPage } from '../decision/host-names.js';
import { parsePlay } from '../plays/play-parameter.js';

/** What a visit shows. */
interface Visited {
  readonly link: { readonly id: number; readonly customerId: number; readonly mediaContainerId: number };
  readonly configuration: { readonly id: number };
  /** Whether the visitor is a user of the customer. */
  readonly isOwners?: boolean;
}

/** A request for an embed link as statistics count it. */
export function visitOf({ link, configuration, isOwners = false }: Visited, request: Request): Delivered {
  const play = parsePlay(request.query.play);
  return {
    customerId: link.customerId,
    mediaContainerId: link.mediaContainerId,
    embedLinkId: link.id,
    playerConfigurationId: configuration.id,
    host: play?.by === 'page' ? play.host : embeddingHost(request),
    device: deviceOf(request.headers['user-agent']),
    isOwners,
  };
}

/** The host of the page that embeds what is requested; empty: it is our own page, or not known. */
function embeddingHost({ headers, context }: Request): string {
  const host = refererPage(headers.referer ?? headers.origin ?? null)?.host ?? '';
  return host === hostName(context.host) ? '' : host;
}
