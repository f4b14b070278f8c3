import { Injectable } from '@nestjs/common';

/** Says which of these programs no machine has; null: nobody knows, because no worker runs. */
export type MissingPrograms = (programs: readonly string[]) => Promise<readonly string[] | null>;

/** Whether formats can be made: the port by which those who run programs tell what they have. */
@Injectable()
export class FormatAvailability {
  private ask: MissingPrograms | null = null;

  /** Register before the application starts. */
  answerBy(ask: MissingPrograms): void {
    this.ask = ask;
  }

  /** Of these programs those that are missing everywhere; while no worker runs none is said to be. */
  async missing(programs: readonly string[]): Promise<readonly string[]> {
    return programs.length === 0 ? [] : ((await this.ask?.(programs)) ?? []);
  }
}
