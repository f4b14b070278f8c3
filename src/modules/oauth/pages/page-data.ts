import type { Language } from '../../../shared/languages.js';
import type { Enrolment } from '../../accounts/index.js';
import type { SecondFactorTexts } from './second-factors.messages.js';
import type { SignInTexts } from './sign-in.messages.js';

/**
 * The data of each page. Texts may come from strangers; the templates escape them. URLs (`action` and the like) come only from our own code,
 * because no escaping makes a foreign URL safe.
 */
interface Page {
  /** Heading of the page and, with the name of the service, of the browser's tab. */
  readonly title: string;
}

/** A page of sign-in, consent or sign-out in the language of the browser. */
export interface SignInPage extends Page {
  readonly language: Language;
  readonly texts: SignInTexts;
}

/** login.eta. Posts `csrf`, `email`, `password` and, if ticked, `remember=yes` to `action`; `csrf` alone to `cancelAction`. */
export interface LoginPage extends SignInPage {
  readonly action: string;
  /** Ends the authorization with `access_denied`; null: there is nothing to cancel. */
  readonly cancelAction: string | null;
  readonly csrf: string;
  /** The address of the previous attempt, so that it need not be typed again; empty at first. */
  readonly email: string;
  readonly remember: boolean;
  readonly error: string | null;
  /** The page is in a frame, in which other pages of this service cannot be shown. */
  readonly isFramed: boolean;
  /** The application that the user signs in to; null: one of our own pages. */
  readonly clientName: string | null;
  /** A sign-in with a passkey alone, which posts `csrf`, `response` and `remember` to `action`; null: browsers support none at this address. */
  readonly passkey: ({ readonly action: string; readonly options: string; readonly button: string } & PasskeyParts) | null;
}

/** A page about second factors in the language of the browser. */
interface TranslatedPage extends Page {
  readonly language: Language;
  readonly texts: SecondFactorTexts;
  readonly csrf: string;
}

/** The parts of a page with a button that uses or creates a passkey. */
interface PasskeyParts {
  /** JSON: what the browser's failures mean, in words. */
  readonly problems: string;
  /** URL of the script of passkeys. */
  readonly script: string;
}

/** second-factor.eta. Posts `csrf` and `code` to `action`, or what a passkey signed as `response` to `passkeyAction`. */
export interface SecondFactorPage extends TranslatedPage, PasskeyParts {
  readonly action: string;
  readonly passkeyAction: string;
  /** JSON of the options for the browser; null: the person has no passkey. */
  readonly passkeyOptions: string | null;
  readonly codeLabel: string;
  readonly startOverAction: string;
  readonly cancelAction: string | null;
  readonly error: string | null;
  readonly clientName: string | null;
}

/** confirm-password.eta: after an identity provider, the password of the account that is to be linked. Posts `csrf` and `password` to `action`. */
export interface ConfirmPasswordPage extends TranslatedPage {
  readonly lead: string;
  readonly action: string;
  /** The address of the account. */
  readonly email: string;
  readonly isFramed: boolean;
  readonly cancelAction: string | null;
  readonly error: string | null;
  readonly clientName: string | null;
}

/** enrol.eta. Posts `code` or `response` and `name`, with `csrf`, to the actions of the kinds of factors that are offered. */
export interface EnrolPage extends TranslatedPage, PasskeyParts {
  readonly lead: string | null;
  readonly app: (Enrolment & { readonly action: string }) | null;
  readonly passkey: { readonly action: string; readonly options: string; readonly name: string } | null;
  /** Posts `csrf` to end the authorization, or to return to the sign-in page; null: the link `backUrl` leads back. */
  readonly cancelAction: string | null;
  readonly backUrl: string | null;
  /** The console, for the header at the account page. */
  readonly consoleUrl?: string | null;
  /** Whether a ticked box posts `endOthers=yes`, which ends the person's other sessions. */
  readonly offersToEndOthers: boolean;
  readonly error: string | null;
}

/** recovery-codes.eta: the only time that the codes are shown. Posts `csrf` to `action` to continue. */
export interface RecoveryCodesPage extends TranslatedPage {
  readonly codes: readonly string[];
  /** Continues a sign-in; null: the link `backUrl` leads back. */
  readonly action: string | null;
  readonly backUrl: string | null;
  /** The console, for the header at the account page. */
  readonly consoleUrl?: string | null;
  readonly script: string;
}

/** consent.eta. Posts `csrf` to `action` (allow) or `cancelAction` (deny). */
export interface ConsentPage extends SignInPage {
  readonly action: string;
  readonly cancelAction: string;
  readonly csrf: string;
  readonly clientName: string;
  readonly clientId: string;
  /** Host of the redirect URI, to which the response is sent. */
  readonly redirectHost: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly device: string | null;
  readonly scopes: readonly ScopeOnPage[];
  /** In a window that a frame opened, the buttons are disabled for a moment, so that a click meant for another page has no effect. */
  readonly isWindow: boolean;
}

/** consent-window.eta: in a frame, the button that opens a window for the consent. */
export interface ConsentWindowPage extends SignInPage {
  readonly clientName: string;
  /** Opened with `ticket` as its query. */
  readonly windowAction: string;
  readonly ticket: string;
  /** The URL at which the frame continues after the person has answered. */
  readonly continueUrl: string;
  readonly cancelAction: string;
  readonly csrf: string;
}

export interface ScopeOnPage {
  /** The name in the protocol, such as `offline_access`. */
  readonly name: string;
  /** A short name, such as `Stay connected`. */
  readonly label: string;
  /** A sentence that says what the scope permits. */
  readonly text: string;
}

/** logout.eta. Posts `xsrf` and, to sign out, `logout=yes`; without `logout` the session continues. */
export interface LogoutPage extends SignInPage {
  readonly action: string;
  readonly xsrf: string;
  readonly userEmail: string | null;
}

/** replace-session.eta: another person than the one who is signed in has signed in. Posts `xsrf` and `logout=yes` to `action`, or `csrf` to `cancelAction`. */
export interface ReplaceSessionPage extends SignInPage {
  readonly action: string;
  readonly xsrf: string;
  readonly cancelAction: string;
  readonly csrf: string;
  readonly current: PersonOnPage;
  readonly next: PersonOnPage;
}

export interface PersonOnPage {
  readonly email: string;
  readonly customer: string;
}

/** logged-out.eta */
export interface LoggedOutPage extends SignInPage {
  readonly clientName: string | null;
}

/** frame-result.eta: the end of a sign-in without a redirect. A script passes on the values of its attributes. */
export interface FrameResultPage extends SignInPage {
  /** JSON: `{ type: "authorization_response", code, state, iss }`, or `error` and `error_description` instead of `code`. */
  readonly response: string;
  /** The same response as a redirect. */
  readonly redirect: string;
  /** The page around the frame, or the frame that opened this window. */
  readonly receiver: 'parent' | 'opener';
  /** Origin of the redirect URI, which the page around the frame must have. */
  readonly origin: string;
}

/** cookies-blocked.eta: what a framed sign-in shows when its cookies did not come back. */
export interface CookiesBlockedPage extends SignInPage {
  readonly clientName: string | null;
  /** The same request for a separate window. */
  readonly windowUrl: string;
  /** The same request for this frame, once more. */
  readonly retryUrl: string;
  /** Who receives the response of the window: the page around the frame by a message, or the redirect URI by navigating the frame. */
  readonly receiver: 'parent' | 'redirect';
  readonly origin: string;
}

export interface SupportVisitOnPage {
  readonly at: Date;
  readonly staff: string;
  readonly reason: string;
}

export interface ApplicationOnPage {
  /** The id of the authorization. */
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
  /** Whether it is the session of the browser that shows the page. */
  readonly current: boolean;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly signedInAt: Date;
  readonly expiresAt: Date;
}
