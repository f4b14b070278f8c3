export { AdmissionService } from './admission.service.js';
export {
  AcceptsScope,
  AcceptsSession,
  CurrentCaller,
  DROPSITE_SCOPE,
  IgnoresCredentials,
  PUBLIC,
  Public,
  RefusesSupportAccess,
} from './authentication.guard.js';
export {
  type Authentication,
  bearerToken,
  type Caller,
  callerOf,
  countedAs,
  type Editor,
  editorOf,
  INSTRUCTION_TOKEN_PREFIX,
  isSession,
  MFA,
  requireAdminLevel,
} from './caller.js';
export { CallerAuthenticationService, type CallerAuthenticator } from './caller-authentication.service.js';
export { ClientDirectory } from './client-directory.port.js';
export { isOwnForm, readersOf } from './origin-rules.js';
export { TrustedOriginsService } from './trusted-origins.service.js';
