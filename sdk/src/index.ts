export type { components, operations, paths, webhooks } from './api.js';
export type { Answer, Call } from './call.js';
export { type Client, type ClientOptions, createClient } from './client.js';
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
