import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from '@jest/globals';
import { FakeClock } from '../../../shared/clock.js';
import { createLog } from '../../../shared/logging/index.js';
import { processStartTime } from '../../../shared/process-start-time.js';
import { ownMark, type ProcessMark, WorkFoldersService, writeMark } from './work-folders.service.js';

const clock = new FakeClock(new Date());
const folders = new WorkFoldersService(clock, createLog({ level: 'silent', service: 'test' }));
const parent = path.join(tmpdir(), `media-delivery-work-${process.getuid?.()}`);
const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with a file in it, as the process would have left it. */
async function leave(mark: Partial<ProcessMark>, hoursAgo = 0): Promise<string> {
  await folders.removeAbandoned(); // makes the parent
  const folder = path.join(parent, `${writeMark({ ...ownMark(), ...mark })}-test-${made.length}`);
  mkdirSync(path.join(folder, 'profile'), { recursive: true });
  writeFileSync(path.join(folder, 'profile', 'file'), 'x');
  const then = clock.now().getTime() / 1_000 - hoursAgo * 3_600;
  utimesSync(folder, then, then);
  made.push(folder);
  return folder;
}

it('creates a folder that only this user can read, and removes it afterwards', async () => {
  let lent = '';
  const answer = await folders.using(async (folder) => {
    lent = folder;
    writeFileSync(path.join(folder, 'file'), 'x');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(path.dirname(folder)).toBe(parent);
    return 7;
  });
  expect([answer, existsSync(lent)]).toEqual([7, false]);
});

it('removes the folder after a failure', async () => {
  let lent = '';
  const work = async (folder: string) => {
    lent = folder;
    throw new Error('It failed.');
  };
  await expect(folders.using(work)).rejects.toThrow('It failed.');
  expect(existsSync(lent)).toBe(false);
});

it('removes the folders of dead processes, even if another process has the same process id', async () => {
  const reused = await leave({ startedAt: '1' });
  const dead = await leave({ pid: 4_194_305 });
  const ofParent = await leave({ pid: process.ppid, startedAt: processStartTime(process.ppid) ?? '' });
  const unused = await leave({});
  await folders.removeAbandoned();
  expect([reused, dead, ofParent, unused].map((folder) => existsSync(folder))).toEqual([false, false, true, false]);
});

it('removes the folder of another container that was not touched for an hour', async () => {
  const [fresh, forsaken] = [await leave({ namespace: '1' }, 0.9), await leave({ namespace: '1' }, 1.1)];
  await folders.removeAbandoned();
  expect([existsSync(fresh), existsSync(forsaken)]).toEqual([true, false]);
});

it('keeps folders in use, and touches them', async () => {
  await folders.using(async (folder) => {
    clock.advance(1_000);
    await folders.removeAbandoned();
    expect(statSync(folder).mtime).toEqual(clock.now());
  });
});

it('keeps other files and folders', async () => {
  await leave({});
  const other = path.join(parent, 'other-test');
  mkdirSync(other);
  made.push(other);
  await folders.removeAbandoned();
  expect(existsSync(other)).toBe(true);
});

it('reports why transcodings cannot run, with the same text each time, and nothing while they can', async () => {
  const place = mkdtempSync(path.join(tmpdir(), 'no-folder-'));
  made.push(place);
  const file = path.join(place, 'file');
  writeFileSync(file, 'x');
  const stuck = new WorkFoldersService(clock, createLog({ level: 'silent', service: 'test' }));
  Object.assign(stuck, { parent: path.join(file, 'work') });
  const problem = await stuck.findProblem();
  expect(problem).toBe(
    `The temporary folder ${file} cannot be used. It cannot be written (ENOTDIR). Mount a writable folder there, or set TMPDIR to one.`,
  );
  expect(await stuck.findProblem()).toBe(problem);
  rmSync(file);
  expect(await stuck.findProblem()).toBeNull();
});
