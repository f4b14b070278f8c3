import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The version of a program, or why it cannot be used, as a sentence for the operator. */
export type ToolReport = { readonly version: string } | { readonly problem: string };

/** How programs are isolated on a worker's machine. */
export interface IsolationReport {
  /** Limits of address space, processor time, file size and processes (prlimit). */
  readonly limits: boolean;
  /** Programs have no network (a network namespace of their own). */
  readonly network: boolean;
  /** All processes that a program started end with it (a process namespace of its own). */
  readonly processes: boolean;
  /** Programs see a read-only root with their own files, and write in their folder only (a mount namespace of their own). */
  readonly files: boolean;
  /** Programs run as another user. */
  readonly user: boolean;
  /** Programs have no capabilities and cannot gain any. */
  readonly privileges: boolean;
  /** Why installed programs are not run, as a sentence for the operator; absent if they are. */
  readonly refusal?: string;
}

export const NO_ISOLATION: IsolationReport = {
  limits: false,
  network: false,
  processes: false,
  files: false,
  user: false,
  privileges: false,
};

/** The key in `tools` under which a worker that cannot work states the reason. */
export const WORK_FOLDER = 'work-folder';

/** The columns of a worker that cannot work. */
export const unableToWork = (problem: string): Pick<ConverterWorker, 'programs' | 'tools' | 'isolation'> => ({
  programs: [],
  tools: { [WORK_FOLDER]: { problem } },
  isolation: NO_ISOLATION,
});

/** Why a worker cannot work, as a sentence for the operator; null: it can. */
export function whyUnable({ tools }: Pick<ConverterWorker, 'tools'>): string | null {
  const report = tools[WORK_FOLDER];
  return report !== undefined && 'problem' in report ? report.problem : null;
}

/** A living worker, and what it can run. Its advisory lock shows that it lives (WorkerPresenceService); without the lock the row is deleted. */
@Entity('converter_workers')
export class ConverterWorker {
  /** The name of the worker, as in `locked_by` of transcodings. */
  @PrimaryColumn('text', { primaryKeyConstraintName: 'converter_workers_pkey' })
  name: string;

  /** Name of the machine, for people. */
  @Column('text')
  host: string;

  /** Installed programs, `cli:<name>` for the operator's own. */
  @Column('text', { array: true })
  programs: string[];

  /** The report about each program, by its name. */
  @Column('jsonb')
  tools: Readonly<Record<string, ToolReport>>;

  @Column('jsonb')
  isolation: IsolationReport;

  @Column('timestamptz')
  startedAt: Date;
}
