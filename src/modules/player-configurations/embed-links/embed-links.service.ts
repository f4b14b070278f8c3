import { Injectable } from '@nestjs/common';
import { AuditService, type RecordChange } from '../../../shared/audit/audit.service.js';
import type { Caller } from '../../../shared/auth/index.js';
import { Clock } from '../../../shared/clock.js';
import { Database, type Portion } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { requireMatch } from '../../../shared/http/index.js';
import { invalidInput } from '../../../shared/validation/index.js';
import { type DeliverableContainer, IN_TRASH, MediaReaderRepository, type MediaType } from '../../media/index.js';
import { PlayerConfigurationsRepository } from '../player-configurations.repository.js';
import { PlayerConfigurationsService } from '../player-configurations.service.js';
import { type EmbedLink, LINK_DELETED } from './embed-link.entity.js';
import { type EmbedLinkFilter, EmbedLinksRepository, type NewEmbedLink } from './embed-links.repository.js';

/** The links of a container with an id greater than `after`. */
interface EmbedLinkPage extends Portion {
  readonly mediaContainerId: number;
}

/** Without `playerConfigurationId` it gets the default configuration of its type. */
export type WantedEmbedLink = Omit<NewEmbedLink, 'customerId' | 'creatorId' | 'type' | 'playerConfigurationId'> &
  Partial<Pick<NewEmbedLink, 'playerConfigurationId'>>;

/** A link, and whether the call created it. */
interface CreatedEmbedLink {
  readonly link: EmbedLink;
  readonly created: boolean;
}

const CONTAINER_KEY = 'embed_links_media_container_id_fkey';

/** Embed links: media containers as viewers see them, by the rules of player configurations. */
@Injectable()
export class EmbedLinksService {
  constructor(
    private readonly links: EmbedLinksRepository,
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly defaults: PlayerConfigurationsService,
    private readonly media: MediaReaderRepository,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly audit: AuditService,
  ) {}

  /** The number of links with flag 0 or 10 by configuration; configurations without links are omitted. */
  async countByPlayerConfiguration(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    return await this.links.countByPlayerConfiguration(ids);
  }

  /** Lists the links of a container that are not deleted. Throws `not_found` for the container. */
  async list(caller: Caller, { mediaContainerId, ...page }: EmbedLinkPage): Promise<EmbedLink[]> {
    await this.getContainer(caller, mediaContainerId);
    return await this.links.listOfContainer(mediaContainerId, page);
  }

  /** Lists the customer's links, the newest first; ended ones include those that were deleted in the last 90 days. */
  async listAll({ customerId }: Caller, filter: EmbedLinkFilter): Promise<EmbedLink[]> {
    return await this.links.listForCustomer(customerId, filter, this.clock.now());
  }

  /** Creates a link. Throws `not_found` for the container, and `validation_failed` if the container or the configuration is not suitable. */
  async create(caller: Caller, wanted: WantedEmbedLink): Promise<CreatedEmbedLink> {
    const type = typeForLinks(await this.getContainer(caller, wanted.mediaContainerId));
    const { customerId, userId: creatorId } = caller;
    return await this.database.transaction(async () => {
      const playerConfigurationId = wanted.playerConfigurationId ?? (await this.defaults.requireDefault(caller, type));
      const link = { ...wanted, playerConfigurationId, type, customerId, creatorId };
      return await this.findOrCreate(link, { record: this.audit.recorderOf(caller) });
    });
  }

  /**
   * Returns the link of a container and a configuration, and creates it if it does not exist: only one, however many concurrent calls there are; `record`
   * notes that in the audit trail. With `deletedCounts` a deleted link is returned instead of creating one. Throws `validation_failed` for a configuration that does not exist or is for
   * another type, and `not_found` if the container no longer exists.
   */
  async findOrCreate(
    wanted: NewEmbedLink,
    { record, deletedCounts = false }: { readonly record: RecordChange; readonly deletedCounts?: boolean },
  ): Promise<CreatedEmbedLink> {
    try {
      return await this.database.transaction(async () => {
        await this.links.lockPair(wanted);
        await this.lockConfiguration(wanted);
        const existing = await this.links.findOfPair(wanted, { deleted: deletedCounts });
        if (existing) return { link: existing, created: false };
        const link = await this.links.insert(wanted);
        await record('embed_link.create', `embed_link:${link.id}`, link.customerId);
        return { link, created: true };
      });
    } catch (error) {
      if (brokenKeyOf(error) === CONTAINER_KEY) throw unknownContainer(wanted.mediaContainerId);
      throw error;
    }
  }

  /** Deletes a link; its address then answers 410. A link that was deleted before is unchanged. Throws `not_found`, `precondition_failed`. */
  async delete(caller: Caller, id: number, ifMatch?: string): Promise<EmbedLink> {
    return await this.database.transaction(async () => {
      const locked = await this.links.lockForCustomer(caller.customerId, id);
      if (!locked) throw unknownLink(id);
      requireMatch(ifMatch, locked, `embed link ${id}`);
      const deleted = await this.links.markDeleted(id, { endedAt: this.clock.now(), endedBy: caller.userId });
      if (!deleted) throw unknownLink(id);
      if (locked.flag !== LINK_DELETED) await this.audit.note(caller, { action: 'embed_link.delete', subject: `embed_link:${id}` });
      return deleted;
    });
  }

  private async getContainer(caller: Caller, id: number): Promise<DeliverableContainer> {
    const container = await this.media.findContainer(caller.customerId, id);
    if (!container) throw unknownContainer(id);
    return container;
  }

  /** Locks the configuration against destruction until the transaction ends. */
  private async lockConfiguration({ customerId, playerConfigurationId: id, type }: NewEmbedLink): Promise<void> {
    const configuration = await this.configurations.lockForLink(customerId, id);
    const path = 'playerConfigurationId';
    if (!configuration) throw invalidInput({ path, code: 'not_found', message: `there is no player configuration ${id}` });
    if (configuration.type === type) return;
    throw invalidInput({ path, code: 'type_mismatch', message: `the player configuration ${id} is not for media of type ${type}` });
  }
}

/** The type of a container; throws if it may not have links. */
function typeForLinks({ id, type, flag }: DeliverableContainer): MediaType {
  const refused = (code: string, message: string) => invalidInput({ path: 'mediaContainerId', code, message });
  if (type === 'watermark' || flag === 33) throw refused('is_watermark', `the media container ${id} is a watermark`);
  if (flag === IN_TRASH) throw refused('in_trash', `the media container ${id} is in the trash`);
  return type;
}

const unknownLink = (id: number) => generalErrors.not_found(`There is no embed link ${id}.`);

const unknownContainer = (id: number) => generalErrors.not_found(`There is no media container ${id}.`);

/** The name of the foreign key that an error of TypeORM reports as violated. */
const brokenKeyOf = (error: unknown): unknown => (error as { driverError?: { constraint?: unknown } } | null)?.driverError?.constraint;
