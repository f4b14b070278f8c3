/** A column of docs/fields.md. */
export interface DocumentedField {
  /** As `table.column`. */
  readonly name: string;
  /** Files of the repository; null where no code reads the field. */
  readonly reader: string | null;
  /** "previous version": only processes of that version read the field, while an upgrade goes on. */
  readonly isForPreviousVersion: boolean;
  readonly test: string | null;
}

const namesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The columns of docs/fields.md: a heading per table, a line per reader and test with the columns that have both in common. */
export function parseFieldsPage(text: string): DocumentedField[] {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const table = section.slice(0, section.indexOf('\n')).trim();
      return [...section.matchAll(/^\* ([^:\n]+): (.+)$/gm)].flatMap(([, columns = '', readBy = '']) => {
        const [reader = null, test = null] = namesIn(readBy);
        const isForPreviousVersion = readBy === 'previous version';
        return namesIn(columns).map((column) => ({ name: `${table}.${column}`, reader, test, isForPreviousVersion }));
      });
    });
}
