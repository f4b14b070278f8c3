import { messages } from '../language';

export const useMessages = messages({
  en: {
    navigation: 'Pages',
    library: 'Library',
    formats: 'Formats',
    playerConfigurations: 'Player configurations',
    shares: 'Shares',
    activity: 'Activity',
    settings: 'Settings',
    upload: 'Upload',
    uploading: (percent: number) => `Uploading ${percent} %`,
    personMenu: (name: string) => `Menu of ${name}`,
    account: 'Your account',
    documents: 'API documents',
    signOut: 'Sign out',
  },
  de: {
    navigation: 'Seiten',
    library: 'Mediathek',
    formats: 'Formate',
    playerConfigurations: 'Player-Konfigurationen',
    shares: 'Freigaben',
    activity: 'Aktivität',
    settings: 'Einstellungen',
    upload: 'Hochladen',
    uploading: (percent: number) => `${percent} % hochgeladen`,
    personMenu: (name: string) => `Menü von ${name}`,
    account: 'Ihr Konto',
    documents: 'API-Dokumente',
    signOut: 'Abmelden',
  },
});
