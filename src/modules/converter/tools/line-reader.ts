import { StringDecoder } from 'node:string_decoder';

/** Lines that are read are numbers and names; whoever writes a longer one is not read to its end. */
const LONGEST_LINE = 8_192;

/** Cuts what a program says into lines, the last of which need not end. */
export class LineReader {
  private readonly decoder = new StringDecoder('utf8');
  private begun = '';

  constructor(private readonly onLine: (line: string) => void) {}

  add(chunk: Buffer): void {
    const [rest = '', ...following] = this.decoder.write(chunk).split('\n');
    this.begun = (this.begun + rest).slice(0, LONGEST_LINE);
    for (const next of following) {
      this.onLine(this.begun.replace(/\r$/, ''));
      this.begun = next.slice(0, LONGEST_LINE);
    }
  }

  end(): void {
    if (this.begun !== '') this.onLine(this.begun);
    this.begun = '';
  }
}
