import { messages } from '../../../shared/languages.js';
import { SCOPES, type Scope } from '../scopes.js';

type ScopeTexts = Readonly<Record<Scope, { readonly label: string; readonly text: string }>>;

/** The texts of the pages of sign-in, consent and sign-out. */
export const signInTexts = messages({
  en: {
    error: 'Error',
    cancel: 'Cancel',
    continueTo: 'to continue to',

    signInTitle: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    remember: 'Keep me signed in',
    signIn: 'Sign in',
    forgot: 'Forgot your password?',

    consentTitle: 'Allow access?',
    requestsAccess: 'requests access to your account.',
    permissions: 'Requested permissions',
    account: 'Your account',
    destination: 'Takes you to',
    device: 'Device',
    clientId: 'Client ID',
    allow: 'Allow',
    deny: 'Deny',
    consentNote:
      'Your decision is sent to the address above. Allow access only if you know the application and the address. You can revoke it on your account page at any time.',
    scopes: SCOPES as ScopeTexts,

    separateWindow:
      'For your security you decide in a separate window, which other pages cannot cover. This page then continues automatically.',
    openWindow: 'Continue in a new window',
    afterDecision: 'When you have decided:',
    continueHere: 'continue here',
    answeredTitle: 'Thank you',
    closeWindow: 'You can close this window and go back to the application.',

    cookiesBlocked: 'Your browser blocks cookies in this part of the page, so you need to sign in in a separate window.',
    signInInWindow: 'Sign in in a new window',
    allowCookies: 'Allow cookies here',
    needsScript: "This page requires JavaScript. Without it, open the application's sign-in outside this frame.",

    signedIn: 'You are signed in',
    notSignedIn: 'You are not signed in',
    continuesItself: 'The application continues automatically.',

    replaceTitle: 'Continue as another person?',
    replaceText: 'Another person is signed in with this browser. If you go on, that person is signed out.',
    signedInNow: 'You are signed in as',
    signedInNext: 'Continue as',
    replaceWith: (email: string) => `Continue as ${email}`,
    stayAs: (email: string) => `Cancel, and stay signed in as ${email}`,

    signOutTitle: 'Sign out',
    signedInAs: 'You are signed in as',
    keepAccess: 'Applications that you have allowed keep their access; you can revoke it on your account page.',
    signOut: 'Sign out',
    staySignedIn: 'Stay signed in',
    signedOutTitle: 'Signed out',
    signedOut: 'You are signed out on this browser.',
    goBackTo: 'You can close this window or go back to',
    closeThisWindow: 'You can close this window.',
    signInAgain: 'Sign in again',

    /** Why a password was not accepted; `seconds`: how long to wait. */
    errors: {
      login_failed: () => 'The e-mail address or the password is not correct.',
      login_delayed: (seconds) => `Too many failed attempts. Wait ${seconds} ${seconds === 1 ? 'second' : 'seconds'} and try again.`,
      rate_limited: (seconds) => `Too many requests. Try again in ${seconds} seconds.`,
    } as Readonly<Record<string, (seconds: number) => string>>,
  },
  de: {
    error: 'Fehler',
    cancel: 'Abbrechen',
    continueTo: 'weiter zu',

    signInTitle: 'Anmelden',
    email: 'E-Mail',
    password: 'Passwort',
    remember: 'Angemeldet bleiben',
    signIn: 'Anmelden',
    forgot: 'Passwort vergessen?',

    consentTitle: 'Zugriff erlauben?',
    requestsAccess: 'bittet um Zugriff auf Ihr Konto.',
    permissions: 'Gewünschte Rechte',
    account: 'Ihr Konto',
    destination: 'Führt Sie zu',
    device: 'Gerät',
    clientId: 'Client-ID',
    allow: 'Erlauben',
    deny: 'Ablehnen',
    consentNote:
      'Ihre Entscheidung wird an die genannte Adresse gesendet. Erlauben Sie den Zugriff nur, wenn Sie die Anwendung und die Adresse kennen. Sie können ihn jederzeit auf Ihrer Kontoseite entziehen.',
    scopes: {
      openid: { label: 'Sie anmelden', text: 'Erfahren, wer Sie in diesem Dienst sind (Ihre Benutzer-ID).' },
      profile: { label: 'Ihren Namen sehen', text: 'Ihren Vor- und Nachnamen lesen.' },
      email: { label: 'Ihre E-Mail-Adresse sehen', text: 'Die E-Mail-Adresse Ihres Kontos lesen.' },
      offline_access: {
        label: 'Verbunden bleiben',
        text: 'Auch dann für Sie handeln, wenn Sie sie nicht verwenden, bis Sie es widerrufen.',
      },
      api: {
        label: 'Für Sie handeln',
        text: 'Alles tun, was Sie tun dürfen: Medien hochladen, ändern, ausliefern und löschen.',
      },
      'api:read': { label: 'Ihre Medien lesen', text: 'Sehen, was Sie sehen dürfen, ohne etwas zu ändern.' },
    },

    separateWindow:
      'Zu Ihrer Sicherheit entscheiden Sie in einem eigenen Fenster, das andere Seiten nicht verdecken können. Diese Seite geht danach von selbst weiter.',
    openWindow: 'In einem neuen Fenster weiter',
    afterDecision: 'Wenn Sie entschieden haben:',
    continueHere: 'hier weiter',
    answeredTitle: 'Vielen Dank',
    closeWindow: 'Sie können dieses Fenster schließen und zur Anwendung zurückkehren.',

    cookiesBlocked: 'Ihr Browser blockiert Cookies in diesem Teil der Seite. Melden Sie sich deshalb in einem eigenen Fenster an.',
    signInInWindow: 'In einem neuen Fenster anmelden',
    allowCookies: 'Cookies hier erlauben',
    needsScript: 'Diese Seite braucht JavaScript. Öffnen Sie ohne JavaScript die Anmeldung der Anwendung außerhalb dieses Rahmens.',

    signedIn: 'Sie sind angemeldet',
    notSignedIn: 'Sie sind nicht angemeldet',
    continuesItself: 'Die Anwendung geht von selbst weiter.',

    replaceTitle: 'Als andere Person weiter?',
    replaceText: 'In diesem Browser ist eine andere Person angemeldet. Wenn Sie weitergehen, wird sie abgemeldet.',
    signedInNow: 'Angemeldet als',
    signedInNext: 'Weiter als',
    replaceWith: (email) => `Weiter als ${email}`,
    stayAs: (email) => `Abbrechen und als ${email} angemeldet bleiben`,

    signOutTitle: 'Abmelden',
    signedInAs: 'Angemeldet als',
    keepAccess: 'Anwendungen, denen Sie Zugriff erlaubt haben, behalten ihn; Sie können ihn auf Ihrer Kontoseite entziehen.',
    signOut: 'Abmelden',
    staySignedIn: 'Angemeldet bleiben',
    signedOutTitle: 'Abgemeldet',
    signedOut: 'Sie sind in diesem Browser abgemeldet.',
    goBackTo: 'Sie können dieses Fenster schließen oder zurückkehren zu',
    closeThisWindow: 'Sie können dieses Fenster schließen.',
    signInAgain: 'Neu anmelden',

    errors: {
      login_failed: () => 'Die E-Mail-Adresse oder das Passwort ist nicht richtig.',
      login_delayed: (seconds) =>
        `Zu viele Fehlversuche. Warten Sie ${seconds} ${seconds === 1 ? 'Sekunde' : 'Sekunden'} und versuchen Sie es noch einmal.`,
      rate_limited: (seconds) => `Zu viele Anfragen. Versuchen Sie es in ${seconds} Sekunden noch einmal.`,
    },
  },
});

export type SignInTexts = (typeof signInTexts)['en'];
