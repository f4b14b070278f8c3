import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { IsolationService } from '../../src/modules/converter/tools/isolation.service.js';
import { buildInvocation } from '../../src/modules/formats/index.js';
import { loadConfig } from '../../src/shared/config/index.js';
import { compileParts } from '../support/app/compile-parts.js';
import { spawnProgram } from '../support/app/program.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { A_DOCUMENT, aRequest } from '../support/converter/format-requests.js';
import { run } from '../support/converter/run-invocation.js';
import { failureOf, GENEROUS, NoIsolation, offerScripts, type ScriptTools, writeScript } from '../support/converter/tool-scripts.js';
import { odg, odp, odtWithDrawing, put } from '../support/media/hostile-files.js';
import { unprivileged } from '../support/media/image-stage.js';
import { readPixels } from '../support/media/pixels.js';

const PROGRAMS = ['convert', 'exiftool', 'ffmpeg', 'ffprobe', 'heif-convert', 'pdfinfo', 'pdftoppm', 'soffice'];
const TOOL = 'cli:probe';
const START_MS = 120_000;
/** What a program of any name does here: it says that it is whatever it is asked for, and tells what it sees. Its arguments: a port and files. */
const PROBE = `case "$1" in -*) printf 'ffmpeg version 1\\nffprobe version 1\\nVersion: ImageMagick 1\\nLibreOffice 1\\nlibheif version: 1\\npdfinfo version 1\\npdftoppm version 1\\n1.0\\n'; exit ;; esac
port=$1; shift
echo "user $(id -u)"
for file in "$@"; do if [ -e "$file" ]; then echo "sees $file"; fi; done
for folder in / /etc /usr/bin /usr/share /dev /proc/sys; do if [ -w "$folder" ]; then echo "writes $folder"; fi; done
if bash -c "exec 9<> /dev/tcp/127.0.0.1/$port" 2> /dev/null; then echo "calls"; fi
if grep -q secret-of-the-service /proc/[0-9]*/environ 2> /dev/null; then echo "knows the secret"; fi
grep -E '^(NoNewPrivs|CapEff|CapPrm|CapBnd):' /proc/self/status | tr -s '\\t' ' '`;
const CONFINED = ['user 65533', 'CapPrm: 0000000000000000', 'CapEff: 0000000000000000', 'CapBnd: 0000000000000000', 'NoNewPrivs: 1'];

/** A worker of which nothing is left but its programs: runs each once, and prints what they say and what it says of them. */
const WORKER = `import path from 'node:path';
  import { WorkFoldersService } from './src/modules/converter/execution/work-folders.service.js';
  import { IsolationService } from './src/modules/converter/tools/isolation.service.js';
  import { ToolRunnerService } from './src/modules/converter/tools/tool-runner.service.js';
  import { ToolboxService } from './src/modules/converter/tools/toolbox.service.js';
  import { loadConfig } from './src/shared/config/index.js';
  import { createLog } from './src/shared/logging/index.js';
  import { SystemClock } from './src/shared/clock.js';
  const { port, files, production, isolation: setting } = JSON.parse(process.argv[2]);
  const config = { ...loadConfig({ CONVERTER_ISOLATION: setting }), nodeEnv: production ? 'production' : 'development', dataDir: path.resolve('data') };
  const folders = new WorkFoldersService(new SystemClock(), createLog({ level: 'silent', service: 'test' }));
  const isolation = new IsolationService(config);
  const toolbox = new ToolboxService(config, folders, isolation);
  const runner = new ToolRunnerService(toolbox, isolation);
  const programs = (await toolbox.programs()).toSorted();
  const signal = new AbortController().signal;
  const seen = {};
  await folders.using(async (another) => {
    for (const name of programs) {
      const program = name.startsWith('cli:') ? { tool: name.slice(4) } : name;
      const lines = [];
      const argv = [String(port), ...files, another, '/proc/' + process.pid];
      await folders.using(async (folder) => await runner.run({
        step: { program, argv, stdout: null }, folder, limits: ${JSON.stringify(GENEROUS)}, signal, onLine: (line) => lines.push(line),
      }));
      seen[name] = lines;
    }
  });
  const [refusal, warning] = [await toolbox.refusal(), await isolation.warning()];
  console.log(JSON.stringify({ programs, seen, refusal, warning, report: await isolation.report(), tools: await toolbox.report() }));`;

interface Told {
  readonly programs: readonly string[];
  readonly seen: Readonly<Record<string, readonly string[]>>;
  readonly refusal: string | null;
  readonly warning: string | null;
  readonly report: Readonly<Record<string, boolean>>;
  readonly tools: Readonly<Record<string, { readonly problem?: string }>>;
}
interface Machine {
  /** Precedes the worker. */
  readonly before?: readonly string[];
  /** Folders of PATH. */
  readonly folders?: readonly string[];
  readonly user?: typeof unprivileged;
  readonly production?: boolean;
  readonly isolation?: 'auto' | 'none' | 'required';
}

let folder: string;
let server: Server;
let port: number;
const at = (name: string) => path.join(folder, name);
const outside = `/var/tmp/media-delivery-test-${process.pid}`;

beforeAll(async () => {
  folder = makeTestFolder();
  chmodSync(folder, 0o755);
  compileParts(['src/modules', 'src/shared'], folder);
  writeFileSync(at('worker.js'), WORKER);
  for (const name of PROGRAMS) writeScript(at(`bin/${name}`), PROBE);
  const tool = writeScript(at('data/bin/probe'), PROBE);
  writeFileSync(at('data/cli-tools.json'), JSON.stringify([{ name: 'probe', command: [tool] }]));
  for (const file of [at('data/app-secret'), at('.env'), outside]) writeFileSync(file, 'secret');
  mkdirSync(at('without-bubblewrap'));
  for (const name of ['node', 'bash', 'id', 'grep', 'tr', 'nice', 'choom', 'prlimit', 'setpriv', 'true'])
    symlinkSync(await find(name), at(`without-bubblewrap/${name}`));
  server = createServer((socket) => socket.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(async () => {
  server?.close();
  rmSync(outside, { force: true });
  await removeTestFolder(folder);
});

async function find(name: string): Promise<string> {
  if (name === 'node') return process.execPath;
  const found = spawnProgram({ command: ['bash', '-c', `type -P ${name}`] });
  await found.ended;
  return found.output.stdout.trim();
}

/** What a worker on such a machine says and its programs see. */
async function workOn({
  before = [],
  folders = ['/usr/bin', '/bin'],
  user = {},
  production = true,
  isolation = 'auto',
}: Machine): Promise<Told> {
  const files = [
    at('data/app-secret'),
    at('data/cli-tools.json'),
    at('.env'),
    at('worker.js'),
    outside,
    '/etc/passwd',
    '/etc/shadow',
    '/root',
    '/home',
  ];
  const task = JSON.stringify({ port, files, production, isolation });
  const worker = spawnProgram({
    ...{ command: [...before, process.execPath, 'worker.js', task], cwd: folder, ...user },
    env: { PATH: [at('bin'), ...folders].join(':'), APP_SECRET: 'secret-of-the-service' },
  });
  if ((await worker.ended) !== 0) throw new Error(worker.output.stderr);
  return JSON.parse(worker.output.stdout) as Told;
}

const AS_ROOT = process.getuid?.() === 0;
const WITHOUT_RIGHTS = ['setpriv', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all', '--'];
const NO_NAMESPACES = `echo 0 > /proc/sys/user/max_user_namespaces && exec ${WITHOUT_RIGHTS.join(' ')} "$@"`;
/** Machines on which there can be no sandbox. */
const BARE: readonly (readonly [string, () => Machine, RegExp])[] = [
  ['without bubblewrap', () => ({ folders: [at('without-bubblewrap')] }), /bubblewrap is not installed \(npm run install:tools\)/],
  [
    'without user namespaces',
    () => ({ before: ['unshare', '--user', '--map-user=1000', '--keep-caps', '--', 'sh', '-c', NO_NAMESPACES, 'sh'] }),
    /bubblewrap does not work \(bwrap: .*namespace/,
  ],
  ...(AS_ROOT
    ? [
        [
          'of a root without capabilities',
          () => ({ before: WITHOUT_RIGHTS }),
          /bubblewrap does not work \(root lacks the capability to change to another user\)/,
        ] as const,
      ]
    : []),
];

describe('a program that every converter runs', () => {
  it.each([
    ['root', {}],
    ['an ordinary user', unprivileged],
    ['an ordinary user without capabilities and new privileges', unprivileged, WITHOUT_RIGHTS],
  ] as const)(
    'of a worker that is %s sees no secret, no other file and no network, writes nothing, and is another user without privileges',
    async (_, user, before = []) => {
      const told = await workOn({ user, before });
      expect(told).toMatchObject({ programs: [TOOL, ...PROGRAMS], refusal: null, warning: null });
      expect(told.seen).toEqual(Object.fromEntries([TOOL, ...PROGRAMS].map((name) => [name, CONFINED])));
      expect(Object.values(told.report)).toEqual([true, true, true, true, true, true]);
    },
    START_MS,
  );

  it.each(BARE)(
    'is not run in production on a machine %s, and the worker says why',
    async (_, machine, reason) => {
      const told = await workOn(machine());
      expect([told.programs, told.seen]).toEqual([[], {}]);
      expect(told.refusal).toMatch(/^Programs cannot be isolated on this machine: .*; docs\/converter\.md, /);
      expect(told.refusal).toMatch(reason);
      for (const name of PROGRAMS) expect(told.tools[name]?.problem).toBe(`${titleOf(name)} is not run. ${told.refusal}`);
      expect(told.tools['cli-tools.json']?.problem).toBe(`The tools of cli-tools.json are not run. ${told.refusal}`);
      expect(told.report).toMatchObject({ network: false, processes: false, files: false, user: false, privileges: false });
    },
    START_MS,
  );

  it.each(BARE)(
    'runs in development on a machine %s, with a warning, and as itself',
    async (_, machine, reason) => {
      const told = await workOn({ ...machine(), production: false });
      expect([told.programs, told.refusal]).toEqual([[TOOL, ...PROGRAMS], null]);
      expect(told.warning).toMatch(/^Programs run without a sandbox: /);
      expect(told.warning).toMatch(reason);
      expect(told.seen.ffmpeg).toEqual(expect.arrayContaining([`sees ${outside}`, 'calls', 'NoNewPrivs: 1']));
      expect((await workOn({ ...machine(), production: false, isolation: 'required' })).programs).toEqual([]);
    },
    START_MS,
  );

  it(
    'runs in production without a sandbox when CONVERTER_ISOLATION says none',
    async () => {
      const told = await workOn({ isolation: 'none' });
      expect([told.programs, told.refusal]).toEqual([[TOOL, ...PROGRAMS], null]);
      expect(told.warning).toMatch(/^Programs run without a sandbox: CONVERTER_ISOLATION is none; /);
      expect(told.seen.soffice).toContain(`sees ${outside}`);
    },
    START_MS,
  );
});

/** What programs read of a file outside when a hostile original tells them to. */
describe('a hostile original, in the sandbox', () => {
  /** Not below the temporary folder nor DATA_DIR. */
  const secret = `${outside}.png`;
  let tools: ScriptTools;
  let unprotected: ScriptTools;
  let calls = 0;
  beforeAll(async () => {
    mkdirSync(at('hostile'));
    tools = offerScripts(at('hostile'), {}, new IsolationService(loadConfig({ CONVERTER_ISOLATION: 'required' })));
    unprotected = offerScripts(at('hostile'), {}, new NoIsolation());
    await run(folder, 'convert', ['-size', '200x100', 'xc:red', `png:${secret}`]);
    server.on('connection', () => {
      calls += 1;
    });
  });
  afterAll(() => rmSync(secret, { force: true }));

  /** How many pictures are in the PDF of a document. */
  async function picturesOf(content: Buffer, fileExtension: string, { runner, request }: ScriptTools): Promise<number> {
    const base = request('');
    const invocation = buildInvocation({ ...aRequest('document-pdf', { source: { ...A_DOCUMENT, fileExtension } }), folder: base.folder });
    if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation));
    put(base.folder, invocation.inputs.source, content);
    for (const { name, content: text } of invocation.files) {
      mkdirSync(path.dirname(path.join(base.folder, name)), { recursive: true });
      put(base.folder, name, text);
    }
    for (const step of invocation.steps) await runner.run({ ...base, step });
    const list = await run(folder, 'pdfimages', ['-list', path.join(base.folder, invocation.output)]);
    return list.trim().split('\n').length - 2; // without the head of the list
  }

  it.each([
    ['odg', odg([`file://${secret}`])],
    ['odp', odp([`file://${secret}`])],
    ['odt', odtWithDrawing([`file://${secret}`])],
  ])('becomes a PDF without the file that it names, which would be there without the sandbox: %s', async (fileExtension, content) => {
    expect(await picturesOf(content, fileExtension, unprotected)).toBe(1);
    expect(await picturesOf(content, fileExtension, tools)).toBe(0);
  });

  const list = (file: string) => `#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\n${file}\n#EXT-X-ENDLIST\n`;
  const drawing = (file: string) => `<svg xmlns="http://www.w3.org/2000/svg"><image href="${file}" width="9" height="9"/></svg>`;
  const ffmpeg = (...argv: string[]) => ['-v', 'error', '-nostdin', '-y', ...argv, '-frames:v', '1', 'output.png'];
  const open = ['-protocol_whitelist', 'file,http,tcp,concat,subfile,crypto,data', '-allowed_extensions', 'ALL'];
  it.each<[string, 'ffmpeg' | 'convert', readonly string[], string]>([
    ['file:', 'ffmpeg', ffmpeg('-i', `file:${secret}`), ''],
    ['concat:', 'ffmpeg', ffmpeg('-f', 'png_pipe', '-i', `concat:${secret}|${secret}`), ''],
    ['subfile:', 'ffmpeg', ffmpeg('-f', 'png_pipe', '-i', `subfile,,start,0,end,0,,:${secret}`), ''],
    ['http:', 'ffmpeg', ffmpeg('-i', 'http://127.0.0.1:PORT/x.png'), ''],
    ['a playlist of a file', 'ffmpeg', ffmpeg(...open, '-f', 'hls', '-i', 'source'), list(`file://${secret}`)],
    ['a playlist of an address', 'ffmpeg', ffmpeg(...open, '-f', 'hls', '-i', 'source'), list('http://127.0.0.1:PORT/x.ts')],
    ['a list to join', 'ffmpeg', ffmpeg('-safe', '0', '-f', 'concat', '-i', 'source'), `ffconcat version 1.0\nfile '${secret}'\n`],
    ['a file', 'convert', [secret, 'png:output.png'], ''],
    ['the text of a file', 'convert', [`text:${outside}`, 'png:output.png'], ''],
    ['a label of a file', 'convert', [`label:@${outside}`, 'png:output.png'], ''],
    ['an address', 'convert', ['http://127.0.0.1:PORT/x.png', 'png:output.png'], ''],
    ['a script', 'convert', ['msl:source', 'png:output.png'], `<image><read filename="${secret}"/><write filename="output.png"/></image>`],
    ['a drawing of commands', 'convert', ['mvg:source', 'png:output.png'], `viewbox 0 0 9 9 image over 0,0 9,9 '${secret}'`],
  ])('cannot include outside files, although the command line names them: %s (%s)', async (_, program, argv, source) => {
    const withPort = (text: string) => text.replace('PORT', String(port));
    const request = { ...tools.request(''), step: { program, argv: argv.map(withPort), stdout: null } };
    put(request.folder, 'source', withPort(source));
    expect((await failureOf(tools.runner.run(request))).reason).toBe('exit');
    expect(calls).toBe(0);
  });

  it('becomes a picture without the file that a drawing names', async () => {
    const request = { ...tools.request(''), step: { program: 'convert', argv: ['svg:source', 'png:output.png'], stdout: null } } as const;
    put(request.folder, 'source', drawing(`file://${secret}`));
    await tools.runner.run(request).catch(() => {}); // versions differ in whether that is an error
    expect(
      existsSync(path.join(request.folder, 'output.png')) && (await readPixels(path.join(request.folder, 'output.png'))).at(4, 4),
    ).not.toEqual([255, 0, 0]);
  });
});

const titleOf = (name: string): string => ({ convert: 'ImageMagick', soffice: 'LibreOffice' })[name] ?? name;
