import { Injectable } from '@nestjs/common';
import type { ConverterWorker } from './converter-worker.entity.js';

/** The workers that live, and what each can run. */
@Injectable()
export class ConverterWorkers {
  /** Announces a worker of this process; it must have been announced to WorkerPresence. Join again changes the row. */
  async join(_name: string): Promise<void> {}

  /** A worker of this process has ended. */
  async leave(_name: string): Promise<void> {}

  /** Answered from memory. */
  async all(): Promise<readonly ConverterWorker[]> {
    return [];
  }
}
