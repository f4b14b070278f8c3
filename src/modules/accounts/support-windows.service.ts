import { Injectable } from '@nestjs/common';
import { type Caller, requireAdminLevel } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { toLanguage } from '../../shared/languages.js';
import { formatDateTime } from '../../shared/web/index.js';
import { AccountsRepository } from './accounts.repository.js';
import { CustomersService } from './customers.service.js';
import { AccountMailsService, type Occasion } from './mails/account-mails.service.js';
import { ADMINISTRATOR_LEVEL } from './user.entity.js';

/** Lets administrators open and close the access of support staff at their account page; each change is mailed to them. */
@Injectable()
export class SupportWindowsService {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountsRepository,
    private readonly customers: CustomersService,
    private readonly mails: AccountMailsService,
  ) {}

  /** @throws DomainError 403 `admin_level_not_sufficient` */
  checkMayChange(caller: Caller): void {
    requireAdminLevel(caller, ADMINISTRATOR_LEVEL, 'change the access of support staff');
  }

  /**
   * Lets support staff act for the users of the customer until then; null: no longer.
   * @throws DomainError 403 `admin_level_not_sufficient`
   */
  async change(caller: Caller, until: Date | null, occasion: Occasion): Promise<void> {
    this.checkMayChange(caller);
    await this.database.transaction(async () => {
      await this.customers.update(caller, { supportAccessUntil: until });
      const language = toLanguage((await this.accounts.findUser(caller.userId))?.language);
      const mail = until
        ? ({ kind: 'support-opened', thing: formatDateTime(until, language) } as const)
        : ({ kind: 'support-closed' } as const);
      await this.mails.send({ ...mail, userId: caller.userId, occasion });
    });
  }
}
