import { Injectable } from '@nestjs/common';

/** Is notified of the destruction of a format, in the same transaction. */
export interface FormatDestructionListener {
  formatDestroyed(formatId: number): Promise<void>;
}

/** The port by which other modules react to the destruction of a format, for example by removing it from player configurations. */
@Injectable()
export class FormatDestructionListeners {
  private readonly all: FormatDestructionListener[] = [];

  /** Registers a listener; must be called before the application starts. */
  register(listener: FormatDestructionListener): void {
    this.all.push(listener);
  }

  async notify(formatId: number): Promise<void> {
    for (const listener of this.all) await listener.formatDestroyed(formatId);
  }
}
