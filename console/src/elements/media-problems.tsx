import { Text } from '@mantine/core';
import type { components } from '@media-delivery/sdk';
import { messages } from '../language';

export type MediaProblem = components['schemas']['FileProblemResponse'];

/** What the problem of a file is in a few words, and what to do about it. */
const useTexts = messages({
  en: {
    names: {
      empty: 'Empty file',
      source_unreadable: 'Cannot be read',
      cut_off: 'End is missing',
      encrypted: 'Needs a password',
      wrong_type: 'Not what its name says',
      infected: 'Contains a virus',
      too_large: 'Too large to be checked for viruses',
    },
    advice: {
      empty: 'The file has no content. Upload it again, or move it to the trash.',
      source_unreadable: 'The file is damaged, or of a type that is not supported. Upload it again, or export it in another format.',
      cut_off: 'The file ends too early, so that a part of it is missing. Upload the complete file again.',
      encrypted: 'The file opens with a password only. Save it without a password, and upload it again.',
      wrong_type: 'The content of the file is of another type than it says. Upload the right file, or this one as what it is.',
      infected: 'The file is kept apart and is not delivered to anyone. Remove the virus, and upload the file again.',
      too_large: 'The file is not delivered, because it is too large to be checked. Upload a smaller one.',
    },
  },
  de: {
    names: {
      empty: 'Leere Datei',
      source_unreadable: 'Nicht lesbar',
      cut_off: 'Das Ende fehlt',
      encrypted: 'Braucht ein Passwort',
      wrong_type: 'Nicht, was der Name sagt',
      infected: 'Enthält einen Virus',
      too_large: 'Zu groß für die Prüfung auf Viren',
    },
    advice: {
      empty: 'Die Datei hat keinen Inhalt. Laden Sie sie noch einmal hoch oder legen Sie sie in den Papierkorb.',
      source_unreadable:
        'Die Datei ist beschädigt oder von einer Art, die nicht unterstützt wird. Laden Sie sie noch einmal hoch oder exportieren Sie sie in einem anderen Format.',
      cut_off: 'Die Datei endet zu früh, ein Teil fehlt. Laden Sie die vollständige Datei noch einmal hoch.',
      encrypted: 'Die Datei öffnet sich nur mit einem Passwort. Speichern Sie sie ohne Passwort und laden Sie sie noch einmal hoch.',
      wrong_type:
        'Der Inhalt der Datei ist von einer anderen Art, als sie angibt. Laden Sie die richtige Datei hoch oder diese als das, was sie ist.',
      infected:
        'Die Datei wird unter Verschluss gehalten und nicht ausgeliefert. Entfernen Sie den Virus und laden Sie die Datei noch einmal hoch.',
      too_large: 'Die Datei wird nicht ausgeliefert, weil sie für die Prüfung zu groß ist. Laden Sie eine kleinere hoch.',
    },
  },
});

/** The words for a problem: its name and what to do. */
export function useProblemText({ code }: MediaProblem): { readonly name: string; readonly advice: string } {
  const { names, advice } = useTexts();
  return { name: names[code], advice: advice[code] };
}

/** The name of a problem in a line of its own, for lists. */
export function ProblemName({ problem }: { problem: MediaProblem }) {
  const { name, advice } = useProblemText(problem);
  return (
    <Text size="xs" c="red" fw={600} truncate title={advice}>
      {name}
    </Text>
  );
}
