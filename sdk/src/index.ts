export { type Answer, type Call, nextCursor, type Pages } from './call.js';
export { type Client, type ClientOptions, createClient } from './client.js';
export type { components, operations, paths, webhooks } from './generated/api.js';
export { enumerations } from './generated/enumerations.js';
export { events } from './generated/events.js';
export { limits } from './generated/limits.js';
export type { AccessToken } from './http.js';
export { openFile } from './open-file.js';
export { type InputProblem, type Problem, ProblemError } from './problem-error.js';
export {
  beginSignIn,
  finishSignIn,
  type PendingSignIn,
  restoreSession,
  resumeSignIn,
  type Session,
  type SignInOptions,
  signIn,
  signInAsClient,
  type Tokens,
} from './sign-in.js';
export type { AbandonedUpload, UploadedItem, UploadInput, UploadOptions, UploadProgress, UploadResult } from './upload.js';
export type { UploadStore } from './upload-store.js';
export { verifyWebhook, type WebhookEvent, type WebhookHeaders } from './verify-webhook.js';
