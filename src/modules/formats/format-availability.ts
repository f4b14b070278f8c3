import { Injectable } from '@nestjs/common';
import { cliProgram } from './command/programs-of.js';
import { describeMissing } from './describe-missing.js';
import type { Format } from './format.entity.js';
import { programsOfFormat } from './format-programs.js';
import type { VisibleFormats } from './format-reader.js';

/** Programs that cannot be used. */
export interface MissingPrograms {
  readonly programs: readonly string[];
  /** No machine can isolate programs, and so all refuse to run any. */
  readonly refused: boolean;
}

/** Says which of these programs no machine has; null: unknown, because no worker runs. */
export type AskMissing = (programs: readonly string[]) => Promise<MissingPrograms | null>;

/** A format of the converter cli that names no tool needs this one, which nobody has. */
const NO_TOOL = cliProgram('');

const NOTHING_MISSING: MissingPrograms = { programs: [], refused: false };
const NO_REASONS: ReadonlyMap<number, string> = new Map();

/** Whether formats can be made: the port by which those who run programs tell what they have. */
@Injectable()
export class FormatAvailability {
  private ask: AskMissing | null = null;

  /** Register before the application starts. */
  answerBy(ask: AskMissing): void {
    this.ask = ask;
  }

  /** Why nothing can be made with these programs, as sentences for a person; null: it can, or no worker runs that would know. */
  async findReason(programs: readonly string[]): Promise<string | null> {
    const { programs: missing, refused } = await this.findMissing(programs);
    return missing.length > 0 ? describeMissing(missing, refused) : null;
  }

  /** Of these programs those that are missing everywhere; while no worker runs none is said to be. */
  async missing(programs: readonly string[]): Promise<readonly string[]> {
    return (await this.findMissing(programs)).programs;
  }

  private async findMissing(programs: readonly string[]): Promise<MissingPrograms> {
    if (programs.includes(NO_TOOL)) return { programs: [NO_TOOL], refused: false };
    return (programs.length > 0 && (await this.ask?.(programs))) || NOTHING_MISSING;
  }

  /** Of those formats that cannot be made the reason by their ids, as sentences for a person. Each set of programs is asked for once. */
  async findReasons(formats: readonly Format[], visible: VisibleFormats): Promise<ReadonlyMap<number, string>> {
    const keyOf = (format: Format): string => programsOfFormat(format, visible).join();
    const sets = new Map(formats.map((format) => [keyOf(format), programsOfFormat(format, visible)]));
    const reasons = new Map<string, string>();
    for (const [key, programs] of sets) {
      const reason = await this.findReason(programs);
      if (reason !== null) reasons.set(key, reason);
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
