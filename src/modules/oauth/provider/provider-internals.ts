/** The only file that uses undocumented parts of oidc-provider 9. Check it first when oidc-provider is updated. */
import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { SecretBoxService } from '../../../shared/secrets/index.js';
import type { ClientsService } from '../clients/clients.service.js';

interface ClientModel {
  clientId: string;
  redirectUris: string[];
  postLogoutRedirectUris: string[];
}

type UriCheck = 'redirectUriAllowed' | 'postLogoutRedirectUriAllowed';

interface SessionModel {
  transient: boolean | undefined;
  loginAccount(details: unknown): void;
}

interface RefreshTokenModel {
  generateTokenId(): string;
}

/** Compares client secrets by hash, of which two may be valid after a rotation; the library compares one in plain text. */
export function compareStoredSecrets(provider: Provider, clients: ClientsService): void {
  const prototype = provider.Client.prototype as unknown as { compareClientSecret(this: ClientModel, actual: string): Promise<boolean> };
  prototype.compareClientSecret = async function (actual) {
    return (await clients.authenticate(this.clientId, actual)) !== null;
  };
}

/** Compares redirect URIs character by character; the library ignores the port of loopback addresses for native applications. */
export function matchRedirectUrisExactly(provider: Provider): void {
  const prototype = provider.Client.prototype as unknown as Record<UriCheck, (this: ClientModel, value: string) => boolean>;
  prototype.redirectUriAllowed = function (value) {
    return this.redirectUris.includes(value);
  };
  prototype.postLogoutRedirectUriAllowed = function (value) {
    return this.postLogoutRedirectUris.includes(value);
  };
}

/** Applies "Keep me signed in" as chosen at the last login; the library never resets a session's `transient`. */
export function rememberAsTicked(provider: Provider): void {
  const prototype = provider.Session.prototype as unknown as SessionModel;
  const login = prototype.loginAccount;
  prototype.loginAccount = function (details) {
    this.transient = undefined;
    login.call(this, details);
  };
}

/**
 * Derives the successor of a refresh token from it, so that concurrent rotations get the same one. Two processes with different APP_SECRETs
 * (during a rotation) create different successors, which are both valid.
 */
export function deriveSuccessors(provider: Provider, secrets: SecretBoxService): void {
  const prototype = provider.RefreshToken.prototype as unknown as RefreshTokenModel;
  const generate = prototype.generateTokenId;
  prototype.generateTokenId = function () {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    return rotated ? secrets.mac('refresh token successor', rotated.jti).toString('base64url') : generate.call(this);
  };
}

/** Passes a body that has already been read to oidc-provider, as a form. oidc-provider reads it from the request if `req.readable` is true. */
export function replayBody(request: IncomingMessage, form: string): void {
  const body = Buffer.from(form);
  request.headers['content-type'] = 'application/x-www-form-urlencoded';
  request.headers['content-length'] = String(body.length);
  delete request.headers['transfer-encoding'];
  Object.defineProperty(request, 'readable', { value: true });
  Object.defineProperty(request, 'iterator', {
    value: async function* () {
      yield body;
    },
  });
}
