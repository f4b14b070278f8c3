import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import { AccountMailsService, type Occasion } from '../mails/account-mails.service.js';
import type { User } from '../user.entity.js';

/** What happens to the second factors of a person, as the mail about it is called, and the action of the audit record. */
const ACTIONS = {
  'authenticator-added': 'user.add_authenticator',
  'authenticator-removed': 'user.remove_authenticator',
  'passkey-added': 'user.add_passkey',
  'passkey-removed': 'user.remove_passkey',
  'passkey-renamed': 'user.rename_passkey',
  'recovery-codes-created': 'user.create_recovery_codes',
  'recovery-code-used': 'user.use_recovery_code',
  'second-factor-reset': 'user.reset_second_factor',
  'wrong-second-factor': 'user.fail_second_factor',
} as const;

export type SecondFactorChange = keyof typeof ACTIONS;

/** Records changes to second factors, and mails them to the person. Call it in the transaction of the change. */
@Injectable()
export class SecondFactorChangesService {
  constructor(
    private readonly audit: AuditService,
    private readonly mails: AccountMailsService,
  ) {}

  /** `thing`: the name of the passkey that changed; `bound`: the id of the factor that was added, which a denial removes. */
  async record(
    change: SecondFactorChange,
    { id, customerId }: Pick<User, 'id' | 'customerId'>,
    { occasion, thing, bound }: { readonly occasion: Occasion; readonly thing?: string; readonly bound?: number },
  ): Promise<void> {
    await this.audit.record({ action: ACTIONS[change], actor: `user:${id}`, subject: `user:${id}`, customerId });
    const details = { ...(thing !== undefined && { thing }), ...(bound !== undefined && { secondFactorId: bound }) };
    await this.mails.send({ kind: change, userId: id, occasion, ...details });
  }
}
