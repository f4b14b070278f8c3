import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { ConverterDetails, IsolationDetails } from '../../../shared/health/health.dto.js';
import { HealthChecksService } from '../../../shared/health/health-checks.service.js';
import { ReadyDetailsService } from '../../../shared/health/ready-details.service.js';
import { FormatAvailabilityService } from '../../formats/index.js';
import { WaitingTranscodingsRepository } from '../transcodings/waiting-transcodings.repository.js';
import { type ConverterWorker, type ToolReport, whyUnable } from './converter-worker.entity.js';
import { ConverterWorkersService } from './converter-workers.service.js';

/** Adds to `/health/ready` what the workers can run, and whether transcodings wait for programs that no worker has. */
@Injectable()
export class ConverterHealthService implements OnModuleInit {
  constructor(
    private readonly sources: ReadyDetailsService,
    private readonly checks: HealthChecksService,
    private readonly workers: ConverterWorkersService,
    private readonly transcodings: WaitingTranscodingsRepository,
    private readonly availability: FormatAvailabilityService,
  ) {}

  onModuleInit(): void {
    this.sources.register('converter', async () => describeWorkers(await this.workers.all()));
    // Always current: the details read the same small table for every request.
    this.checks.register('converter', {
      ...{ maxAgeSeconds: 0, recheckSeconds: 0, isLoggedBySource: true },
      findProblem: async () => await this.findUnableWorkers(),
    });
    this.checks.register('renditions', { maxAgeSeconds: 15, findProblem: async () => await this.findUnable() });
  }

  /** Null: every running worker can make renditions. */
  private async findUnableWorkers(): Promise<string | null> {
    return describeWorkers(await this.workers.all()).problems?.join(' ') ?? null;
  }

  /** Null: every transcoding that has waited for a minute has a worker that can claim it. */
  private async findUnable(): Promise<string | null> {
    const waiting = await this.transcodings.listWaitingPrograms();
    if (waiting.length === 0) return null;
    const sum = waiting.reduce((total, { count }) => total + count, 0);
    if ((await this.workers.able()).length === 0) return `Renditions wait (${sum} or more), and no worker that can make any is running.`;
    const reasons = await this.availability.findReasonsOf(waiting.map(({ programs }) => programs));
    const found = [...new Set(reasons.flatMap((reason) => reason ?? []))];
    return found.length === 0 ? null : `Renditions wait for programs. ${found.join(' ')}`;
  }
}

/**
 * Describes all workers together: a program is available if one worker has it, and a kind of isolation if all have it. Workers that cannot work are
 * problems.
 */
export function describeWorkers(all: readonly ConverterWorker[]): ConverterDetails {
  const workers = all.filter((worker) => whyUnable(worker) === null);
  const problems = all.flatMap((worker) => explainUnable(worker) ?? []);
  const names = new Set(workers.flatMap(({ programs, tools }) => [...Object.keys(tools), ...programs.filter(isProgram)]));
  const programs = Object.fromEntries([...names].sort().map((name) => [name, describeProgram(name, workers)]));
  // Workers of an earlier version report less.
  const everywhere = (part: keyof IsolationDetails) => workers.every(({ isolation }) => isolation[part] === true);
  const [limits, network, processes] = [everywhere('limits'), everywhere('network'), everywhere('processes')];
  const isolation = {
    limits,
    network,
    processes,
    files: everywhere('files'),
    user: everywhere('user'),
    privileges: everywhere('privileges'),
  };
  const imageEngines = [...new Set(workers.flatMap(({ programs: own }) => imageEnginesOf(own)))].sort();
  const found = {
    ...{ workers: workers.length, programs, isolation: workers.length > 0 ? isolation : null },
    ...(imageEngines.length > 0 && { imageEngines }),
  };
  return problems.length === 0 ? found : { ...found, problems: [...new Set(problems)] };
}

/** What a worker makes images with: sharp, and ImageMagick for what sharp does not have. */
const imageEnginesOf = (programs: readonly string[]): readonly string[] => [
  ...(programs.includes('sharp') && programs.includes('convert') ? ['imagemagick'] : []),
  ...(programs.includes('sharp') ? ['sharp'] : []),
];

/** Whether a name is a single program; workers also list alternatives such as `convert|sharp`. */
const isProgram = (name: string): boolean => !name.includes('|');

function explainUnable(worker: ConverterWorker): string | null {
  const problem = whyUnable(worker);
  if (problem !== null) return `A worker on ${worker.host} makes no renditions. ${problem}`;
  const { refusal } = worker.isolation;
  return refusal === undefined ? null : `A worker on ${worker.host} runs no programs. ${refusal}`;
}

function describeProgram(name: string, workers: readonly ConverterWorker[]): string {
  const having = workers.filter(({ programs }) => programs.includes(name));
  const problem = workers.map(({ tools }) => tools[name]).find(isProblem)?.problem;
  if (having.length === 0) return problem ?? 'missing';
  const versions = new Set(having.map(({ tools }) => versionOf(tools[name])));
  const where = having.length < workers.length ? ` (${having.length} of ${workers.length} workers)` : '';
  return [...versions].join(', ') + where;
}

const isProblem = (report: ToolReport | undefined): report is { readonly problem: string } => report !== undefined && 'problem' in report;

/** The version of a program, or `available` for the operator's tools, whose version is not determined. */
const versionOf = (report: ToolReport | undefined): string => (report !== undefined && 'version' in report ? report.version : 'available');
