import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiCookieAuth, ApiSecurity } from '@nestjs/swagger';

export const PUBLIC = 'auth:public';
export const ACCEPTS_SESSION = 'auth:session';
export const ACCEPTS_FRAMED_SESSION = 'auth:framed-session';
export const IGNORES_CREDENTIALS = 'auth:ignores-credentials';
export const ACCEPTED_SCOPE = 'auth:accepted-scope';

/** Null is allowed as caller; the operation decides itself. A test lists the public routes. */
export const Public = () => applyDecorators(SetMetadata(PUBLIC, true), ApiSecurity({}));

/** The operation does not look at who calls; credentials are not checked, and bad ones are no error. */
export const IgnoresCredentials = () => SetMetadata(IGNORES_CREDENTIALS, true);

/**
 * The session cookie of a login counts too (with a same-site or registered Origin when the request changes something). `framed`: so does
 * the one of a login inside a frame, which any page of the site around the frame can send; the operation checks which page that is.
 */
export const AcceptsSession = ({ framed = false } = {}) =>
  applyDecorators(
    SetMetadata(ACCEPTS_SESSION, true),
    SetMetadata(ACCEPTS_FRAMED_SESSION, framed),
    ApiBearerAuth('oauth2'),
    ApiCookieAuth('session'),
  );

/** The scope of a dropsite sender's session; it reaches what says so, and nothing else. */
export const DROPSITE_SCOPE = 'dropsite';

/** A token with this scope may call the operation too, although it lacks the scope `api`. */
export const AcceptsScope = (scope: string) => SetMetadata(ACCEPTED_SCOPE, scope);
