import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import { FormatReaderService, type VisibleFormats } from '../../formats/index.js';
import { type ContainerForDelivery, MediaReaderRepository } from '../../media/index.js';
import { type CurrentRules, CurrentRulesService } from '../../player-configurations/index.js';

/** A link, its rules, its media and the formats of its customer as they are in the database now. */
export type DeliveryState = CurrentRules & ContainerForDelivery & { readonly visible: VisibleFormats };

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
    private readonly formats: FormatReaderService,
  ) {
    this.find = database.batched(String, async (addresses) => await this.findAll(addresses));
  }

  private async findAll(addresses: readonly string[]): Promise<Map<string, DeliveryState>> {
    const rules = await this.rules.find(addresses);
    const links = [...rules.values()].map(({ link }) => link);
    const [media, visible] = await Promise.all([
      this.findMedia(new Set(links.map(({ mediaContainerId }) => mediaContainerId))),
      this.findFormats(new Set(links.map(({ customerId }) => customerId))),
    ]);
    return new Map(
      [...rules].flatMap(([address, current]): [string, DeliveryState][] => {
        const [found, formats] = [media.get(current.link.mediaContainerId), visible.get(current.link.customerId)];
        return found && formats ? [[address, { ...current, ...found, visible: formats }]] : [];
      }),
    );
  }

  private async findMedia(containerIds: ReadonlySet<number>): Promise<ReadonlyMap<number, ContainerForDelivery>> {
    return new Map((await this.media.findForDelivery([...containerIds])).map((one) => [one.container.id, one]));
  }

  private async findFormats(customerIds: ReadonlySet<number>): Promise<ReadonlyMap<number, VisibleFormats>> {
    return new Map(await Promise.all([...customerIds].map(async (id) => [id, await this.formats.visibleTo(id)] as const)));
  }
}
