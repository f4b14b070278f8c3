import { messages } from '../language';

/** The pages of the team, by their addresses below /team. */
export const SECTIONS = ['people', 'applications', 'access-keys', 'identity-providers', 'audit'] as const;
export type Section = (typeof SECTIONS)[number];

export const useMessages = messages({
  en: {
    title: 'Team',
    pages: 'Pages of the team',
    sections: {
      people: 'People',
      applications: 'Applications',
      'access-keys': 'Access keys',
      'identity-providers': 'Single sign-on',
      audit: 'Audit',
    } satisfies Record<Section, string>,
    loading: 'Loading',
    more: 'Show more',
    support: 'You have support access. You see everything here, and cannot change it.',
    secretTitle: 'Shown only now',
    secretWarning: 'Copy it to a safe place. It cannot be shown again; if it is lost, create a new one.',
    copy: (label: string) => `Copy: ${label}`,
    done: 'I have copied it',
    refusals: {
      last_administrator: 'This is the last administrator of the organisation who can sign in. Make another person an administrator first.',
      email_taken: 'Another user, perhaps of another organisation, has this e-mail address.',
      invitation_accepted: 'This person has a password already, or signs in at an identity provider.',
      user_disabled: 'This person is disabled and gets no mails. Enable them first.',
      factor_reset_impossible: 'This person is disabled or does not sign in with a password, so that such a mail would not help.',
      mails_unavailable: 'This installation sends no e-mails. The operator has to configure a mail server first.',
      customer_name_taken: 'Another customer has this name.',
      sso_identifier_taken: 'Another identity provider has this identifier.',
      client_id_taken: 'Another application has this client ID.',
      use_account_page:
        'You change your own address, password and second factors on your account page, and can only lower your own level here.',
      admin_level_not_sufficient: 'Your level is not sufficient for this.',
      operator_only: 'Only operators of the service may do this.',
      support_access_denied: 'Support access lets you read this, and not change it.',
      erasure_unfinished: 'Not everything is erased yet. Delete the person again to go on.',
    },
  },
  de: {
    title: 'Team',
    pages: 'Seiten des Teams',
    sections: {
      people: 'Personen',
      applications: 'Anwendungen',
      'access-keys': 'Zugriffsschlüssel',
      'identity-providers': 'Single Sign-on',
      audit: 'Protokoll',
    },
    loading: 'Wird geladen',
    more: 'Mehr anzeigen',
    support: 'Sie haben Support-Zugriff. Sie sehen hier alles, können aber nichts ändern.',
    secretTitle: 'Nur jetzt zu sehen',
    secretWarning: 'Kopieren Sie es an einen sicheren Ort. Es wird nicht noch einmal angezeigt; geht es verloren, erzeugen Sie ein neues.',
    copy: (label: string) => `Kopieren: ${label}`,
    done: 'Ich habe es kopiert',
    refusals: {
      last_administrator:
        'Das ist die letzte Person, die die Organisation verwaltet und sich anmelden kann. Geben Sie zuerst einer anderen diese Stufe.',
      email_taken: 'Eine andere Person, vielleicht aus einer anderen Organisation, hat diese E-Mail-Adresse.',
      invitation_accepted: 'Diese Person hat schon ein Passwort oder meldet sich bei einem Identitätsanbieter an.',
      user_disabled: 'Diese Person ist gesperrt und bekommt keine E-Mails. Heben Sie zuerst die Sperre auf.',
      factor_reset_impossible:
        'Diese Person ist gesperrt oder meldet sich nicht mit einem Passwort an, so dass eine solche E-Mail nicht hilft.',
      mails_unavailable: 'Diese Installation verschickt keine E-Mails. Der Betreiber muss zuerst einen Mailserver einrichten.',
      customer_name_taken: 'Ein anderer Kunde hat diesen Namen.',
      sso_identifier_taken: 'Ein anderer Identitätsanbieter hat diese Kennung.',
      client_id_taken: 'Eine andere Anwendung hat diese Client-ID.',
      use_account_page:
        'Ihre eigene Adresse, Ihr Passwort und Ihre zweiten Faktoren ändern Sie auf Ihrer Kontoseite; Ihre eigene Stufe können Sie hier nur senken.',
      admin_level_not_sufficient: 'Ihre Stufe reicht dafür nicht aus.',
      operator_only: 'Das dürfen nur die Betreiber des Dienstes.',
      support_access_denied: 'Mit Support-Zugriff können Sie das lesen, aber nicht ändern.',
      erasure_unfinished: 'Noch ist nicht alles gelöscht. Löschen Sie die Person noch einmal, um fortzufahren.',
    },
  },
});
