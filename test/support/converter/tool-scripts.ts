import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { WorkFoldersService } from '../../../src/modules/converter/execution/work-folders.service.js';
import { IsolationService } from '../../../src/modules/converter/tools/isolation.service.js';
import type { RunRequest } from '../../../src/modules/converter/tools/tool-run.js';
import { ToolRunnerService } from '../../../src/modules/converter/tools/tool-runner.service.js';
import { ToolboxService } from '../../../src/modules/converter/tools/toolbox.service.js';
import { SystemClock } from '../../../src/shared/clock.js';
import { loadConfig } from '../../../src/shared/config/index.js';
import { createLog } from '../../../src/shared/logging/index.js';

/** Writes a program that is a shell script. */
export function writeScript(file: string, lines: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Enough for every script of a test. */
export const GENEROUS = { seconds: 60, cpuSeconds: 60, fileBytes: 10_485_760, memoryBytes: 4_294_967_296 };

/** Those of this process. */
export const workFolders = new WorkFoldersService(new SystemClock(), createLog({ level: 'silent', service: 'test' }));

/** Tools of an operator that are shell scripts, by name, and a runner for them. */
export interface ScriptTools {
  readonly runner: ToolRunnerService;
  readonly isolation: IsolationService;
  /** A request to run one in a new folder. */
  request(tool: string, more?: ScriptRequest): RunRequest;
}

/** Limits that are not said are generous. */
export type ScriptRequest = Partial<Omit<RunRequest, 'step' | 'limits'>> & {
  readonly limits?: Partial<RunRequest['limits']>;
  readonly stdout?: string | null;
  readonly argv?: readonly string[];
};

/** A machine on which nothing holds programs in. */
export class NoIsolation extends IsolationService {
  constructor() {
    super(loadConfig({ CONVERTER_ISOLATION: 'none' }));
  }
  override async enclose(): Promise<readonly string[]> {
    return [];
  }
}

/** Writes scripts, by name, and the operator's list of them into a data directory. */
export function writeOperatorTools(dataDir: string, scripts: Readonly<Record<string, string>>): void {
  const tools = Object.entries(scripts).map(([name, lines]) => ({ name, command: [writeScript(path.join(dataDir, 'bin', name), lines)] }));
  writeFileSync(path.join(dataDir, 'cli-tools.json'), JSON.stringify(tools));
}

/** A runner for scripts that an operator offers, in a folder. */
export function offerScripts(
  folder: string,
  scripts: Readonly<Record<string, string>>,
  isolation = new IsolationService({ ...loadConfig({}), dataDir: folder }),
): ScriptTools {
  writeOperatorTools(folder, scripts);
  const runner = new ToolRunnerService(new ToolboxService({ ...loadConfig({}), dataDir: folder }, workFolders, isolation), isolation);
  return {
    runner,
    isolation,
    request: (tool, { limits, stdout = null, argv = [], ...more } = {}) => ({
      step: { program: { tool }, argv, stdout },
      folder: mkdtempSync(path.join(folder, 'work-')),
      limits: { ...GENEROUS, ...limits },
      signal: new AbortController().signal,
      ...more,
    }),
  };
}

/** How a run failed. Throws when it did not. */
export async function failureOf(run: Promise<void>): Promise<{ reason: unknown; message: string; log: unknown }> {
  const error = await run.then(
    () => {
      throw new Error('It did not fail.');
    },
    (thrown: Error & { reason?: unknown; log?: unknown }) => thrown,
  );
  return { reason: error.reason, message: error.message, log: error.log };
}
