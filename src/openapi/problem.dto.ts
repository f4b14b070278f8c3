/** One problem of an input. */
export class FieldProblemResponse {
  /** Path of the field, in dot notation. @example "redirect_uri" */
  path: string;
  /** Stable code. @example "is_string" */
  code: string;
  /** Description of the problem, for people. @example "redirect_uri must be a string" */
  message: string;
}

/** An error response (RFC 9457). docs/errors.md lists every code. */
export class ProblemResponse {
  /** @example "about:blank" */
  type: string;
  /** The status in words. @example "Bad Request" */
  title: string;
  /** @example 400 */
  status: number;
  /** One plain sentence that says what to do. */
  detail: string;
  /** Stable code, for programs. @example "validation_failed" */
  code: string;
  /** The same text as detail, for older clients. */
  message: string;
  /** Correlates the response with the log of the service. @example "3f0c7d1e-8a1b-4b52-9d5e-6f1d2c3b4a59" */
  requestId: string;
  /** With validation_failed: every problem. */
  errors?: FieldProblemResponse[];
  /**
   * With consent_required: the URL where the user gives consent.
   * @example "https://media.example.org/v4/authorize?client_id=newsroom&response_type=code"
   */
  authorizeUrl?: string;
  /** With admin_level_not_sufficient. @example 9 */
  requiredAdminLevel?: number;
  /** With confirmation_required: the value for `acr_values` of an authorization request, or null if none is needed. @example "mfa" */
  acr_values?: string | null;
  /** With confirmation_required: the value for `max_age` of an authorization request, in seconds. @example 300 */
  max_age?: number;
  /** With quota_exceeded: the name of the limit. @example "maxStorageBytes" */
  quota?: string;
  /** With quota_exceeded. @example 1099511627776 */
  limit?: number;
  /** If a player configuration refuses the viewer: the rule that refused. @example "geo" */
  rule?: string;
  /** With player_configuration_has_embed_links: the number of embed links. @example 3 */
  countEmbeds?: number;
  /** True if a stored secret cannot be decrypted with APP_SECRET. */
  secretsUnreadable?: boolean;
  /** With track_unreadable: the line number in the file. @example 12 */
  line?: number;
}
