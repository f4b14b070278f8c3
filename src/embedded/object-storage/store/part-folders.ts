import type { Disk } from './disk.js';
import { partsFolder } from './storage-paths.js';

/** The folders with parts: one that is being read stays until the last reader has let go, also when its object was replaced. */
export class PartFolders {
  private readonly readers = new Map<string, number>();
  private readonly doomed = new Set<string>();

  constructor(private readonly disk: Disk) {}

  hold(uploadId: string): void {
    this.readers.set(uploadId, (this.readers.get(uploadId) ?? 0) + 1);
  }

  async release(uploadId: string): Promise<void> {
    const left = (this.readers.get(uploadId) ?? 1) - 1;
    if (left > 0) return void this.readers.set(uploadId, left);
    this.readers.delete(uploadId);
    if (this.doomed.delete(uploadId)) await this.remove(uploadId);
  }

  async remove(uploadId: string): Promise<void> {
    if (this.readers.has(uploadId)) this.doomed.add(uploadId);
    else await this.disk.remove(partsFolder(this.disk.paths, uploadId));
  }
}
