import { Controller, Delete, Get, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { AuditService } from '../../../shared/audit/audit.service.js';
import { type Caller, CurrentCaller, RefusesSupportAccess } from '../../../shared/auth/index.js';
import { Database } from '../../../shared/database/index.js';
import { generalErrors } from '../../../shared/errors.js';
import { ApiErrors, IfMatch, Input, requireNoTag } from '../../../shared/http/index.js';
import { DEFAULT_LIMIT, linkToNext } from '../../../shared/resources/index.js';
import { UserAdministrationService } from '../../accounts/index.js';
import { SessionsService } from './sessions.service.js';
import { EndedSessionsResponse, EndUserSessionsDto, UserSessionDto, UserSessionResponse, UserSessionsDto } from './user-session.dto.js';

@ApiTags('Administration')
@ApiBearerAuth('oauth2')
@Controller('v5/user/:id/sessions')
export class UserSessionsController {
  constructor(
    private readonly users: UserAdministrationService,
    private readonly sessions: SessionsService,
    private readonly audit: AuditService,
    private readonly database: Database,
  ) {}

  /** List the browsers in which a user is signed in; requires adminLevel 9 or above. */
  @Get()
  @ApiErrors('not_found', 'admin_level_not_sufficient')
  async list(
    @CurrentCaller() caller: Caller,
    @Input() { id, limit = DEFAULT_LIMIT, cursor = 0 }: UserSessionsDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserSessionResponse[]> {
    const user = await this.users.get(caller, id);
    const all = await this.sessions.list(user.id);
    if (all.length > cursor + limit) linkToNext(response, limit, cursor + limit);
    return all.slice(cursor, cursor + limit).map(({ id, ip, userAgent, signedInAt, expiresAt }) => ({
      id,
      ip,
      userAgent,
      signedInAt,
      expiresAt,
    }));
  }

  /** End all sessions of a user, and all tokens and authorizations. */
  @Delete()
  @RefusesSupportAccess()
  @ApiErrors('not_found', 'admin_level_not_sufficient', 'support_access_denied')
  async endAll(
    @CurrentCaller() caller: Caller,
    @Input() { id }: EndUserSessionsDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<EndedSessionsResponse> {
    requireNoTag(ifMatch, `list of sessions of user ${id}`);
    return await this.database.transaction(async () => {
      await this.users.getBelow(caller, id);
      const { length } = await this.sessions.list(id);
      await this.users.endSessions(caller, id);
      return { id, ended: length };
    });
  }

  /** End one session of a user; tokens of applications stay. */
  @Delete(':sessionId')
  @RefusesSupportAccess()
  @ApiErrors('not_found', 'admin_level_not_sufficient', 'support_access_denied')
  async end(
    @CurrentCaller() caller: Caller,
    @Input() { id, sessionId }: UserSessionDto,
    @IfMatch() ifMatch: string | undefined,
  ): Promise<EndedSessionsResponse> {
    requireNoTag(ifMatch, 'session');
    return await this.database.transaction(async () => {
      const { customerId } = await this.users.getBelow(caller, id);
      if (!(await this.sessions.end(id, sessionId))) throw generalErrors.not_found('The session does not exist.');
      await this.audit.recorderOf(caller)('user.end_session', `user:${id}`, customerId);
      return { id, ended: 1 };
    });
  }
}
