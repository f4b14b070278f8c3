import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { generalErrors } from '../../shared/errors/index.js';
import { Clock } from '../../shared/time/index.js';
import { PasswordLoginService } from '../accounts/index.js';
import { uploadErrors } from '../uploads/index.js';
import type { Dropsite } from './dropsite.entity.js';
import { dropsiteErrors } from './dropsites.errors.js';
import { DropsitesRepository } from './dropsites.repository.js';
import type { Visitor } from './visitor.js';

/** What has to hold for everybody who comes by a dropsite's link. */
@Injectable()
export class DropsiteEntrance {
  constructor(
    private readonly dropsites: DropsitesRepository,
    private readonly passwords: PasswordLoginService,
    private readonly clock: Clock,
  ) {}

  /** The dropsite of a link, also an expired one. Throws `not_found`, or `client_mismatch` for the header of another dropsite. */
  async find(link: string, { clientId }: Pick<Visitor, 'clientId'>): Promise<Dropsite> {
    const dropsite = isUUID(link) ? await this.dropsites.findByLink(link) : null;
    if (!dropsite) throw generalErrors.not_found('There is no dropsite under this link.');
    if (clientId === null || clientId === dropsite.clientId) return dropsite;
    throw uploadErrors.client_mismatch('The header clientid is that of another dropsite; send the clientId that deliver answers.');
  }

  /** The dropsite of a link that takes something new. Throws `dropsite_expired` too. */
  async enter(link: string, visitor: Pick<Visitor, 'clientId'>): Promise<Dropsite> {
    const dropsite = await this.find(link, visitor);
    if (dropsite.expiresAt === null || dropsite.expiresAt > this.clock.now()) return dropsite;
    throw dropsiteErrors.dropsite_expired('This dropsite has expired and takes nothing new.');
  }

  /** Throws `password_required`, `password_wrong`, or `login_delayed` after many wrong ones. */
  async checkPassword({ id, passwordHash }: Dropsite, password: string | undefined, { network }: Pick<Visitor, 'network'>): Promise<void> {
    if (passwordHash === null) return;
    if (!password) throw dropsiteErrors.password_required('This dropsite has a password; send it as password.');
    if (await this.passwords.verifySharedPassword(`dropsite:${id}:${network}`, { passwordHash, password })) return;
    throw dropsiteErrors.password_wrong('The password is not that of this dropsite.');
  }
}
