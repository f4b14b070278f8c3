import { IsInt, IsOptional, IsString, MaxLength } from 'class-validator';
import type { AuditRecord } from '../../../shared/audit/audit-record.entity.js';
import { CastInteger, RefusesUnknownParameters } from '../../../shared/http/index.js';
import { PageDto } from '../../../shared/resources/index.js';
import { IsTime } from '../../../shared/validation/index.js';

/** Longer than any name of an action, actor or subject. */
const MAX_NAME_CHARACTERS = 320;

/** A page of audit records: those that match every filter, the newest first. */
@RefusesUnknownParameters()
export class FindAuditDto extends PageDto {
  /** What was done, as noun.verb. @example "user.disable" */
  @IsOptional()
  @MaxLength(MAX_NAME_CHARACTERS)
  @IsString()
  action?: string;

  /** Who did it: `user:` and an id, `admin:` and the operator's account on the machine, `saml:` and an ssoIdentifier, or `service`. @example "user:12" */
  @IsOptional()
  @MaxLength(MAX_NAME_CHARACTERS)
  @IsString()
  actor?: string;

  /** To whom or what it was done, as noun:id. @example "user:17" */
  @IsOptional()
  @MaxLength(MAX_NAME_CHARACTERS)
  @IsString()
  subject?: string;

  /** ISO 8601 or Unix seconds; records of exactly this time are not included. @example "2026-01-01T00:00:00Z" */
  @IsOptional()
  @IsTime()
  createdAfter?: string;

  /** ISO 8601 or Unix seconds; records of exactly this time are not included. @example "2030-01-01" */
  @IsOptional()
  @IsTime()
  createdBefore?: string;

  /** The customer; by default the caller's own, for operators together with what belongs to no customer. Only operators may name another. @example 1 */
  @IsOptional()
  @CastInteger()
  @IsInt()
  customerId?: number;
}

/** One change: who did what to whom, and why. */
export class AuditRecordResponse {
  /** ISO 8601. */
  at: Date;
  /** As noun.verb. @example "user.disable" */
  action: string;
  /** @example "user:12" */
  actor: string;
  /** The user on whose behalf support staff acted; null: the actor acted for itself. @example null */
  onBehalfOf: string | null;
  /** As noun:id. @example "user:17" */
  subject: string;
  /** How many objects a bulk change concerned; null: the subject is the only one. @example null */
  count: number | null;
  /** Their ids. @example null */
  ids: number[] | null;
  /** @example "left the company" */
  reason: string | null;
}

export const toAuditRecordResponse = ({ at, action, actor, onBehalfOf, subject, ids, reason }: AuditRecord): AuditRecordResponse => ({
  at,
  action,
  actor,
  onBehalfOf,
  subject,
  count: ids?.length ?? null,
  ids,
  reason,
});
