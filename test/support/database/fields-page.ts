/** A line of docs/fields.md. */
export interface DocumentedField {
  /** As `table.column`. */
  readonly name: string;
  /** Files of the repository; null where no code reads the field. */
  readonly reader: string | null;
  /** "previous version": only processes of that version read the field, while an upgrade goes on. */
  readonly isForPreviousVersion: boolean;
  readonly test: string | null;
}

/** The lines of docs/fields.md: a heading per table, a row per column. */
export function parseFieldsPage(text: string): DocumentedField[] {
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const table = section.slice(0, section.indexOf('\n')).trim();
      const rows = [...section.matchAll(/^\| `(\w+)` \| (?:`([^`]+)`|(previous version))? ?\| (?:`([^`]+)`)? ?\|$/gm)];
      return rows.map(([, column, reader = null, previous, test = null]) => ({
        ...{ name: `${table}.${column}`, reader, test },
        isForPreviousVersion: previous !== undefined,
      }));
    });
}
