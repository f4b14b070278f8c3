import { Injectable } from '@nestjs/common';
import { AuditService } from '../../../shared/audit/audit.service.js';
import { Database } from '../../../shared/database/index.js';
import { toLanguage } from '../../../shared/languages.js';
import { describeUserAgent } from '../../../shared/web/index.js';
import { AuthorizationsService } from '../../access/index.js';
import { type AccountMail, AccountMailsService, type Occasion, SignIns, type User } from '../../accounts/index.js';
import { ClientsService } from '../clients/clients.service.js';
import { SessionsService } from '../sessions/sessions.service.js';

/** Ends the sessions of a person and the access of applications at the person's request; each change leaves an audit record and a mail. */
@Injectable()
export class AccountAccessService {
  constructor(
    private readonly database: Database,
    private readonly sessions: SessionsService,
    private readonly signIns: SignIns,
    private readonly authorizations: AuthorizationsService,
    private readonly clients: ClientsService,
    private readonly mails: AccountMailsService,
    private readonly audit: AuditService,
  ) {}

  /** Signs one browser out; a session that has ended meanwhile changes nothing. */
  async endSession(user: User, sessionId: string, occasion: Occasion): Promise<void> {
    await this.database.transaction(async () => {
      const session = (await this.sessions.list(user.id)).find(({ id }) => id === sessionId);
      if (!session || !(await this.sessions.end(user.id, sessionId))) return;
      const thing = describeUserAgent(session.userAgent, toLanguage(user.language));
      await this.record(user, 'user.end_session', { kind: 'session-ended', thing, occasion });
    });
  }

  /** Signs all browsers out except the one with the session `keep`. */
  async endOtherSessions(user: User, keep: string, occasion: Occasion): Promise<void> {
    await this.database.transaction(async () => {
      if (!(await this.sessions.list(user.id)).some(({ id }) => id !== keep)) return;
      await this.signIns.endSessions(user.id, keep);
      await this.record(user, 'user.end_other_sessions', { kind: 'other-sessions-ended', occasion });
    });
  }

  /** Ends the access of an application. */
  async revoke(user: User, authorizationId: number, occasion: Occasion): Promise<void> {
    await this.database.transaction(async () => {
      const [ended] = await this.authorizations.deauthorize({ userId: user.id, supportUserId: null }, { id: authorizationId });
      if (!ended) return;
      const thing = (await this.clients.find(ended.clientId))?.name ?? ended.clientId;
      await this.record(user, 'user.revoke_application', { kind: 'application-revoked', thing, occasion });
    });
  }

  private async record({ id, customerId }: User, action: string, mail: Omit<AccountMail, 'userId'>): Promise<void> {
    await this.audit.record({ action, actor: `user:${id}`, subject: `user:${id}`, customerId });
    await this.mails.send({ ...mail, userId: id });
  }
}
