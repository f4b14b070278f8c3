/** The only file that touches parts of oidc-provider 9 that it does not document. Look here first when it is updated. */
import type { IncomingMessage } from 'node:http';
import { Provider } from 'oidc-provider';
import type { SecretBox } from '../../../shared/secrets/index.js';
import { equalInConstantTime, sha256 } from '../../../shared/secrets/index.js';

interface ClientModel {
  clientSecret: string;
  redirectUris: string[];
  postLogoutRedirectUris: string[];
}

interface SessionModel {
  transient: boolean | undefined;
  loginAccount(details: unknown): void;
}

interface RefreshTokenModel {
  generateTokenId(): string;
}

/** Client secrets are stored as SHA-256, so they are compared as such; the library compares them in clear. */
export function compareHashedSecrets(provider: Provider): void {
  const prototype = provider.Client.prototype as unknown as { compareClientSecret(this: ClientModel, actual: string): boolean };
  prototype.compareClientSecret = function (actual) {
    return equalInConstantTime(this.clientSecret, sha256(actual));
  };
}

/** Redirect URIs match character by character; the library ignores the port of loopback addresses for native applications. */
export function matchRedirectUrisExactly(provider: Provider): void {
  const prototype = provider.Client.prototype as unknown as { redirectUriAllowed(this: ClientModel, value: string): boolean };
  prototype.redirectUriAllowed = function (value) {
    return this.redirectUris.includes(value);
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

/** The successor of a refresh token is derived from it, so that requests which rotate it at the same moment get the same one. */
export function deriveSuccessors(provider: Provider, secrets: SecretBox): void {
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
