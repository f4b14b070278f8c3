/**
 * What each page shows. Every text may come from strangers; the templates escape it. The URLs (`action` and the like) are the exception: they
 * come from our own code, because no escaping makes a foreign URL safe.
 */
interface Page {
  /** Heading of the page and, with the name of the service, of the browser's tab. */
  readonly title: string;
}

/** login.eta. Posts `csrf`, `email`, `password` and, if ticked, `remember=yes` to `action`; `csrf` alone to `cancelAction`. */
export interface LoginPage extends Page {
  readonly action: string;
  /** Ends the authorization with `access_denied`; null: there is nothing to cancel. */
  readonly cancelAction: string | null;
  readonly csrf: string;
  /** Filled in already, so that a mistyped password does not cost the address too; empty at first. */
  readonly email: string;
  readonly remember: boolean;
  readonly error: string | null;
  /** The application that the user goes on to; null: one of our own pages. */
  readonly clientName: string | null;
}

/** consent.eta. Posts `csrf` to `action` (allow) or `cancelAction` (deny). */
export interface ConsentPage extends Page {
  readonly action: string;
  readonly cancelAction: string;
  readonly csrf: string;
  readonly clientName: string;
  readonly clientId: string;
  /** Host of the redirect URI: where the answer is sent. */
  readonly redirectHost: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly device: string | null;
  readonly scopes: readonly ScopeOnPage[];
  /** In a window that a frame opened: the buttons wait for a moment, so that no click which was meant for another page counts. */
  readonly isWindow: boolean;
}

/** consent-window.eta: in a frame, the button that opens a window for the consent. */
export interface ConsentWindowPage extends Page {
  readonly clientName: string;
  /** Opened with `ticket` as its query. */
  readonly windowAction: string;
  readonly ticket: string;
  /** Where the frame goes on when the person has answered. */
  readonly continueUrl: string;
  readonly cancelAction: string;
  readonly csrf: string;
}

export interface ScopeOnPage {
  /** As in the protocol: `offline_access`. */
  readonly name: string;
  /** In a few words: `Stay connected`. */
  readonly label: string;
  /** In one sentence, what it allows. */
  readonly text: string;
}

/** logout.eta. Posts `xsrf` and, to sign out, `logout=yes`; without `logout` the session stays. */
export interface LogoutPage extends Page {
  readonly action: string;
  readonly xsrf: string;
  readonly userEmail: string | null;
}

/** logged-out.eta */
export interface LoggedOutPage extends Page {
  readonly clientName: string | null;
}

/** account.eta. Posts `csrf` and `id` to `deauthorizeAction` or `endSessionAction`. */
export interface AccountPage extends Page {
  readonly csrf: string;
  readonly user: { readonly name: string; readonly email: string };
  /** What has just been done: `Acme Studio has no access any more.` */
  readonly notice: string | null;
  readonly applications: readonly ApplicationOnPage[];
  readonly sessions: readonly SessionOnPage[];
  /** Until when support staff may act for the user's organisation, and when they did; both empty: not shown. */
  readonly supportAccess: { readonly until: Date | null; readonly visits: readonly SupportVisitOnPage[] };
  readonly deauthorizeAction: string;
  readonly endSessionAction: string;
  readonly logoutUrl: string;
}

/** frame-result.eta: the end of a sign-in that is not a redirect. A script passes on the values of its attributes. */
export interface FrameResultPage extends Page {
  /** JSON: `{ type: "authorization_response", code, state, iss }`, or `error` and `error_description` instead of `code`. */
  readonly response: string;
  /** The same answer as a redirect. */
  readonly redirect: string;
  /** The page around the frame, or the frame that opened this window. */
  readonly receiver: 'parent' | 'opener';
  /** Origin of the redirect URI, the only one that the page around the frame may have. */
  readonly origin: string;
}

/** cookies-blocked.eta: what a framed sign-in shows when its cookies did not come back. */
export interface CookiesBlockedPage extends Page {
  readonly clientName: string | null;
  /** The same request for a window of its own. */
  readonly windowUrl: string;
  /** The same request for this frame, once more. */
  readonly retryUrl: string;
  /** What receives the answer of the window: the page around the frame by a message, or the redirect URI by going there in the frame. */
  readonly receiver: 'parent' | 'redirect';
  readonly origin: string;
}

export interface SupportVisitOnPage {
  readonly at: Date;
  readonly staff: string;
  readonly reason: string;
}

export interface ApplicationOnPage {
  /** Of the authorization. */
  readonly id: number;
  readonly name: string;
  readonly clientId: string;
  readonly type: string;
  readonly device: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly lastLogin: Date | null;
  readonly createdAt: Date;
  readonly env: string | null;
  readonly platform: string | null;
  readonly version: string | null;
}

export interface SessionOnPage {
  readonly id: string;
  /** The session of the browser that shows the page. */
  readonly current: boolean;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly signedInAt: Date;
  readonly expiresAt: Date;
}
