/** A login or consent that oidc-provider is waiting for. */
export interface PendingInteraction {
  readonly uid: string;
  /** The page is shown in a frame, with the cookies of the frame. */
  readonly isFramed: boolean;
  readonly prompt: string;
  readonly clientId: string;
  readonly accountId: number | null;
  readonly redirectUri: string;
  readonly device: string | null;
  readonly scope: string;
  readonly resources: readonly string[];
  readonly loginHint: string;
  /** The identity provider to sign in at; null: by password. */
  readonly ssoIdentifier: string | null;
  /** Whether the client requested a new login, so that a session at the identity provider is not sufficient. */
  readonly forceAuthn: boolean;
  /** Whether the client asks for a sign-in with a second factor (`acr_values=mfa`). */
  readonly requestsMfa: boolean;
  /** Whether consent needs a separate window: the page is in a frame, and the client lacks `framedConsent`, or pages of other origins may frame it. */
  readonly needsWindow: boolean;
  /** The URL at which the browser continues after the person has answered in a window; null: no answer yet. */
  readonly goOnAt: string | null;
}
