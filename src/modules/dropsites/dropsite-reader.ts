import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { Dropsite } from './dropsite.entity.js';
import { DropsitesRepository } from './dropsites.repository.js';

/** Dropsites for other modules. */
@Injectable()
export class DropsiteReader {
  constructor(private readonly dropsites: DropsitesRepository) {}

  /** The one of this link, if it belongs to this user. */
  async findOfOwner(ownerId: number, link: string): Promise<Pick<Dropsite, 'id' | 'link' | 'name'> | null> {
    const found = isUUID(link) ? await this.dropsites.findByLink(link) : null;
    return found?.ownerId === ownerId ? found : null;
  }
}
