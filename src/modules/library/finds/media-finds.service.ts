import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { MAX_ID, refuseInvalid } from '../../../shared/validation/index.js';
import type { MediaItem } from '../../media/index.js';
import { MediaContainersRepository, MediaItemsRepository, MediaReaderRepository } from '../../media/index.js';
import type { ContainerState } from '../media-container-input.dto.js';
import type { ContainerWithMedia } from '../media-containers.service.js';
import { SendersService } from '../senders.service.js';
import { DropsiteLinks } from './dropsite-links.port.js';
import { decodeCursor, type FindOrdering, type FindPosition } from './find-cursor.js';
import type { MediaFilter } from './media-filter.js';
import { type FacetCount, type FoundPage, MediaFindsRepository } from './media-finds.repository.js';

/** A filter as clients send it. */
export type WantedMedia = Omit<MediaFilter, 'words' | 'dropsiteId' | 'senderIds' | 'state'> & {
  readonly search?: string;
  /** The link of the dropsite. */
  readonly dropsite?: string;
  /** Words of a sender's names and address. */
  readonly sender?: string;
  readonly state?: ContainerState;
};

export interface WantedPage extends FindOrdering {
  readonly limit: number;
  readonly cursor?: string;
}

/** Finds media containers of a customer. */
@Injectable()
export class MediaFindsService {
  constructor(
    private readonly finds: MediaFindsRepository,
    private readonly containers: MediaContainersRepository,
    private readonly items: MediaItemsRepository,
    private readonly media: MediaReaderRepository,
    private readonly dropsites: DropsiteLinks,
    private readonly senders: SendersService,
  ) {}

  /** Finds a page of matching containers. Throws `validation_failed` for a cursor of another find, `insufficient_scope` and `find_too_broad`. */
  async find(caller: Caller, wanted: WantedMedia, { limit, cursor, ...ordering }: WantedPage): Promise<FoundPage> {
    if (ordering.sort === 'relevance' && wanted.search === undefined) {
      refuseInvalid([{ path: 'sort', code: 'not_allowed', message: 'relevance requires search' }]);
    }
    const { customerId } = caller;
    const filter = await this.toFilter(caller, wanted);
    const after = cursor === undefined ? null : await this.readCursor(customerId, cursor, ordering);
    if (!filter || after === 'unknown') return { positions: [], total: 0 };
    return await this.finds.find(customerId, { filter, ordering, limit, after });
  }

  /** Counts the most frequent values of the matching containers. Throws `find_too_broad`. */
  async countFacets(caller: Caller, wanted: WantedMedia): Promise<readonly FacetCount[]> {
    const filter = await this.toFilter(caller, wanted);
    return filter ? await this.finds.countFacets(caller.customerId, filter) : [];
  }

  /** Returns containers with their files, in the order of `ids`; null for those that have been removed. */
  async load({ customerId }: Caller, ids: readonly number[]): Promise<(ContainerWithMedia | null)[]> {
    const containers = new Map((await this.containers.findMany(customerId, ids)).map((container) => [container.id, container]));
    const duplicates = await this.media.findSameContent(customerId, [...containers.keys()]);
    const media = new Map<number, MediaItem[]>(ids.map((id) => [id, []]));
    for (const item of await this.items.findByContainers([...containers.keys()])) media.get(item.mediaContainerId)?.push(item);
    return ids.map((id) => {
      const container = containers.get(id);
      return container ? { container, media: media.get(id) ?? [], duplicateOf: duplicates.get(id) ?? null } : null;
    });
  }

  /** Resolves a filter; null: nothing can match. */
  private async toFilter(
    caller: Caller,
    { search, dropsite, sender, state = 'active', ...filter }: WantedMedia,
  ): Promise<MediaFilter | null> {
    const { customerId } = caller;
    const senderIds = sender === undefined ? undefined : await this.senders.findIds(caller, sender);
    if (senderIds?.length === 0) return null;
    const dropsiteId = dropsite === undefined ? undefined : await this.dropsites.findId(customerId, dropsite);
    if (dropsiteId === null || [filter.id, filter.creatorId].some((id = 0) => Math.abs(id) > MAX_ID)) return null;
    const words = search === undefined ? undefined : await this.finds.findWords(search);
    const extension = filter.extension?.toLowerCase().replace(/^\./, '');
    return { ...filter, extension, dropsiteId, senderIds, words, state };
  }

  /** Reads a cursor. A number is the id of the last container, as in versions whose lists had no order; 0: the first page. */
  private async readCursor(customerId: number, cursor: string, ordering: FindOrdering): Promise<FindPosition | null | 'unknown'> {
    if (!/^\d{1,16}$/.test(cursor)) return decodeCursor(cursor, ordering);
    if (Number(cursor) === 0) return null;
    return Number(cursor) > MAX_ID ? 'unknown' : ((await this.finds.findPosition(customerId, Number(cursor), ordering)) ?? 'unknown');
  }
}
