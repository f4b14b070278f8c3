import { Injectable } from '@nestjs/common';

/** Is notified of the end of a format, in the transaction that decides it. */
export interface FormatDestructionListener {
  formatDestroyed(formatId: number): Promise<void>;
}

/** The port by which other modules react to the end of a format, for example by removing it from player configurations. */
@Injectable()
export class FormatDestructionListeners {
  private readonly all: FormatDestructionListener[] = [];

  /** Register before the application starts. */
  register(listener: FormatDestructionListener): void {
    this.all.push(listener);
  }

  async notify(formatId: number): Promise<void> {
    for (const listener of this.all) await listener.formatDestroyed(formatId);
  }
}
