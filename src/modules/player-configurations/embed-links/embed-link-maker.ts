import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors/index.js';
import { invalidInput } from '../../../shared/validation/index.js';
import { PlayerConfigurationsRepository } from '../player-configurations.repository.js';
import type { EmbedLink } from './embed-link.entity.js';
import { EmbedLinksRepository, type NewEmbedLink } from './embed-links.repository.js';

/** A link, and whether it was made just now. */
export interface MadeEmbedLink {
  readonly link: EmbedLink;
  readonly created: boolean;
}

const CONTAINER_KEY = 'embed_links_media_container_id_fkey';

/** Makes embed links: one for each container and configuration, however many ask at once, and none with a configuration that goes away. */
@Injectable()
export class EmbedLinkMaker {
  constructor(
    private readonly links: EmbedLinksRepository,
    private readonly configurations: PlayerConfigurationsRepository,
    private readonly database: Database,
  ) {}

  /**
   * The link of the pair, made unless there is one; with `deletedCounts` one that was deleted is as good. Throws `validation_failed` for a
   * configuration that does not exist or is for another type, and `not_found` when the container is gone.
   */
  async make(wanted: NewEmbedLink, { deletedCounts = false } = {}): Promise<MadeEmbedLink> {
    try {
      return await this.database.transaction(async () => {
        await this.links.lockPair(wanted);
        await this.keepConfiguration(wanted);
        const existing = await this.links.findOfPair(wanted, { deleted: deletedCounts });
        return existing ? { link: existing, created: false } : { link: await this.links.insert(wanted), created: true };
      });
    } catch (error) {
      if (brokenKeyOf(error) === CONTAINER_KEY) throw unknownContainer(wanted.mediaContainerId);
      throw error;
    }
  }

  private async keepConfiguration({ customerId, playerConfigurationId: id, type }: NewEmbedLink): Promise<void> {
    const configuration = await this.configurations.keep(customerId, id);
    const path = 'playerConfigurationId';
    if (!configuration) throw invalidInput({ path, code: 'not_found', message: `there is no player configuration ${id}` });
    if (configuration.type === type) return;
    throw invalidInput({ path, code: 'type_mismatch', message: `the player configuration ${id} is not for ${type}` });
  }
}

export const unknownContainer = (id: number) => generalErrors.not_found(`There is no media container ${id}.`);

/** The foreign key that an error of TypeORM speaks of. */
const brokenKeyOf = (error: unknown): unknown => (error as { driverError?: { constraint?: unknown } } | null)?.driverError?.constraint;
