import { messages } from '../language';
import type { Upload } from './upload-list';

export const useMessages = messages({
  en: {
    title: 'Upload',
    close: 'Close',
    hint: 'Choose files, or drop files and folders anywhere in this window. Uploads go on while you look at other pages.',
    tags: 'Tags of all these files',
    license: 'Licence of all these files',
    choose: 'Choose files',
    chooseFolder: 'Choose a folder',
    chosen: 'Files to upload',
    leaveOut: (name: string) => `Leave out ${name}`,
    more: (count: string) => `And ${count} more.`,
    start: (shown: string, count: number) => (count === 1 ? 'Upload 1 file' : `Upload ${shown} files`),
    retry: 'Try again',
    uploadOthers: 'Upload the other files',
    interrupted: (count: number) =>
      count === 1
        ? 'Choose the same file again to continue. What has arrived is not sent again.'
        : `Choose the same ${count} files again to continue. What has arrived is not sent again.`,
    chooseAgain: 'Choose again',
    otherFiles: 'These are not all files of this upload: names and sizes have to be the same.',
    notDone: 'The files have arrived, but not everything was done with them.',
    drop: 'Drop to upload',
    files: (shown: string, count: number) => (count === 1 ? '1 file' : `${shown} files`),
    pause: (title: string) => `Pause ${title}`,
    resume: (title: string) => `Continue ${title}`,
    dismiss: (title: string) => `Remove ${title} from this list`,
    cancel: (title: string) => `Cancel ${title}`,
    notCancelled: 'What had arrived of the upload could not be removed',
    duplicate: 'The same file is there already.',
    showOther: 'Show it',
    progressOf: (title: string) => `Progress of ${title}`,
    show: (name: string) => `Show ${name}`,
    state: (state: Upload['state'], loaded: string, total: string) =>
      ({
        waiting: 'Waiting for the upload before it',
        interrupted: `Interrupted, ${total} in all`,
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
    tags: 'Schlagwörter aller dieser Dateien',
    license: 'Lizenz aller dieser Dateien',
    choose: 'Dateien auswählen',
    chooseFolder: 'Ordner auswählen',
    chosen: 'Dateien zum Hochladen',
    leaveOut: (name: string) => `${name} weglassen`,
    more: (count: string) => `Und ${count} weitere.`,
    start: (shown: string, count: number) => (count === 1 ? '1 Datei hochladen' : `${shown} Dateien hochladen`),
    retry: 'Erneut versuchen',
    uploadOthers: 'Die anderen Dateien hochladen',
    interrupted: (count: number) =>
      count === 1
        ? 'Wählen Sie dieselbe Datei noch einmal aus, um fortzufahren. Was angekommen ist, wird nicht noch einmal gesendet.'
        : `Wählen Sie dieselben ${count} Dateien noch einmal aus, um fortzufahren. Was angekommen ist, wird nicht noch einmal gesendet.`,
    chooseAgain: 'Erneut auswählen',
    otherFiles: 'Das sind nicht alle Dateien dieses Uploads: Namen und Größen müssen gleich sein.',
    notDone: 'Die Dateien sind angekommen, aber nicht alles wurde mit ihnen getan.',
    drop: 'Zum Hochladen loslassen',
    files: (shown: string, count: number) => (count === 1 ? '1 Datei' : `${shown} Dateien`),
    pause: (title: string) => `${title} anhalten`,
    resume: (title: string) => `${title} fortsetzen`,
    dismiss: (title: string) => `${title} aus dieser Liste entfernen`,
    cancel: (title: string) => `${title} abbrechen`,
    notCancelled: 'Was von dem Upload angekommen war, konnte nicht entfernt werden',
    duplicate: 'Dieselbe Datei ist schon da.',
    showOther: 'Ansehen',
    progressOf: (title: string) => `Fortschritt von ${title}`,
    show: (name: string) => `${name} ansehen`,
    state: (state: Upload['state'], loaded: string, total: string) =>
      ({
        waiting: 'Wartet auf den Upload davor',
        interrupted: `Unterbrochen, insgesamt ${total}`,
        running: `${loaded} von ${total}`,
        paused: `Angehalten bei ${loaded} von ${total}`,
        failed: `Abgebrochen bei ${loaded} von ${total}`,
        completed: `${total} hochgeladen`,
      })[state],
  },
});
