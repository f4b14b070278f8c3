import { IsString, Matches } from 'class-validator';
import { CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { IdOf, PageDto } from '../../../shared/resources/index.js';
import { IsId } from '../../../shared/validation/index.js';

/** The sessions of a user, a page at a time. */
@RefusesUnknownParameters()
export class UserSessionsDto extends PageDto {
  /** @example 12 */
  @CastInteger()
  @IsId()
  id: number;
}

/** The user whose sessions are ended. */
export class EndUserSessionsDto extends IdOf({ example: 12 }) {}

/** A session of a user. */
export class UserSessionDto extends EndUserSessionsDto {
  /** @example "1f0c2d7e" */
  @Matches(/^[\w-]{1,128}$/)
  @IsString()
  sessionId: string;
}

/** A browser in which a user is signed in. */
export class UserSessionResponse {
  /** @example "1f0c2d7e" */
  id: string;
  /** The client address at the sign-in. @example "192.0.2.7" */
  ip: string | null;
  /** @example "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" */
  userAgent: string | null;
  /** ISO 8601. */
  signedInAt: Date;
  /** ISO 8601. */
  expiresAt: Date;
}

/** What was ended. */
export class EndedSessionsResponse {
  /** The user. @example 12 */
  id: number;
  /** The number of sessions that were ended. @example 2 */
  ended: number;
}
