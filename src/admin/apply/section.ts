import type { INestApplicationContext } from '@nestjs/common';
import type { Trail } from '../trail.js';
import type { Draft } from './draft.js';
import type { Problem } from './problem.js';

/** What the sections work with, inside the one transaction of the file. */
export interface Workbench {
  readonly service: INestApplicationContext;
  readonly trail: Trail;
  /** Tells the operator a line that is no part of the result. */
  warn(line: string): void;
  /** Whether the file itself declares this, by the natural key of its section (`customers`, `Demo`). */
  declares(section: string, key: string): boolean;
}

/** What tells the entries of a section apart, and the field that stands for it in messages. */
export interface NaturalKey {
  readonly field: string;
  readonly value: string;
}

/** One section of a provisioning file: the shape of its entries, the rules between them, and how an entry comes true. */
export interface Section<Entry extends object> {
  /** A class with class-validator's decorators; its decorated properties are the known fields. */
  readonly entry: new () => Entry;
  /** The field by which an entry is found again. */
  readonly key: string;
  /** The natural key as it is compared. */
  normalize(key: string): string;
  /** Where one field is not enough: by which field, and as what, the entry is found again; undefined when that is not sound. */
  identify?(fields: Partial<Entry>): NaturalKey | undefined;
  /** What is wrong beyond the fields themselves: references, and rules with what is stored. Fields that are wrong already are not sound. */
  findProblems(draft: Draft<Entry>, bench: Workbench): Promise<Problem[]>;
  /** Creates or updates; answers what is printed of it. */
  declare(entry: Entry, bench: Workbench): Promise<object>;
}
