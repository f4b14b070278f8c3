import { messages } from '../language';
import type { Upload } from './uploads';

export const useMessages = messages({
  en: {
    title: 'Upload',
    close: 'Close',
    hint: 'Choose files, or drop files and folders anywhere in this window. Uploads go on while you look at other pages.',
    tags: 'Tags',
    tagsHint: 'For all files that you add from now on',
    choose: 'Choose files',
    drop: 'Drop to upload',
    files: (count: number) => (count === 1 ? '1 file' : `${count} files`),
    pause: (title: string) => `Pause ${title}`,
    resume: (title: string) => `Continue ${title}`,
    dismiss: (title: string) => `Remove ${title} from this list`,
    progressOf: (title: string) => `Progress of ${title}`,
    show: (name: string) => `Show ${name}`,
    state: (state: Upload['state'], loaded: string, total: string) =>
      ({
        running: `${loaded} of ${total}`,
        paused: `Paused at ${loaded} of ${total}`,
        failed: `Stopped at ${loaded} of ${total}`,
        completed: `${total} uploaded`,
      })[state],
  },
  de: {
    title: 'Hochladen',
    close: 'Schließen',
    hint: 'Wählen Sie Dateien aus oder ziehen Sie Dateien und Ordner in dieses Fenster. Das Hochladen geht weiter, während Sie andere Seiten ansehen.',
    tags: 'Schlagwörter',
    tagsHint: 'Für alle Dateien, die Sie ab jetzt hinzufügen',
    choose: 'Dateien auswählen',
    drop: 'Zum Hochladen loslassen',
    files: (count: number) => (count === 1 ? '1 Datei' : `${count} Dateien`),
    pause: (title: string) => `${title} anhalten`,
    resume: (title: string) => `${title} fortsetzen`,
    dismiss: (title: string) => `${title} aus dieser Liste entfernen`,
    progressOf: (title: string) => `Fortschritt von ${title}`,
    show: (name: string) => `${name} ansehen`,
    state: (state: Upload['state'], loaded: string, total: string) =>
      ({
        running: `${loaded} von ${total}`,
        paused: `Angehalten bei ${loaded} von ${total}`,
        failed: `Abgebrochen bei ${loaded} von ${total}`,
        completed: `${total} hochgeladen`,
      })[state],
  },
});
