import { Injectable } from '@nestjs/common';
import { Caches, type NotifiedCache } from '../../../shared/cache/index.js';
import type { EmbedLink } from './embed-link.entity.js';
import { EmbedLinksRepository } from './embed-links.repository.js';

/** What a process remembers; one is less than a KiB. */
const REMEMBERED_LINKS = 50_000;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Which links to forget: one, those of a container, or those of a configuration. */
export type ForgottenLinks = { readonly link: string } | { readonly mediaContainerId: number } | { readonly playerConfigurationId: number };

/** Embed links for those who deliver them, from memory. Who changes some tells by `changing`. */
@Injectable()
export class EmbedLinkReader {
  private readonly cache: NotifiedCache<EmbedLink>;

  constructor(links: EmbedLinksRepository, caches: Caches) {
    this.cache = caches.create({
      channel: 'embed_links_changed',
      load: async (link) => await links.findByLink(link),
      tags: ({ mediaContainerId, playerConfigurationId }) => [
        nameOf({ mediaContainerId }),
        ...(playerConfigurationId === null ? [] : [nameOf({ playerConfigurationId })]),
      ],
      limit: REMEMBERED_LINKS,
    });
  }

  /** Also a link that is deleted (flag 1); null: there never was one. */
  async findByLink(link: string): Promise<EmbedLink | null> {
    if (!UUID.test(link)) return null;
    return (await this.cache.get(link.toLowerCase()))?.value ?? null;
  }

  /** Runs a change of links; every process forgets them at its commit. */
  async changing<Result>(links: readonly ForgottenLinks[], change: () => Promise<Result>): Promise<Result> {
    return await this.cache.changing(links.map(nameOf), change);
  }
}

function nameOf(links: ForgottenLinks): string {
  if ('link' in links) return links.link;
  if ('mediaContainerId' in links) return `container ${links.mediaContainerId}`;
  return `configuration ${links.playerConfigurationId}`;
}
