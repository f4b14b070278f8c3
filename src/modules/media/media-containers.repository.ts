import { Injectable } from '@nestjs/common';
import { And, Equal, In, MoreThan } from 'typeorm';
import { Database } from '../../shared/database/index.js';
import { MAX_ID } from '../../shared/validation/index.js';
import type { ContainerState } from './find-media-containers.dto.js';
import { type ContainerFlag, MediaContainer } from './media-container.entity.js';
import { MediaItem } from './media-item.entity.js';

/** Which flags a state has. */
const FLAGS: Readonly<Record<ContainerState, readonly ContainerFlag[]>> = { active: [0, 33], trash: [1], all: [0, 1, 33] };

/** Which containers: those of a state behind `after`, of them only `id` if it is given. */
export interface ContainerPage {
  readonly id?: number;
  readonly state: ContainerState;
  readonly after: number;
  readonly limit: number;
}

/** Every query on media containers for those who look at them. */
@Injectable()
export class MediaContainersRepository {
  constructor(private readonly database: Database) {}

  /** Not one that is being removed for good. */
  async findForCustomer(customerId: number, id: number): Promise<MediaContainer | null> {
    return await this.database.repository(MediaContainer).findOneBy({ id, customerId, doomed: false });
  }

  /** The same, held until the transaction ends, so that changes at the same time do not take each other back. */
  async lockForCustomer(customerId: number, id: number): Promise<MediaContainer | null> {
    return await this.database
      .repository(MediaContainer)
      .findOne({ where: { id, customerId, doomed: false }, lock: { mode: 'pessimistic_write' } });
  }

  async save(container: MediaContainer): Promise<MediaContainer> {
    await this.database.repository(MediaContainer).save({ ...container });
    return await this.database.repository(MediaContainer).findOneByOrFail({ id: container.id }); // with what the database filled in
  }

  /** A page in the order of their ids, without what is being removed for good. */
  async list(customerId: number, { id, state, after, limit }: ContainerPage): Promise<MediaContainer[]> {
    if (Math.max(after, Math.abs(id ?? 0)) > MAX_ID) return [];
    const ids = id === undefined ? MoreThan(after) : And(Equal(id), MoreThan(after));
    const where = { customerId, id: ids, flag: In(FLAGS[state]), doomed: false };
    return await this.database.repository(MediaContainer).find({ where, order: { id: 'ASC' }, take: limit });
  }

  /** The media items of the containers, in the order of their ids. */
  async itemsOf(containerIds: readonly number[]): Promise<MediaItem[]> {
    return await this.database.repository(MediaItem).find({ where: { mediaContainerId: In([...containerIds]) }, order: { id: 'ASC' } });
  }
}
