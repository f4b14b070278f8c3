import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IsolationService } from '../../src/modules/converter/tools/isolation.service.js';
import { WorkBudget } from '../../src/modules/converter/tools/work-limits.service.js';
import { loadConfig } from '../../src/shared/config/index.js';
import { processesOf } from '../support/app/program.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { failureOf, NoIsolation, offerScripts, type ScriptTools } from '../support/converter/tool-scripts.js';
import { eventually } from '../support/eventually.js';

/** It ends only when it is killed; its first line shows that it has started. */
const ENDLESS = ': > begun; exec sleep 1000';
const SCRIPTS = {
  environment: 'env',
  words: 'printf "one\\ntwo\\r\\nthree"',
  stubborn: `trap '' TERM INT HUP XCPU; : > begun; while :; do sleep 0.1; done`,
  endless: ENDLESS,
  parent: 'sleep 1000 > /dev/null 2>&1 & exit 0',
  failing: 'echo "$PWD/source.jpg: not an image" >&2; printf "\\033[31mbad\\033[0m\\n" >&2; exit 3',
  chatty: 'head -c 104857600 /dev/zero | tr "\\0" "x" >&2; echo "the end" >&2; exit 1',
  verbose: 'head -c 104857600 /dev/zero | tr "\\0" "x"',
  killed: 'kill -KILL $$',
  crashing: 'kill -SEGV $$',
  spent: 'kill -XCPU $$',
  // No process reaches a limit of its own: the time is that of many short ones.
  relay: `while :; do sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done'; done`,
  crowd: 'for i in 1 2 3 4; do (while :; do :; done) & done; wait',
};

describe.each([
  ['with what this machine has to isolate it', () => new IsolationService(loadConfig({}))],
  ['on a machine that has nothing to isolate it', () => new NoIsolation()],
])('a tool, %s', (_, machine) => {
  let folder: string;
  let tools: ScriptTools;
  beforeAll(() => {
    folder = makeTestFolder();
    tools = offerScripts(folder, SCRIPTS, machine());
  });
  afterAll(async () => await removeTestFolder(folder));

  const begun = async (workFolder: string) => await eventually(() => existsSync(path.join(workFolder, 'begun')));
  const nothingRuns = (workFolder: string) => expect(processesOf(workFolder)).toEqual([]);

  it('does not see the environment of the service, and runs in its folder', async () => {
    process.env.APP_SECRET = 'a secret of the service';
    try {
      const lines: string[] = [];
      const request = tools.request('environment', { onLine: (line) => void lines.push(line) });
      await tools.runner.run(request);
      const seen = Object.fromEntries(lines.map((line) => line.split('=', 2)));
      expect(seen).toMatchObject({ HOME: request.folder, TMPDIR: request.folder, PWD: request.folder, LANG: 'C.UTF-8' });
      const allowed = ['HOME', 'TMPDIR', 'LANG', 'PATH', 'MAGICK_THREAD_LIMIT', 'MAGICK_TEMPORARY_PATH', 'SAL_USE_VCLPLUGIN'];
      expect(Object.keys(seen).filter((name) => !allowed.includes(name))).toEqual(['PWD']); // the shell's own
    } finally {
      delete process.env.APP_SECRET;
    }
  });

  it('is read line by line, or its output replaces a file', async () => {
    const lines: string[] = [];
    await tools.runner.run(tools.request('words', { onLine: (line) => void lines.push(line) }));
    expect(lines).toEqual(['one', 'two', 'three']);

    const request = tools.request('words', { stdout: 'words.txt' });
    const elsewhere = path.join(folder, 'elsewhere.txt');
    writeFileSync(elsewhere, 'somebody else’s');
    symlinkSync(elsewhere, path.join(request.folder, 'words.txt'));
    await tools.runner.run(request);
    expect(readFileSync(path.join(request.folder, 'words.txt'), 'utf8')).toBe('one\ntwo\r\nthree');
    expect(readFileSync(elsewhere, 'utf8')).toBe('somebody else’s');
  });

  it('that fails has a reason without paths of the machine', async () => {
    expect(await failureOf(tools.runner.run(tools.request('failing')))).toEqual({
      reason: 'exit',
      message: 'failing could not convert the file. The operator of the service can read why in its output.',
      log: 'source.jpg: not an image\nbad',
    });
  });

  it('with any amount of output is read to the end', async () => {
    const { reason, log } = await failureOf(tools.runner.run(tools.request('chatty')));
    expect(reason).toBe('exit');
    expect(String(log).slice(-10)).toBe('xxxthe end');
    expect(log).toHaveLength(4_096);
  });

  it('with more output than its file may hold is killed', async () => {
    const request = tools.request('verbose', { stdout: 'output.txt', limits: { fileBytes: 1_000_000 } });
    expect(await failureOf(tools.runner.run(request))).toMatchObject({ reason: 'size', message: 'verbose wrote more than its limit.' });
    nothingRuns(request.folder);
  });

  it('has its time by the clock, and is ended although it will not', async () => {
    const request = tools.request('stubborn', { limits: { seconds: 0.5 } });
    expect(await failureOf(tools.runner.run(request))).toMatchObject({ reason: 'time', message: 'stubborn took longer than 0.5 seconds.' });
    nothingRuns(request.folder);
  });

  it.each(['relay', 'crowd'])('has its processor time together with everything it started: %s', async (tool) => {
    const request = tools.request(tool, { limits: { cpuSeconds: 1 } });
    expect(await failureOf(tools.runner.run(request))).toMatchObject({
      reason: 'time',
      message: `${tool} used more processor time than its limit.`,
    });
    nothingRuns(request.folder);
  });

  it('has what the programs before it in the same transcoding have left', async () => {
    const budget = new WorkBudget({ cpuSeconds: 30, seconds: 90, niceness: 10 });
    budget.spend(29.5);
    const relay = tools.request('relay', { budget });
    expect(await failureOf(tools.runner.run(relay))).toMatchObject({ reason: 'time' });
    expect(budget.isSpent).toBe(true);
    const words = tools.request('stubborn', { budget: new WorkBudget({ cpuSeconds: 30, seconds: 0.5, niceness: 10 }) });
    expect(await failureOf(tools.runner.run(words))).toMatchObject({
      message: expect.stringMatching(/^stubborn took longer than 0\.\d seconds\.$/),
    });
  });

  it.each(['endless', 'stubborn'])('is ended with everything it started when it is aborted: %s', async (tool) => {
    const controller = new AbortController();
    const request = tools.request(tool, { signal: controller.signal });
    const running = tools.runner.run(request);
    await begun(request.folder);
    expect(processesOf(request.folder)).not.toEqual([]);
    controller.abort(new Error('cancelled by its owner'));
    await expect(running).rejects.toThrow('cancelled by its owner');
    nothingRuns(request.folder);
  });

  it('is not begun when it was aborted before', async () => {
    const request = tools.request('endless', { signal: AbortSignal.abort(new Error('too late')) });
    await expect(tools.runner.run(request)).rejects.toThrow('too late');
    expect(existsSync(path.join(request.folder, 'begun'))).toBe(false);
  });

  it('leaves no running processes', async () => {
    const request = tools.request('parent');
    await tools.runner.run(request);
    nothingRuns(request.folder);
  });

  it('is killed if reading its lines fails', async () => {
    const onLine = () => {
      throw new Error('the database is away');
    };
    await expect(tools.runner.run(tools.request('words', { onLine }))).rejects.toThrow('the database is away');
  });

  it.each([
    ['killed', 'killed', 'killed was ended by another process (SIGKILL).'],
    ['crashing', 'exit', 'crashing could not convert the file. The operator of the service can read why in its output.'],
    ['spent', 'time', 'spent used more processor time than its limit.'],
  ])('that is ended by a signal: %s', async (tool, reason, message) => {
    expect(await failureOf(tools.runner.run(tools.request(tool)))).toMatchObject({ reason, message });
  });

  it('that the operator does not offer is missing', async () => {
    expect(await failureOf(tools.runner.run(tools.request('unheard-of')))).toEqual({
      reason: 'missing',
      message: 'unheard-of is not installed here.',
      log: '',
    });
  });
});
