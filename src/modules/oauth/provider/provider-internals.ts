/** The only file that touches parts of oidc-provider 9 that it does not document. Look here first when it is updated. */
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

/** Client secrets are stored hashed, and after a rotation two may count; the library compares one in clear. It awaits the answer. */
export function compareStoredSecrets(provider: Provider, clients: ClientsService): void {
  const prototype = provider.Client.prototype as unknown as { compareClientSecret(this: ClientModel, actual: string): Promise<boolean> };
  prototype.compareClientSecret = async function (actual) {
    return (await clients.authenticate(this.clientId, actual)) !== null;
  };
}

/** Redirect URIs match character by character; the library ignores the port of loopback addresses for native applications. */
export function matchRedirectUrisExactly(provider: Provider): void {
  const prototype = provider.Client.prototype as unknown as Record<UriCheck, (this: ClientModel, value: string) => boolean>;
  prototype.redirectUriAllowed = function (value) {
    return this.redirectUris.includes(value);
  };
  prototype.postLogoutRedirectUriAllowed = function (value) {
    return this.postLogoutRedirectUris.includes(value);
  };
}

/** "Keep me signed in" counts as it was ticked at the last login; the library never takes a session's `transient` back. */
export function rememberAsTicked(provider: Provider): void {
  const prototype = provider.Session.prototype as unknown as SessionModel;
  const login = prototype.loginAccount;
  prototype.loginAccount = function (details) {
    this.transient = undefined;
    login.call(this, details);
  };
}

/**
 * The successor of a refresh token is derived from it, so that requests which rotate it at the same moment get the same one. Of two processes
 * with different APP_SECRETs (a rotation) each makes its own, and both are good.
 */
export function deriveSuccessors(provider: Provider, secrets: SecretBoxService): void {
  const prototype = provider.RefreshToken.prototype as unknown as RefreshTokenModel;
  const generate = prototype.generateTokenId;
  prototype.generateTokenId = function () {
    const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken;
    return rotated ? secrets.mac('refresh token successor', rotated.jti).toString('base64url') : generate.call(this);
  };
}

/** Hands oidc-provider a body that was read already, as a form. It reads `req.iterator()` as long as `req.readable` says so. */
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
