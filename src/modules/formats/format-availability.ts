import { Injectable } from '@nestjs/common';
import { cliProgram } from './command/programs-of.js';
import { describeMissing } from './describe-missing.js';
import type { Format } from './format.entity.js';
import { programsOfFormat } from './format-programs.js';
import type { VisibleFormats } from './format-reader.js';

/** Says which of these programs no machine has; null: nobody knows, because no worker runs. */
export type MissingPrograms = (programs: readonly string[]) => Promise<readonly string[] | null>;

/** A format of the converter cli that names no tool needs this one, which nobody has. */
const NO_TOOL = cliProgram('');

const NO_REASONS: ReadonlyMap<number, string> = new Map();

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
    if (programs.includes(NO_TOOL)) return [NO_TOOL];
    return programs.length === 0 ? [] : ((await this.ask?.(programs)) ?? []);
  }

  /** Of those formats that cannot be made the reason by their ids, as sentences for a person. Each set of programs is asked for once. */
  async findReasons(formats: readonly Format[], visible: VisibleFormats): Promise<ReadonlyMap<number, string>> {
    const keyOf = (format: Format): string => programsOfFormat(format, visible).join();
    const sets = new Map(formats.map((format) => [keyOf(format), programsOfFormat(format, visible)]));
    const reasons = new Map<string, string>();
    for (const [key, programs] of sets) {
      const missing = await this.missing(programs);
      if (missing.length > 0) reasons.set(key, describeMissing(missing));
    }
    if (reasons.size === 0) return NO_REASONS; // as nearly always
    return new Map(
      formats.flatMap((format) => {
        const reason = reasons.get(keyOf(format));
        return reason === undefined ? [] : [[format.id, reason]];
      }),
    );
  }
}
