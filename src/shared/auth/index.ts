export {
  AcceptsScope,
  AcceptsSession,
  CurrentCaller,
  DROPSITE_SCOPE,
  IgnoresCredentials,
  PUBLIC,
  Public,
  RefusesSupportAccess,
} from './access-rules.js';
export { AdmissionService } from './admission.service.js';
export { AuthModule } from './auth.module.js';
export {
  bearerToken,
  type Caller,
  callerOf,
  countedAs,
  type Editor,
  editorOf,
  INSTRUCTION_TOKEN_PREFIX,
  isSession,
  requireAdminLevel,
} from './caller.js';
export { type CallerAuthenticator, CallerAuthenticators } from './caller-authenticator.port.js';
export { ClientDirectory, type ClientSource } from './client-directory.port.js';
export { TrustedOriginsService } from './trusted-origins.service.js';
