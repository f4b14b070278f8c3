/** A public key (RFC 7517 section 4; the last five by RFC 7518 section 6). */
export class JsonWebKeyResponse {
  /** @example "EC" */
  kty: string;
  /** @example "ES256" */
  alg?: string;
  /** @example "sig" */
  use?: string;
  /** @example "k-1" */
  kid?: string;
  /** Of an elliptic curve. @example "P-256" */
  crv?: string;
  /** Of an elliptic curve. */
  x?: string;
  /** Of an elliptic curve. */
  y?: string;
  /** Of RSA. */
  n?: string;
  /** Of RSA. */
  e?: string;
}

/** Public keys (RFC 7517 section 5). */
export class JsonWebKeySetResponse {
  keys: JsonWebKeyResponse[];
}

/** Metadata of the authorization server (RFC 8414 section 2); it has more members than these. */
export class ServerMetadataResponse {
  /** @example "https://media.example.org" */
  issuer: string;
  /** @example "https://media.example.org/v4/authorize" */
  authorization_endpoint: string;
  /** @example "https://media.example.org/v4/token" */
  token_endpoint: string;
  /** @example "https://media.example.org/v4/jwks" */
  jwks_uri: string;
  /** @example "https://media.example.org/v4/introspect" */
  introspection_endpoint: string;
  /** @example "https://media.example.org/v4/revoke" */
  revocation_endpoint: string;
  /** @example "https://media.example.org/v4/logout" */
  end_session_endpoint: string;
  /** @example ["code"] */
  response_types_supported: string[];
  /** @example ["authorization_code", "refresh_token", "client_credentials"] */
  grant_types_supported: string[];
  /** @example ["api", "openid"] */
  scopes_supported: string[];
  /** @example ["S256"] */
  code_challenge_methods_supported: string[];
}
