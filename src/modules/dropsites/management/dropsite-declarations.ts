import { Injectable } from '@nestjs/common';
import { Database } from '../../../shared/database/index.js';
import type { Dropsite } from '../dropsite.entity.js';
import { DropsitesRepository } from '../dropsites.repository.js';
import { DropsiteWriter, type NewDropsite } from './dropsite-writer.js';

/** Dropsites for the administration: found again by their link, else by owner and name. */
@Injectable()
export class DropsiteDeclarations {
  constructor(
    private readonly dropsites: DropsitesRepository,
    private readonly writer: DropsiteWriter,
    private readonly database: Database,
  ) {}

  async find({ link, ownerId, name }: Pick<NewDropsite, 'link' | 'ownerId' | 'name'>): Promise<Dropsite | null> {
    return link === undefined ? await this.dropsites.findByName(ownerId, name) : await this.dropsites.findByLink(link);
  }

  /** Creates or updates it; what is left out stays as it is. One that is found by its link has to be of the same customer. */
  async declare(declaration: NewDropsite): Promise<Dropsite> {
    return await this.database.transaction(async () => {
      const found = await this.find(declaration);
      const { customerId, link: _link, ...changes } = declaration;
      const locked = found && (await this.dropsites.lockForCustomer(customerId, found.id));
      return locked ? await this.writer.update(locked, changes) : await this.writer.create(declaration);
    });
  }
}
