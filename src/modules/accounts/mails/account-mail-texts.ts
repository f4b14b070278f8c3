import type { Language } from '../languages.js';
import type { LinkPurpose } from '../links/account-link.entity.js';

/** What a text may mention. Values are inserted into plain text only. */
export interface MailContext {
  readonly service: string;
  readonly customer: string;
  /** The name of a passkey, an application, a browser or a person, or a new e-mail address. */
  readonly thing: string;
}

/** One kind of mail: what its link is for, and in each language its subject and first paragraphs. */
export interface MailKind {
  readonly link: LinkPurpose | null;
  /** Says when and with which browser it happened. */
  readonly isNotice: boolean;
  /** What the link of a notice does, where it does not undo the change; names the customer. */
  readonly notMe?: Readonly<Record<Language, (customer: string) => string>>;
  readonly texts: Readonly<Record<Language, (context: MailContext) => { readonly subject: string; readonly body: string }>>;
}

/** A notice of a change to the account, with a link for a person who did not make it. */
const notice = (en: (context: MailContext) => string, de: (context: MailContext) => string): MailKind => ({
  link: 'not-me',
  isNotice: true,
  texts: {
    en: (context) => ({ subject: `Your account at ${context.service} was changed`, body: en(context) }),
    de: (context) => ({ subject: `Ihr Konto bei ${context.service} wurde geändert`, body: de(context) }),
  },
});

/** Every kind of mail to users about their accounts. */
export const mailKinds = {
  'password-reset': {
    link: 'reset',
    isNotice: false,
    texts: {
      en: ({ service }) => ({
        subject: `Choose a new password for ${service}`,
        body: 'A new password was requested for your account, probably by you. Open this link to choose one. It is good once, for 30 minutes. If you did not ask for it, ignore this e-mail: your password stays as it is.',
      }),
      de: ({ service }) => ({
        subject: `Neues Passwort für ${service} wählen`,
        body: 'Jemand, vermutlich Sie, hat ein neues Passwort angefordert. Öffnen Sie diesen Link, um eines zu wählen. Er gilt einmal, 30 Minuten lang. Falls Sie das nicht waren, ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.',
      }),
    },
  },
  invitation: {
    link: 'invitation',
    isNotice: false,
    texts: {
      en: ({ service, customer }) => ({
        subject: `Your account at ${service}`,
        body: `${customer} has created an account for you at ${service}. Open this link to enter your name and choose a password. It is good once, for 7 days.`,
      }),
      de: ({ service, customer }) => ({
        subject: `Ihr Konto bei ${service}`,
        body: `${customer} hat bei ${service} ein Konto für Sie angelegt. Öffnen Sie diesen Link, um Ihren Namen einzugeben und ein Passwort zu wählen. Er gilt einmal, 7 Tage lang.`,
      }),
    },
  },
  'factor-reset': {
    link: 'factor-reset',
    isNotice: false,
    texts: {
      en: ({ service }) => ({
        subject: `Set up your second factor for ${service} again`,
        body: 'An administrator allows you to set up your second factor again. Open this link and enter your password. It is good once, for 24 hours. If you did not ask your administrator for it, ignore this e-mail and tell them.',
      }),
      de: ({ service }) => ({
        subject: `Zweiten Faktor für ${service} neu einrichten`,
        body: 'Die Administration erlaubt Ihnen, Ihren zweiten Faktor neu einzurichten. Öffnen Sie diesen Link und geben Sie Ihr Passwort ein. Er gilt einmal, 24 Stunden lang. Falls Sie nicht darum gebeten haben, ignorieren Sie diese E-Mail und melden Sie es.',
      }),
    },
  },
  'email-confirmation': {
    link: 'email',
    isNotice: false,
    texts: {
      en: ({ service }) => ({
        subject: `Confirm your e-mail address for ${service}`,
        body: 'This is to be the new e-mail address of your account. Open this link to confirm it. It is good once, for 30 minutes. If you did not ask for it, ignore this e-mail: nothing changes.',
      }),
      de: ({ service }) => ({
        subject: `E-Mail-Adresse für ${service} bestätigen`,
        body: 'Dies soll die neue E-Mail-Adresse Ihres Kontos werden. Öffnen Sie diesen Link, um sie zu bestätigen. Er gilt einmal, 30 Minuten lang. Falls Sie nicht darum gebeten haben, ignorieren Sie diese E-Mail: Es ändert sich nichts.',
      }),
    },
  },
  'email-assigned': {
    link: null,
    isNotice: false,
    texts: {
      en: ({ service, customer }) => ({
        subject: `Your account at ${service} was changed`,
        body: `An administrator of ${customer} made this the e-mail address of your account. You sign in with it from now on.`,
      }),
      de: ({ service, customer }) => ({
        subject: `Ihr Konto bei ${service} wurde geändert`,
        body: `Die Administration von ${customer} hat dies zur E-Mail-Adresse Ihres Kontos gemacht. Sie melden sich von jetzt an mit ihr an.`,
      }),
    },
  },
  'password-restricted': {
    link: null,
    isNotice: false,
    texts: {
      en: ({ service }) => ({
        subject: `Many wrong passwords for your account at ${service}`,
        body: '100 wrong passwords in a row were entered for your account. Your password now works only in browsers in which you have signed in before. To use it everywhere again, choose “Forgot your password?” on the sign-in page.',
      }),
      de: ({ service }) => ({
        subject: `Viele falsche Passwörter für Ihr Konto bei ${service}`,
        body: 'Jemand hat für Ihr Konto 100 falsche Passwörter eingegeben. Ihr Passwort gilt jetzt nur noch in Browsern, in denen Sie sich schon angemeldet haben. Damit es wieder überall gilt, wählen Sie auf der Anmeldeseite „Passwort vergessen?“.',
      }),
    },
  },
  'password-changed': notice(
    () => 'Your password was changed.',
    () => 'Ihr Passwort wurde geändert.',
  ),
  'name-changed': notice(
    () => 'Your name was changed.',
    () => 'Ihr Name wurde geändert.',
  ),
  'email-changed': notice(
    ({ thing }) => `The e-mail address of your account was changed to ${thing}. The link in this e-mail restores the earlier one.`,
    ({ thing }) => `Die E-Mail-Adresse Ihres Kontos wurde in ${thing} geändert. Der Link in dieser E-Mail stellt die bisherige wieder her.`,
  ),
  'email-reassigned': {
    ...notice(
      ({ customer, thing }) => `An administrator of ${customer} changed the e-mail address of your account to ${thing}.`,
      ({ customer, thing }) => `Die Administration von ${customer} hat die E-Mail-Adresse Ihres Kontos in ${thing} geändert.`,
    ),
    notMe: {
      en: (customer) =>
        `If you know of this change, there is nothing to do. If not, open this link within 7 days: it asks the administrators of ${customer}. Nothing changes by itself.`,
      de: (customer) =>
        `Falls Sie von dieser Änderung wissen, ist nichts zu tun. Falls nicht, öffnen Sie innerhalb von 7 Tagen diesen Link: Er fragt die Administration von ${customer}. Von selbst ändert sich nichts.`,
    },
  },
  'email-disputed': {
    link: null,
    isNotice: false,
    texts: {
      en: ({ service, thing }) => ({
        subject: `A changed e-mail address at ${service} is disputed`,
        body: `An administrator changed the e-mail address of ${thing}. The reader of the earlier address answered the notice with “this was not me”. Nothing was changed. Ask the person, not by e-mail. If the change was wrong, correct the address; otherwise end all sessions of the person, so that no earlier notice is good any more.`,
      }),
      de: ({ service, thing }) => ({
        subject: `Eine geänderte E-Mail-Adresse bei ${service} wird bestritten`,
        body: `Die Administration hat die E-Mail-Adresse von ${thing} geändert. Wer die bisherige Adresse liest, hat auf die Nachricht mit „Das war ich nicht“ geantwortet. Geändert wurde nichts. Fragen Sie die Person, aber nicht per E-Mail. War die Änderung falsch, berichtigen Sie die Adresse; sonst beenden Sie alle Sitzungen der Person, damit keine frühere Nachricht mehr gilt.`,
      }),
    },
  },
  'session-ended': notice(
    ({ thing }) => `A browser was signed out of your account: ${thing}.`,
    ({ thing }) => `Ein Browser wurde von Ihrem Konto abgemeldet: ${thing}.`,
  ),
  'other-sessions-ended': notice(
    () => 'All browsers except one were signed out of your account.',
    () => 'Alle Browser außer einem wurden von Ihrem Konto abgemeldet.',
  ),
  'application-revoked': notice(
    ({ thing }) => `The access of the application “${thing}” to your account was revoked.`,
    ({ thing }) => `Der Anwendung „${thing}“ wurde der Zugriff auf Ihr Konto entzogen.`,
  ),
  'support-opened': notice(
    ({ customer, thing }) => `With your account, support staff were allowed to act on behalf of the users of ${customer} until ${thing}.`,
    ({ customer, thing }) => `Mit Ihrem Konto wurde dem Support erlaubt, bis ${thing} im Namen der Benutzer von ${customer} zu handeln.`,
  ),
  'support-closed': notice(
    ({ customer }) => `With your account, the access of support staff to the accounts of ${customer} was ended.`,
    ({ customer }) => `Mit Ihrem Konto wurde der Zugriff des Supports auf die Konten von ${customer} beendet.`,
  ),
  'authenticator-added': notice(
    () => 'An authenticator app was added to your account.',
    () => 'Eine Authenticator-App wurde zu Ihrem Konto hinzugefügt.',
  ),
  'authenticator-removed': notice(
    () => 'The authenticator app was removed from your account.',
    () => 'Die Authenticator-App wurde aus Ihrem Konto entfernt.',
  ),
  'passkey-added': notice(
    ({ thing }) => `The passkey “${thing}” was added to your account.`,
    ({ thing }) => `Der Passkey „${thing}“ wurde zu Ihrem Konto hinzugefügt.`,
  ),
  'passkey-renamed': notice(
    ({ thing }) => `A passkey of your account was renamed to “${thing}”.`,
    ({ thing }) => `Ein Passkey Ihres Kontos wurde in „${thing}“ umbenannt.`,
  ),
  'passkey-removed': notice(
    ({ thing }) => `The passkey “${thing}” was removed from your account.`,
    ({ thing }) => `Der Passkey „${thing}“ wurde aus Ihrem Konto entfernt.`,
  ),
  'recovery-codes-created': notice(
    () => 'New recovery codes were created for your account. The earlier ones no longer work.',
    () => 'Für Ihr Konto wurden neue Wiederherstellungscodes erzeugt. Die früheren gelten nicht mehr.',
  ),
  'recovery-code-used': notice(
    () => 'A recovery code was used to sign in to your account.',
    () => 'Mit einem Wiederherstellungscode wurde bei Ihrem Konto angemeldet.',
  ),
  'second-factor-reset': notice(
    () => 'The second factors of your account were removed. You set up a new one when you sign in next.',
    () => 'Die zweiten Faktoren Ihres Kontos wurden entfernt. Bei der nächsten Anmeldung richten Sie einen neuen ein.',
  ),
  'wrong-second-factor': notice(
    () => 'Your password was entered together with a wrong second factor. If it was not you, change your password.',
    () => 'Jemand hat Ihr Passwort, aber einen falschen zweiten Faktor eingegeben. Falls Sie es nicht waren, ändern Sie Ihr Passwort.',
  ),
} as const satisfies Readonly<Record<string, MailKind>>;

export type MailKindName = keyof typeof mailKinds;

/** The sentences around the texts. */
export const frameTexts: Readonly<
  Record<
    Language,
    {
      greet(name: string): string;
      happened(at: string, where: string): string;
      notMe: string;
      sentBy(service: string, host: string): string;
    }
  >
> = {
  en: {
    greet: (name) => (name ? `Hello ${name},` : 'Hello,'),
    happened: (at, where) => `When: ${at}\nWhere: ${where}`,
    notMe:
      'If this was you, there is nothing to do. If this was not you, open this link within 7 days: it restores the earlier address, shows what to remove (second factors, browsers, applications), and you choose a new password.',
    sentBy: (service, host) => `This e-mail was sent by ${service} (${host}).`,
  },
  de: {
    greet: (name) => (name ? `Guten Tag ${name},` : 'Guten Tag,'),
    happened: (at, where) => `Wann: ${at}\nWo: ${where}`,
    notMe:
      'Falls Sie das waren, ist nichts zu tun. Falls Sie es nicht waren, öffnen Sie innerhalb von 7 Tagen diesen Link: Er stellt die bisherige Adresse wieder her, zeigt, was zu entfernen ist (zweite Faktoren, Browser, Anwendungen), und Sie wählen ein neues Passwort.',
    sentBy: (service, host) => `Diese E-Mail kommt von ${service} (${host}).`,
  },
};
