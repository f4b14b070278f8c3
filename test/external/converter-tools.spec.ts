import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KNOWN_PROGRAMS } from '../../src/modules/converter/tools/programs.js';
import { ToolboxService } from '../../src/modules/converter/tools/toolbox.service.js';
import { loadConfig } from '../../src/shared/config/index.js';
import { compileParts } from '../support/app/compile-parts.js';
import { processesOf, spawnProgram } from '../support/app/program.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { failureOf, GENEROUS, offerScripts, type ScriptTools, workFolders } from '../support/converter/tool-scripts.js';
import { eventually } from '../support/eventually.js';
import { unprivileged } from '../support/media/image-stage.js';

const SCRIPTS = {
  busy: 'while :; do :; done',
  writer: 'exec dd if=/dev/zero of=output.bin bs=65536 count=1000000',
  greedy: 'head -c 2000000000 /dev/zero | tail', // all of it is one line
  caller: `exec bash -c 'exec 9<> "/dev/tcp/127.0.0.1/$0"' "$1"`,
  runaway: 'setsid sleep 1000 > /dev/null 2>&1 3>&- & exit 0',
  family: ': > begun; (setsid sleep 1000 > /dev/null 2>&1 3>&- & sleep 1000) & sleep 1000',
  rank: 'exec cat /proc/self/oom_score_adj',
  snoop: 'exec ls -d /proc/[0-9]*',
};
/** A worker of which nothing is left but the run of one tool. It prints what holds that in, and how it ended. */
const WORKER = `import { WorkFoldersService } from './src/modules/converter/execution/work-folders.service.js';
  import { IsolationService } from './src/modules/converter/tools/isolation.service.js';
  import { ToolRunnerService } from './src/modules/converter/tools/tool-runner.service.js';
  import { ToolboxService } from './src/modules/converter/tools/toolbox.service.js';
  import { createLog } from './src/shared/logging/index.js';
  import { SystemClock } from './src/shared/clock.js';
  const [dataDir, folder, tool, ...argv] = process.argv.slice(2);
  const isolation = new IsolationService({ dataDir, nodeEnv: 'test', converterIsolation: 'auto', converterReads: [] });
  const folders = new WorkFoldersService(new SystemClock(), createLog({ level: 'silent', service: 'test' }));
  const toolbox = new ToolboxService({ dataDir }, folders, isolation);
  const step = { program: { tool }, argv, stdout: null };
  const request = { step, folder, limits: ${JSON.stringify(GENEROUS)}, signal: new AbortController().signal };
  const reason = await new ToolRunnerService(toolbox, isolation).run(request).then(() => null, (error) => error.reason);
  console.log(JSON.stringify({ ...(await isolation.report()), reason }));`;

describe('the isolation of tools', () => {
  let folder: string;
  let tools: ScriptTools;
  let server: Server;
  let port: string;
  beforeAll(async () => {
    folder = makeTestFolder();
    chmodSync(folder, 0o755);
    tools = offerScripts(folder, SCRIPTS);
    compileParts(['src/modules', 'src/shared'], folder);
    writeFileSync(path.join(folder, 'worker.js'), WORKER);
    server = createServer((socket) => socket.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = String((server.address() as { port: number }).port);
  });
  afterAll(async () => {
    server?.close();
    await removeTestFolder(folder);
  });

  it('is reported correctly: the network', async () => {
    const { network } = await tools.isolation.report();
    const called = await tools.runner.run(tools.request('caller', { argv: [port] })).then(
      () => true,
      () => false,
    );
    expect(called).toBe(!network);
  });

  it('is reported correctly: processes that leave their group, and those of others', async () => {
    const { processes } = await tools.isolation.report();
    const request = tools.request('runaway');
    await tools.runner.run(request);
    const left = processesOf(request.folder);
    for (const pid of left) process.kill(pid, 'SIGKILL');
    expect(left).toHaveLength(processes ? 0 : 1);
    const seen: string[] = [];
    await tools.runner.run(tools.request('snoop', { onLine: (line) => void seen.push(line) }));
    expect(seen.includes(`/proc/${process.pid}`)).toBe(!processes);
  });

  it('lets the system kill tools first when the memory runs out', async () => {
    const seen: string[] = [];
    await tools.runner.run(tools.request('rank', { onLine: (line) => void seen.push(line) }));
    expect(seen).toEqual(['1000']);
  });

  it('is reported correctly: the files of others', async () => {
    const { files } = await tools.isolation.report();
    writeFileSync(path.join(folder, 'secret.txt'), 'of somebody else');
    const seen: string[] = [];
    const look = (file: string) => ({ program: 'exiftool', argv: ['-T', '-FileName', file], stdout: null }) as const;
    const request = { ...tools.request('', { onLine: (line) => void seen.push(line) }), signal: new AbortController().signal };
    writeFileSync(path.join(request.folder, 'own.txt'), 'its own');
    await tools.runner.run({ ...request, step: look(path.join(request.folder, 'own.txt')) });
    await tools.runner.run({ ...request, step: look(path.join(folder, 'secret.txt')) }).catch(() => {});
    expect(seen).toEqual(files ? ['own.txt'] : ['own.txt', 'secret.txt']);
  });

  it('limits the time of the processor', async () => {
    const request = tools.request('busy', { limits: { cpuSeconds: 1 } });
    expect(await failureOf(tools.runner.run(request))).toMatchObject({
      reason: 'time',
      message: 'busy used more processor time than its limit.',
    });
  });

  it('limits files', async () => {
    const request = tools.request('writer', { limits: { fileBytes: 1_000_000 } });
    expect(await failureOf(tools.runner.run(request))).toMatchObject({ reason: 'size', message: 'writer wrote more than its limit.' });
  });

  it('limits memory', async () => {
    const request = tools.request('greedy', { limits: { memoryBytes: 200_000_000 } });
    expect(await failureOf(tools.runner.run(request))).toMatchObject({ reason: 'exit', log: expect.stringMatching(/memory exhausted/) });
  });

  it('does the same for a worker that is an ordinary user', async () => {
    const work = path.join(folder, 'work-of-nobody');
    mkdirSync(work);
    chmodSync(work, 0o777);
    const worker = spawnProgram({ command: [process.execPath, 'worker.js', folder, work, 'caller', port], cwd: folder, ...unprivileged });
    expect(await worker.ended).toBe(0);
    const { limits, network, reason } = JSON.parse(worker.output.stdout) as { limits: boolean; network: boolean; reason: string | null };
    expect([limits, reason]).toEqual([true, network ? 'exit' : null]);
  });

  it('leaves no process when the worker is killed', async () => {
    const work = path.join(folder, 'work-of-killed');
    mkdirSync(work);
    const worker = spawnProgram({ command: [process.execPath, 'worker.js', folder, work, 'family'], cwd: folder });
    await eventually(() => existsSync(path.join(work, 'begun')));
    await eventually(() => processesOf(work).length > 3);
    await worker.end('SIGKILL');
    await eventually(() => processesOf(work).length === 0);
  });
});

describe('the programs of Debian', () => {
  let folder: string;
  let tools: ScriptTools;
  beforeAll(() => {
    folder = makeTestFolder();
    tools = offerScripts(folder, {});
  });
  afterAll(async () => await removeTestFolder(folder));

  it('are found with their versions', async () => {
    const report = await new ToolboxService({ ...loadConfig({}), dataDir: folder }, workFolders, tools.isolation).report();
    const names = Object.keys(KNOWN_PROGRAMS);
    expect(report).toEqual(Object.fromEntries(names.map((name) => [name, { version: expect.stringMatching(/^\d+\.\d+/) }])));
  });

  const drawing = [
    '-loglevel',
    'error',
    '-nostdin',
    '-f',
    'lavfi',
    '-i',
    'testsrc=s=1920x1080',
    '-t',
    '1000',
    '-preset',
    'ultrafast',
    'output.mp4',
  ];
  const plasma = ['-size', '4000x4000', 'plasma:', '-blur', '0x100', 'png:output.png'];
  it.each([
    ['ffmpeg', drawing, { cpuSeconds: 1 }, 'time'],
    ['ffmpeg', drawing, { fileBytes: 100_000 }, 'size'],
    ['ffmpeg', drawing, { seconds: 1 }, 'time'],
    ['ffmpeg', drawing, { memoryBytes: 100_000_000 }, 'exit'],
    ['ffmpeg', ['-i', 'source', 'output.mp4'], {}, 'exit'],
    ['convert', plasma, { cpuSeconds: 1 }, 'time'],
    ['convert', ['-size', '1000x1000', 'plasma:', 'png:output.png'], { fileBytes: 100_000 }, 'size'],
    ['convert', ['source', 'png:output.png'], {}, 'exit'],
    ['exiftool', ['-q', 'source'], {}, 'exit'],
    ['pdftoppm', ['source', 'output'], {}, 'exit'],
  ] as const)('fail as they should: %s %j %j', async (program, argv, limits, reason) => {
    const request = { ...tools.request('', { limits }), step: { program, argv, stdout: null } };
    expect(await failureOf(tools.runner.run(request))).toMatchObject({ reason });
    expect(processesOf(request.folder)).toEqual([]);
  });
});
