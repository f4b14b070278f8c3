import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../shared/auth/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { invalidInput } from '../../../shared/validation/index.js';
import type { MediaType } from '../../formats/index.js';
import { type DeliverableContainer, MediaReader } from '../../media/index.js';
import type { EmbedLink } from './embed-link.entity.js';
import { EmbedLinkMaker, type MadeEmbedLink, unknownContainer } from './embed-link-maker.js';
import { EmbedLinkReader } from './embed-link-reader.js';
import { EmbedLinksRepository, type NewEmbedLink } from './embed-links.repository.js';

/** The links of a container behind `after`. */
export interface EmbedLinkPage {
  readonly mediaContainerId: number;
  readonly after: number;
  readonly limit: number;
}

export type WantedEmbedLink = Omit<NewEmbedLink, 'customerId' | 'creatorId' | 'type'>;

/** Embed links: media containers as viewers see them, by the rules of player configurations. */
@Injectable()
export class EmbedLinks {
  constructor(
    private readonly links: EmbedLinksRepository,
    private readonly reader: EmbedLinkReader,
    private readonly maker: EmbedLinkMaker,
    private readonly media: MediaReader,
  ) {}

  /** How many links (flag 0 and 10) use each of the configurations; none: no entry. */
  async countByPlayerConfiguration(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return await this.links.countByPlayerConfiguration(ids);
  }

  /** Links that are not deleted. Throws `not_found` for the container. */
  async list(caller: Caller, { mediaContainerId, ...page }: EmbedLinkPage): Promise<EmbedLink[]> {
    await this.getContainer(caller, mediaContainerId);
    return await this.links.listOfContainer(mediaContainerId, page);
  }

  /** Throws `not_found` for the container, and `validation_failed` when it or the configuration does not fit. */
  async create(caller: Caller, wanted: WantedEmbedLink): Promise<MadeEmbedLink> {
    const type = typeForLinks(await this.getContainer(caller, wanted.mediaContainerId));
    return await this.maker.make({ ...wanted, type, customerId: caller.customerId, creatorId: caller.userId });
  }

  /** Its address answers that it is gone from then on; one that was deleted stays as it is. Throws `not_found`. */
  async delete(caller: Caller, id: number): Promise<EmbedLink> {
    const found = await this.links.findForCustomer(caller.customerId, id);
    if (!found) throw unknownLink(id);
    return await this.reader.changing([{ link: found.link }], async () => {
      const deleted = await this.links.setDeleted(id);
      if (!deleted) throw unknownLink(id);
      return deleted;
    });
  }

  private async getContainer(caller: Caller, id: number): Promise<DeliverableContainer> {
    const container = await this.media.findContainer(caller.customerId, id);
    if (!container) throw unknownContainer(id);
    return container;
  }
}

const unknownLink = (id: number) => generalErrors.not_found(`There is no embed link ${id}.`);

/** The type of a container that may have links. */
function typeForLinks({ id, type, flag }: DeliverableContainer): MediaType {
  const refused = (code: string, message: string) => invalidInput({ path: 'mediaContainerId', code, message });
  if (type === 'watermark' || flag === 33) throw refused('is_watermark', `the media container ${id} is a watermark`);
  if (flag === 1) throw refused('in_trash', `the media container ${id} is in the trash`);
  return type;
}
