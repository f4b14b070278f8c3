import { Injectable } from '@nestjs/common';
import type { IsolationReport } from './converter-worker.entity.js';

/** What holds programs in on this machine; tried once. */
@Injectable()
export class Isolation {
  async report(): Promise<IsolationReport> {
    return { limits: false, network: false, processes: false };
  }
}
