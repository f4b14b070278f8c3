import { Injectable } from '@nestjs/common';
import { DROPSITE_SCOPE } from '../../shared/auth/index.js';
import { Database } from '../../shared/database/index.js';
import { type Principal, Principals, SupportAccess } from '../accounts/index.js';
import type { AccessTokenClaims } from './access-token.js';
import { AuthorizationsService } from './authorizations.service.js';

/** A token whose authorization stands and whose user may act, as of now. */
export interface TokenState {
  readonly principal: Principal;
  /** The device that requests have to name; null: none. */
  readonly device: string | null;
}

interface Row {
  readonly jti: string;
  readonly device: string | null;
  readonly endsAt: Date | null;
  readonly accessKey: string | null;
}

/** One row per token that still stands: its authorization exists (or it needs none), and the token itself was not revoked. */
const FIND = `SELECT t.jti, CASE WHEN a.ends_at IS NULL THEN nullif(a.device, '') ELSE a.own_device END AS device,
    a.ends_at AS "endsAt", a.access_key AS "accessKey"
  FROM unnest($1::text[], $2::int[], $3::int[]) AS t (jti, authorization_id, generation)
  LEFT JOIN authorizations a ON a.id = t.authorization_id AND a.generation = t.generation
  WHERE (t.authorization_id IS NULL OR a.id IS NOT NULL)
    AND NOT EXISTS (SELECT FROM revoked_tokens r WHERE r.jti = t.jti)`;

/** Whether verified tokens still count, asked afresh for every request, so that a revocation works at once on every process. */
@Injectable()
export class TokenStates {
  private readonly findRow: (claims: AccessTokenClaims) => Promise<Row | null>;

  constructor(
    database: Database,
    private readonly principals: Principals,
    private readonly supportAccess: SupportAccess,
    private readonly authorizations: AuthorizationsService,
  ) {
    this.findRow = database.batched(
      ({ jti }: AccessTokenClaims) => jti,
      async (tokens) => {
        const values = [
          tokens.map(({ jti }) => jti),
          tokens.map(({ authorizationId }) => authorizationId),
          tokens.map(({ generation }) => generation),
        ];
        const { rows } = await database.query<Row>(FIND, values);
        return new Map(rows.map((row) => [row.jti, row]));
      },
    );
  }

  /** The state of the token, or null when it, its authorization or its user is gone, or the support access that it stands on has ended. */
  async find(claims: AccessTokenClaims): Promise<TokenState | null> {
    const [row, principal] = await Promise.all([this.findRow(claims), this.principals.find(claims.userId)]);
    if (!row || !principal || !(await this.authorizations.stands(row))) return null;
    if (principal.kind === 'sender' && claims.scope !== DROPSITE_SCOPE) return null; // nobody proved to be this user
    const { supportUserId, userId } = claims;
    if (supportUserId !== null && !(await this.supportAccess.isOpen(supportUserId, userId))) return null;
    return { principal, device: row.device };
  }
}
