import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { Request } from 'express';
import type { Caller } from '../../shared/auth/index.js';
import { Clock } from '../../shared/clock.js';
import type { Config } from '../../shared/config/index.js';
import { LinkUsesService } from '../../shared/counting/index.js';
import { generalErrors } from '../../shared/errors.js';
import { clientIdHeader } from '../../shared/http/index.js';
import { PasswordLoginService } from '../accounts/index.js';
import { uploadErrors } from '../uploads/index.js';
import type { Dropsite } from './dropsite.entity.js';
import { dropsiteErrors } from './dropsites.errors.js';
import { DropsitesRepository } from './dropsites.repository.js';

/** The sender of a request to a dropsite. */
export interface Visitor {
  /** A session of a sender, a user, or null for an anonymous sender. */
  readonly caller: Caller | null;
  /** The header `clientid`. */
  readonly clientId: string | null;
  /** The network for which wrong passwords are counted. */
  readonly network: string;
}

/** The sender of a request. */
export const visitorOf = (request: Request, { headerPrefixes }: Config): Visitor => ({
  caller: request.caller,
  clientId: clientIdHeader(request, headerPrefixes),
  network: request.context.clientNetwork,
});

/** Checks every request that comes through the link of a dropsite. */
@Injectable()
export class DropsiteEntranceService {
  constructor(
    private readonly dropsites: DropsitesRepository,
    private readonly passwords: PasswordLoginService,
    private readonly clock: Clock,
    private readonly uses: LinkUsesService,
  ) {}

  /** The dropsite of a link, even if it has expired. Throws `not_found`, or `client_mismatch` if the header belongs to another dropsite. */
  async find(link: string, { clientId }: Pick<Visitor, 'clientId'>): Promise<Dropsite> {
    const dropsite = isUUID(link) ? await this.dropsites.findByLink(link) : null;
    if (!dropsite) throw generalErrors.not_found('The link does not lead to a dropsite.');
    if (clientId === null || clientId === dropsite.clientId) return dropsite;
    throw uploadErrors.client_mismatch('The header clientid belongs to another dropsite; send the clientId that deliver returns.');
  }

  /** The dropsite of a link, if it has not expired or been deleted; this counts as a use. Throws what `find` throws, and `dropsite_expired`. */
  async findOpen(link: string, visitor: Pick<Visitor, 'clientId'>): Promise<Dropsite> {
    const dropsite = await this.find(link, visitor);
    const hasExpired = dropsite.expiresAt !== null && dropsite.expiresAt <= this.clock.now();
    if (dropsite.endedAt !== null) throw dropsiteErrors.dropsite_expired('This dropsite was closed and accepts no more uploads.');
    if (hasExpired) throw dropsiteErrors.dropsite_expired('This dropsite has expired and accepts no more uploads.');
    this.uses.count('dropsite', dropsite.id);
    return dropsite;
  }

  /** Checks the password of a dropsite. Throws `password_required`, `password_wrong`, or `login_delayed` after many wrong ones. */
  async checkPassword(
    { id, customerId, passwordHash }: Dropsite,
    password: string | undefined,
    { network }: Pick<Visitor, 'network'>,
  ): Promise<void> {
    if (passwordHash === null) return;
    if (!password) throw dropsiteErrors.password_required('This dropsite has a password; send it as password.');
    if (await this.passwords.verifySharedPassword(`dropsite:${id}:${network}`, { passwordHash, password, customerId })) return;
    throw dropsiteErrors.password_wrong('The password of the dropsite is not correct.');
  }
}
