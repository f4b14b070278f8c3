import { StorageError } from '../http/storage-error.js';

/** Reads lines and data from a stream of buffers; data is handed on in the pieces in which it came, without copying. */
export class ByteQueue {
  private readonly source: AsyncIterator<Buffer>;
  private head: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** A line without its CRLF. With `orEnd` the end of the stream ends it too. @throws StorageError for one that is too long or not complete */
  async line(maxBytes: number, { orEnd = false } = {}): Promise<string> {
    for (let searched = 0; ; ) {
      const end = this.head.indexOf('\r\n', Math.max(0, searched - 1));
      if (end !== -1) return this.take(end + 2).toString('latin1', 0, end);
      if (this.head.length > maxBytes) throw new StorageError('InvalidRequest', 'A line of the chunked body is too long.');
      searched = this.head.length;
      if (await this.more()) continue;
      if (orEnd && this.head.length === 0) return '';
      throw new StorageError('IncompleteBody');
    }
  }

  /** At least one byte and at most `count`. */
  async upTo(count: number): Promise<Buffer> {
    while (this.head.length === 0) if (!(await this.more())) throw new StorageError('IncompleteBody');
    return this.take(Math.min(count, this.head.length));
  }

  /** Reads to the end of the stream, where nothing more must come. */
  async drain(): Promise<void> {
    while (await this.more()) if (this.head.length > 0) break;
    if (this.head.length > 0) throw new StorageError('InvalidRequest', 'More follows after the last chunk.');
  }

  private take(count: number): Buffer {
    const taken = this.head.subarray(0, count);
    this.head = this.head.subarray(count);
    return taken;
  }

  private async more(): Promise<boolean> {
    const { value, done } = await this.source.next();
    if (done) return false;
    this.head = this.head.length === 0 ? value : Buffer.concat([this.head, value]);
    return true;
  }
}
