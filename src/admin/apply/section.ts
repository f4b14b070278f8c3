import type { INestApplicationContext } from '@nestjs/common';
import type { Trail } from '../trail.js';

/** What the sections work with, inside the one transaction of the file. */
export interface Workbench {
  readonly service: INestApplicationContext;
  readonly trail: Trail;
  /** Prints a line for the operator that is no part of the result. */
  warn(line: string): void;
  /** Whether the file itself declares this, by the natural key of its section (`customers`, `Demo`). */
  declares(section: string, key: string): boolean;
}

/** What identifies an entry of a section, and the field that names it in messages. */
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

/** An entry of a section on its way: what of it is sound, until all of it is. */
export interface Draft<Entry extends object> {
  /** `users.0` */
  readonly path: string;
  /** The fields that were given and are right by themselves. */
  readonly fields: Partial<Entry>;
  /** Fields that were given and are wrong. What they would have said is not known, so rules about them have to wait. */
  readonly unsound: ReadonlySet<string>;
}

/** What is wrong with a provisioning file, and where: `path` in dots (`clients.0.redirectUris.1`). */
export interface Problem {
  readonly path: string;
  readonly message: string;
}
