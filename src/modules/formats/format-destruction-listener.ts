import { Injectable } from '@nestjs/common';

/** Hears that a format is about to go, in the transaction that decides it. */
export interface FormatDestructionListener {
  formatDestroyed(formatId: number): Promise<void>;
}

/** Who hears when a format goes: the port by which it leaves the player configurations that deliver it. */
@Injectable()
export class FormatDestructionListeners {
  private readonly all: FormatDestructionListener[] = [];

  register(listener: FormatDestructionListener): void {
    this.all.push(listener);
  }

  async tell(formatId: number): Promise<void> {
    for (const listener of this.all) await listener.formatDestroyed(formatId);
  }
}
