import { Injectable } from '@nestjs/common';
import { CachesService, type NotifiedCache } from '../../../shared/caches.service.js';
import type { EmbedLink } from './embed-link.entity.js';
import { EmbedLinksRepository } from './embed-links.repository.js';

/** The number of links that a process caches; each takes less than 1 KiB. */
const MAX_LINKS = 50_000;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** The links that a change affects: one, those of a container, or those of a configuration. */
type ChangedLinks = { readonly link: string } | { readonly mediaContainerId: number } | { readonly playerConfigurationId: number };

/** Caches embed links. Every change must run inside `changing`. */
@Injectable()
export class EmbedLinkCacheService {
  private readonly cache: NotifiedCache<EmbedLink>;

  constructor(links: EmbedLinksRepository, caches: CachesService) {
    this.cache = caches.create({
      channel: 'embed_links_changed',
      load: async (link) => await links.findByLink(link),
      tags: ({ mediaContainerId, playerConfigurationId }) => [
        keyOf({ mediaContainerId }),
        ...(playerConfigurationId === null ? [] : [keyOf({ playerConfigurationId })]),
      ],
      limit: MAX_LINKS,
    });
  }

  /** Finds a link, including deleted ones (flag 1); null: it never existed. */
  async findByLink(link: string): Promise<EmbedLink | null> {
    if (!UUID.test(link)) return null;
    return (await this.cache.get(link.toLowerCase()))?.value ?? null;
  }

  /** Runs a change of links; every process removes them from its cache at the commit. */
  async changing<Result>(links: readonly ChangedLinks[], change: () => Promise<Result>): Promise<Result> {
    return await this.cache.changing(links.map(keyOf), change);
  }
}

function keyOf(links: ChangedLinks): string {
  if ('link' in links) return links.link;
  if ('mediaContainerId' in links) return `container ${links.mediaContainerId}`;
  return `configuration ${links.playerConfigurationId}`;
}
