/** For a person who wants to know why; a program may say any amount. */
const KEPT_CHARACTERS = 4_096;
/** UTF-8 takes up to four bytes a character, and names of folders become shorter. */
const KEPT_BYTES = 4 * KEPT_CHARACTERS;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours of a terminal begin with one
const COLORS = /\u001b\[[\d;]*m/g;
/** The folders of an absolute path; addresses, fractions and relative paths stay. */
const FOLDERS = /(?<![\w.:/])(?:\/[^\s/:'"()]+)+\//g;

/** The end of what a program said. */
export class LastWords {
  private kept = Buffer.alloc(0);

  add(chunk: Buffer): void {
    const all = Buffer.concat([this.kept, chunk.subarray(-KEPT_BYTES)]);
    this.kept = Buffer.from(all.subarray(-KEPT_BYTES));
  }

  /** As text for the owner of the media: without control characters, and without the folders of this machine. */
  text(folder: string): string {
    return this.kept
      .toString('utf8')
      .replaceAll('\r', '\n')
      .replace(COLORS, '')
      .replace(CONTROL, '')
      .replaceAll(`${folder}/`, '')
      .replace(FOLDERS, '')
      .replace(/\n{2,}/g, '\n')
      .trim()
      .slice(-KEPT_CHARACTERS);
  }
}
