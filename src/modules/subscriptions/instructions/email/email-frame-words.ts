import type { EmailLanguage } from './email-language.js';

/** What every mail says around its content. */
interface FrameWords {
  readonly hint: string;
  sentBy(service: string, host: string): string;
}

export const emailFrameWords: Readonly<Record<EmailLanguage, FrameWords>> = {
  en: {
    hint: 'If the button does not work, open this address in your browser:',
    sentBy: (service, host) => `${service} at ${host} sent this e-mail automatically.`,
  },
  de: {
    hint: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diese Adresse in Ihrem Browser:',
    sentBy: (service, host) => `${service} auf ${host} hat diese E-Mail automatisch gesendet.`,
  },
};
