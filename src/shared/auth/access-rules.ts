import { applyDecorators, createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiSecurity } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Caller } from './caller.js';

export const PUBLIC = 'auth:public';
export const ACCEPTS_SESSION = 'auth:session';
export const ACCEPTS_FRAMED_SESSION = 'auth:framed-session';
export const SESSION_FROM_CLIENTS = 'auth:session-from-clients';
export const REFUSES_SUPPORT_ACCESS = 'auth:refuses-support-access';
export const IGNORES_CREDENTIALS = 'auth:ignores-credentials';
export const ACCEPTED_SCOPE = 'auth:accepted-scope';

/** Null is allowed as caller; the operation decides itself. A test lists the public routes. */
export const Public = () => applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));

/** The operation does not look at who calls; credentials are not checked, and bad ones are no error. */
export const IgnoresCredentials = () => SetMetadata(IGNORES_CREDENTIALS, true);

/**
 * The session cookie of a login counts too; a request that changes something must come from a page of ours. `framed`: so does the cookie of
 * a login inside a frame, which any page of the site around the frame can send; the operation checks which page that is. `fromClients`: pages
 * of registered clients may send the cookie too.
 */
export const AcceptsSession = ({ framed = false, fromClients = false } = {}) =>
  applyDecorators(
    SetMetadata(ACCEPTS_SESSION, true),
    SetMetadata(ACCEPTS_FRAMED_SESSION, framed),
    SetMetadata(SESSION_FROM_CLIENTS, fromClients),
    ApiBearerAuth('oauth2'),
    ApiCookieAuth('session'),
  );

/** Support staff may not do it in the name of a user: it would outlast their visit or let others in. */
export const RefusesSupportAccess = () => SetMetadata(REFUSES_SUPPORT_ACCESS, true);

/** The scope of a dropsite sender's session; it reaches what says so, and nothing else. */
export const DROPSITE_SCOPE = 'dropsite';

/** A token with this scope may call the operation too, although it lacks the scope `api`. */
export const AcceptsScope = (scope: string) => SetMetadata(ACCEPTED_SCOPE, scope);

/** The caller that the guard attached; null only on public routes. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext): Caller | null => context.switchToHttp().getRequest<Request>().caller,
);
