import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { type ContainerForDelivery, MediaReaderRepository } from '../../media/index.js';
import { type CurrentRules, CurrentRulesService } from '../../player-configurations/index.js';

/** A link, its rules and its media as they are in the database now. */
export type DeliveryState = CurrentRules & ContainerForDelivery;

/**
 * Reads everything that determines the answer to a request for a link. Concurrent requests share the statements: a film is requested in segments, by
 * many viewers at a time.
 */
@Injectable()
export class DeliveryStatesService {
  /** Reads the state of a link by its address; null: the link does not exist. */
  readonly find: (address: string) => Promise<DeliveryState | null>;

  constructor(
    database: Database,
    private readonly rules: CurrentRulesService,
    private readonly media: MediaReaderRepository,
  ) {
    this.find = database.batched(String, async (addresses) => await this.findAll(addresses));
  }

  private async findAll(addresses: readonly string[]): Promise<Map<string, DeliveryState>> {
    const rules = await this.rules.find(addresses);
    const containerIds = new Set([...rules.values()].map(({ link }) => link.mediaContainerId));
    const found = new Map((await this.media.findForDelivery([...containerIds])).map((one) => [one.container.id, one]));
    return new Map(
      [...rules].flatMap(([address, current]): [string, DeliveryState][] => {
        const media = found.get(current.link.mediaContainerId);
        return media ? [[address, { ...current, ...media }]] : [];
      }),
    );
  }
}
