import { Injectable } from '@nestjs/common';
import type { Caller } from '../../shared/auth/index.js';
import { generalErrors } from '../../shared/errors/index.js';
import type { MediaContainer } from './media-container.entity.js';
import { type ContainerPage, MediaContainersRepository } from './media-containers.repository.js';
import type { MediaItem } from './media-item.entity.js';

/** A container with its files. */
export interface ContainerWithMedia {
  readonly container: MediaContainer;
  readonly media: readonly MediaItem[];
}

@Injectable()
export class MediaContainersService {
  constructor(private readonly containers: MediaContainersRepository) {}

  /** A container of the caller's customer, also one in the trash. Throws `not_found`. */
  async get(caller: Caller, id: number): Promise<ContainerWithMedia> {
    const container = await this.containers.findForCustomer(caller.customerId, id);
    if (!container) throw generalErrors.not_found(`There is no media container ${id}.`);
    return { container, media: await this.containers.itemsOf([id]) };
  }

  /** A page of the customer's containers that are not in the trash, or the one of this id. */
  async list(caller: Caller, page: ContainerPage): Promise<ContainerWithMedia[]> {
    const containers = await this.containers.list(caller.customerId, page);
    const media = await this.containers.itemsOf(containers.map(({ id }) => id));
    return containers.map((container) => ({ container, media: media.filter(({ mediaContainerId }) => mediaContainerId === container.id) }));
  }
}
