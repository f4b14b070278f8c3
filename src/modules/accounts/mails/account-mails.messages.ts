import { messages } from '../../../shared/languages.js';
import type { LinkPurpose } from '../links/account-link.entity.js';

/** What a text may mention. Values are inserted into plain text only. */
export interface MailContext {
  readonly service: string;
  readonly customer: string;
  /** The name of a passkey, an application, a browser or a person, or a new e-mail address. */
  readonly thing: string;
}

/**
 * Every kind of mail to users about their accounts, with what its link is for. A mail with `not-me` is the notice of a change: it says when and with
 * which browser it happened, and its link is for a person who did not make it.
 */
export const linksOfMails = {
  'password-reset': 'reset',
  invitation: 'invitation',
  'factor-reset': 'factor-reset',
  'email-confirmation': 'email',
  'email-assigned': null,
  'password-restricted': null,
  'password-changed': 'not-me',
  'name-changed': 'not-me',
  'email-changed': 'not-me',
  'email-reassigned': 'not-me',
  'email-disputed': null,
  'session-ended': 'not-me',
  'other-sessions-ended': 'not-me',
  'application-revoked': 'not-me',
  'support-opened': 'not-me',
  'support-closed': 'not-me',
  'authenticator-added': 'not-me',
  'authenticator-removed': 'not-me',
  'passkey-added': 'not-me',
  'passkey-renamed': 'not-me',
  'passkey-removed': 'not-me',
  'recovery-codes-created': 'not-me',
  'recovery-code-used': 'not-me',
  'second-factor-reset': 'not-me',
  'wrong-second-factor': 'not-me',
} as const satisfies Readonly<Record<string, LinkPurpose | null>>;

export type MailKindName = keyof typeof linksOfMails;

/** The other mails say that the account was changed. */
type MailWithSubject = 'password-reset' | 'invitation' | 'factor-reset' | 'email-confirmation' | 'password-restricted' | 'email-disputed';

export type Write = (context: MailContext) => string;

interface AccountMailTexts {
  readonly greet: (name: string) => string;
  readonly happened: (at: string, where: string) => string;
  readonly notMe: string;
  /** Instead of `notMe` if an administrator changed the address, because the link does not undo it. */
  readonly notMyRequest: (customer: string) => string;
  readonly sentBy: (service: string, host: string) => string;
  readonly changed: Write;
  readonly subjects: Readonly<Record<MailWithSubject, Write>>;
  readonly bodies: Readonly<Record<MailKindName, Write>>;
}

export const accountMailTexts = messages<AccountMailTexts>({
  en: {
    greet: (name) => (name ? `Hello ${name},` : 'Hello,'),
    happened: (at, where) => `When: ${at}\nWhere: ${where}`,
    notMe:
      'If this was you, there is nothing to do. If this was not you, open this link within 7 days: it restores the earlier address, shows what to remove (second factors, browsers, applications), and you choose a new password.',
    sentBy: (service, host) => `This e-mail was sent by ${service} (${host}).`,
    notMyRequest: (customer) =>
      `If you know of this change, there is nothing to do. If not, open this link within 7 days: it asks the administrators of ${customer}. Nothing changes by itself.`,
    changed: ({ service }) => `Your account at ${service} was changed`,
    subjects: {
      'password-reset': ({ service }) => `Choose a new password for ${service}`,
      invitation: ({ service }) => `Your account at ${service}`,
      'factor-reset': ({ service }) => `Set up your second factor for ${service} again`,
      'email-confirmation': ({ service }) => `Confirm your e-mail address for ${service}`,
      'password-restricted': ({ service }) => `Many wrong passwords for your account at ${service}`,
      'email-disputed': ({ service }) => `A changed e-mail address at ${service} is disputed`,
    },
    bodies: {
      'password-reset': () =>
        'A new password was requested for your account, probably by you. Open this link to choose one. It is good once, for 30 minutes. If you did not ask for it, ignore this e-mail: your password stays as it is.',
      invitation: ({ service, customer }) =>
        `${customer} has created an account for you at ${service}. Open this link to enter your name and choose a password. It is good once, for 7 days.`,
      'factor-reset': () =>
        'An administrator allows you to set up your second factor again. Open this link and enter your password. It is good once, for 24 hours. If you did not ask your administrator for it, ignore this e-mail and tell them.',
      'email-confirmation': () =>
        'This is to be the new e-mail address of your account. Open this link to confirm it. It is good once, for 30 minutes. If you did not ask for it, ignore this e-mail: nothing changes.',
      'email-assigned': ({ customer }) =>
        `An administrator of ${customer} made this the e-mail address of your account. You sign in with it from now on.`,
      'password-restricted': () =>
        '100 wrong passwords in a row were entered for your account. Your password now works only in browsers in which you have signed in before. To use it everywhere again, choose “Forgot your password?” on the sign-in page.',
      'password-changed': () => 'Your password was changed.',
      'name-changed': () => 'Your name was changed.',
      'email-changed': ({ thing }) =>
        `The e-mail address of your account was changed to ${thing}. The link in this e-mail restores the earlier one.`,
      'email-reassigned': ({ customer, thing }) =>
        `An administrator of ${customer} changed the e-mail address of your account to ${thing}.`,
      'email-disputed': ({ thing }) =>
        `An administrator changed the e-mail address of ${thing}. The reader of the earlier address answered the notice with “this was not me”. Nothing was changed. Ask the person, not by e-mail. If the change was wrong, correct the address; otherwise end all sessions of the person, so that no earlier notice is good any more.`,
      'session-ended': ({ thing }) => `A browser was signed out of your account: ${thing}.`,
      'other-sessions-ended': () => 'All browsers except one were signed out of your account.',
      'application-revoked': ({ thing }) => `The access of the application “${thing}” to your account was revoked.`,
      'support-opened': ({ customer, thing }) =>
        `With your account, support staff were allowed to act on behalf of the users of ${customer} until ${thing}.`,
      'support-closed': ({ customer }) => `With your account, the access of support staff to the accounts of ${customer} was ended.`,
      'authenticator-added': () => 'An authenticator app was added to your account.',
      'authenticator-removed': () => 'The authenticator app was removed from your account.',
      'passkey-added': ({ thing }) => `The passkey “${thing}” was added to your account.`,
      'passkey-renamed': ({ thing }) => `A passkey of your account was renamed to “${thing}”.`,
      'passkey-removed': ({ thing }) => `The passkey “${thing}” was removed from your account.`,
      'recovery-codes-created': () => 'New recovery codes were created for your account. The earlier ones no longer work.',
      'recovery-code-used': () => 'A recovery code was used to sign in to your account.',
      'second-factor-reset': () => 'The second factors of your account were removed. You set up a new one when you sign in next.',
      'wrong-second-factor': () =>
        'Your password was entered together with a wrong second factor. If it was not you, change your password.',
    },
  },
  de: {
    greet: (name) => (name ? `Guten Tag ${name},` : 'Guten Tag,'),
    happened: (at, where) => `Wann: ${at}\nWo: ${where}`,
    notMe:
      'Falls Sie das waren, ist nichts zu tun. Falls Sie es nicht waren, öffnen Sie innerhalb von 7 Tagen diesen Link: Er stellt die bisherige Adresse wieder her, zeigt, was zu entfernen ist (zweite Faktoren, Browser, Anwendungen), und Sie wählen ein neues Passwort.',
    sentBy: (service, host) => `Diese E-Mail kommt von ${service} (${host}).`,
    notMyRequest: (customer) =>
      `Falls Sie von dieser Änderung wissen, ist nichts zu tun. Falls nicht, öffnen Sie innerhalb von 7 Tagen diesen Link: Er fragt die Administration von ${customer}. Von selbst ändert sich nichts.`,
    changed: ({ service }) => `Ihr Konto bei ${service} wurde geändert`,
    subjects: {
      'password-reset': ({ service }) => `Neues Passwort für ${service} wählen`,
      invitation: ({ service }) => `Ihr Konto bei ${service}`,
      'factor-reset': ({ service }) => `Zweiten Faktor für ${service} neu einrichten`,
      'email-confirmation': ({ service }) => `E-Mail-Adresse für ${service} bestätigen`,
      'password-restricted': ({ service }) => `Viele falsche Passwörter für Ihr Konto bei ${service}`,
      'email-disputed': ({ service }) => `Eine geänderte E-Mail-Adresse bei ${service} wird bestritten`,
    },
    bodies: {
      'password-reset': () =>
        'Jemand, vermutlich Sie, hat ein neues Passwort angefordert. Öffnen Sie diesen Link, um eines zu wählen. Er gilt einmal, 30 Minuten lang. Falls Sie das nicht waren, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.',
      invitation: ({ service, customer }) =>
        `${customer} hat bei ${service} ein Konto für Sie angelegt. Öffnen Sie diesen Link, um Ihren Namen einzugeben und ein Passwort zu wählen. Er gilt einmal, 7 Tage lang.`,
      'factor-reset': () =>
        'Die Administration erlaubt Ihnen, Ihren zweiten Faktor neu einzurichten. Öffnen Sie diesen Link und geben Sie Ihr Passwort ein. Er gilt einmal, 24 Stunden lang. Falls Sie nicht darum gebeten haben, ignorieren Sie diese E-Mail und melden Sie es.',
      'email-confirmation': () =>
        'Dies soll die neue E-Mail-Adresse Ihres Kontos werden. Öffnen Sie diesen Link, um sie zu bestätigen. Er gilt einmal, 30 Minuten lang. Falls Sie nicht darum gebeten haben, ignorieren Sie diese E-Mail: Es ändert sich nichts.',
      'email-assigned': ({ customer }) =>
        `Die Administration von ${customer} hat dies zur E-Mail-Adresse Ihres Kontos gemacht. Sie melden sich von jetzt an mit ihr an.`,
      'password-restricted': () =>
        'Jemand hat für Ihr Konto 100 falsche Passwörter eingegeben. Ihr Passwort gilt jetzt nur noch in Browsern, in denen Sie sich schon angemeldet haben. Damit es wieder überall gilt, wählen Sie auf der Anmeldeseite „Passwort vergessen?“.',
      'password-changed': () => 'Ihr Passwort wurde geändert.',
      'name-changed': () => 'Ihr Name wurde geändert.',
      'email-changed': ({ thing }) =>
        `Die E-Mail-Adresse Ihres Kontos wurde in ${thing} geändert. Der Link in dieser E-Mail stellt die bisherige wieder her.`,
      'email-reassigned': ({ customer, thing }) =>
        `Die Administration von ${customer} hat die E-Mail-Adresse Ihres Kontos in ${thing} geändert.`,
      'email-disputed': ({ thing }) =>
        `Die Administration hat die E-Mail-Adresse von ${thing} geändert. Wer die bisherige Adresse liest, hat auf die Nachricht mit „Das war ich nicht“ geantwortet. Geändert wurde nichts. Fragen Sie die Person, aber nicht per E-Mail. War die Änderung falsch, berichtigen Sie die Adresse; sonst beenden Sie alle Sitzungen der Person, damit keine frühere Nachricht mehr gilt.`,
      'session-ended': ({ thing }) => `Ein Browser wurde von Ihrem Konto abgemeldet: ${thing}.`,
      'other-sessions-ended': () => 'Alle Browser außer einem wurden von Ihrem Konto abgemeldet.',
      'application-revoked': ({ thing }) => `Der Anwendung „${thing}“ wurde der Zugriff auf Ihr Konto entzogen.`,
      'support-opened': ({ customer, thing }) =>
        `Mit Ihrem Konto wurde dem Support erlaubt, bis ${thing} im Namen der Benutzer von ${customer} zu handeln.`,
      'support-closed': ({ customer }) => `Mit Ihrem Konto wurde der Zugriff des Supports auf die Konten von ${customer} beendet.`,
      'authenticator-added': () => 'Eine Authenticator-App wurde zu Ihrem Konto hinzugefügt.',
      'authenticator-removed': () => 'Die Authenticator-App wurde aus Ihrem Konto entfernt.',
      'passkey-added': ({ thing }) => `Der Passkey „${thing}“ wurde zu Ihrem Konto hinzugefügt.`,
      'passkey-renamed': ({ thing }) => `Ein Passkey Ihres Kontos wurde in „${thing}“ umbenannt.`,
      'passkey-removed': ({ thing }) => `Der Passkey „${thing}“ wurde aus Ihrem Konto entfernt.`,
      'recovery-codes-created': () => 'Für Ihr Konto wurden neue Wiederherstellungscodes erzeugt. Die früheren gelten nicht mehr.',
      'recovery-code-used': () => 'Mit einem Wiederherstellungscode wurde bei Ihrem Konto angemeldet.',
      'second-factor-reset': () =>
        'Die zweiten Faktoren Ihres Kontos wurden entfernt. Bei der nächsten Anmeldung richten Sie einen neuen ein.',
      'wrong-second-factor': () =>
        'Jemand hat Ihr Passwort, aber einen falschen zweiten Faktor eingegeben. Falls Sie es nicht waren, ändern Sie Ihr Passwort.',
    },
  },
});
