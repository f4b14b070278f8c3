export { AcceptsScope, AcceptsSession, DROPSITE_SCOPE, IgnoresCredentials, PUBLIC, Public, RefusesSupportAccess } from './access-rules.js';
export { AuthModule } from './auth.module.js';
export { bearerToken, INSTRUCTION_TOKEN_PREFIX } from './bearer-token.js';
export { type Caller, countedAs, type Editor, editorOf, isSession } from './caller.js';
export { type CallerAuthenticator, CallerAuthenticators } from './caller-authenticator.js';
export { ClientDirectory, type ClientSource } from './client-directory.js';
export { CurrentCaller } from './current-caller.js';
export { requireAdminLevel } from './require-admin-level.js';
export { type OriginSource, TrustedOrigins } from './trusted-origins.js';
