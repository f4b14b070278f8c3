import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { getMetadataArgsStorage } from 'typeorm';
import { migrations } from '../migrations/index.js';
import { enumerations } from '../sdk/src/generated/enumerations.js';
import { AppModule } from '../src/app.module.js';
import { entities } from '../src/entities.js';
import { CONVERTERS } from '../src/modules/formats/converters/converters.js';
import { INSTRUCTION_TYPES } from '../src/modules/subscriptions/instructions/instruction-kinds.js';
import { loadConfig } from '../src/shared/config/index.js';
import { SnakeCaseNamingStrategy } from '../src/shared/database/connection.js';
import { createLog } from '../src/shared/logging/index.js';
import { sealedColumns } from '../src/shared/secrets/index.js';
import { documents } from '../src/tools/documents.js';
import { parseFieldsPage } from './support/database/fields-page.js';
import { routesOf } from './support/documents/routes.js';

const root = path.resolve(import.meta.dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const filesUnder = (folder: string, ending: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(ending));

type Ring = 'integration' | 'e2e' | 'browser' | 'external' | 'stress';

/** test/landing.mjs */
interface Landing {
  readonly ROWS: readonly ({ readonly paths: string[]; readonly main?: string } & { readonly [ring in Ring]?: string })[];
  readonly WALK: string;
}

/** scripts/select-specs.mjs */
interface Selection {
  mainSpecs(): string[];
  namedSpecs(ring: Ring, names: string): string[];
  specsOf(ring: Ring): string[];
  touchedSpecs(changed: string[]): { ring: Ring; file: string }[][];
}

const load = async (file: string): Promise<unknown> => await import(path.join(root, file));
const { ROWS, WALK } = (await load('test/landing.mjs')) as Landing;
const { mainSpecs, namedSpecs, specsOf, touchedSpecs } = (await load('scripts/select-specs.mjs')) as Selection;

describe('the routes', () => {
  const app = AppModule.for(loadConfig({}), createLog({ level: 'silent', service: 'test' }));
  const routes = routesOf(app);

  it('need a caller, apart from these', () => {
    const open = routes.filter(({ isPublic }) => isPublic).map(({ name }) => name);
    expect(open.sort()).toEqual(
      [
        // What runs here, and where to go on.
        'DELETE /v5/s3/upload/:uploadId', // of anonymous senders of dropsites
        'GET /',
        // They look for a session of their own accord, and show the login where there is none.
        'GET /account',
        'GET /account/name',
        'GET /account/password',
        'GET /account/authenticator',
        'GET /account/authenticator/remove',
        'GET /account/passkeys/:id/remove',
        'GET /account/passkeys/:id/rename',
        'GET /account/passkeys/new',
        'GET /account/recovery-codes',
        'GET /account/confirmation',
        'GET /account/email',
        'GET /account/link/email',
        'GET /account/support',
        // Links in mails, whose token is their credential, and the page that asks for one.
        'GET /account/forgot',
        'GET /account/link',
        'GET /account/link/factor-reset',
        'GET /account/link/invitation',
        'GET /account/link/not-me',
        'GET /account/link/reset',
        'POST /account/deauthorize',
        'POST /account/end-other-sessions',
        'POST /account/end-session',
        'POST /account/forgot',
        'POST /account/link',
        'POST /account/link/invitation',
        'POST /account/link/not-me',
        'POST /account/link/reset',
        'POST /account/name',
        'POST /account/password',
        'POST /account/authenticator',
        'POST /account/authenticator/remove',
        'POST /account/link/factor-reset',
        'POST /account/passkeys/:id/remove',
        'POST /account/passkeys/:id/rename',
        'POST /account/passkeys/new',
        'POST /account/recovery-codes',
        'POST /account/email',
        'POST /account/link/email',
        'POST /account/support',
        // The page of the console, which signs in by itself.
        'GET /console',
        'GET /console/*path',
        // The upload page of a dropsite.
        'GET /d/:link',
        // What viewers see and hear: the rules of the player configuration decide.
        'GET /v5/deliverEmbed/:link',
        'GET /v5/deliverEmbed/:link/image',
        'GET /v5/deliverEmbed/:link/master.m3u8',
        'GET /v5/deliverEmbed/:link/media/:mediaId.m3u8',
        'GET /v5/deliverEmbed/:link/media/:mediaId.mp4',
        'GET /v5/deliverEmbed/:link/player',
        'GET /v5/deliverEmbed/:link/preview',
        'GET /v5/deliverEmbed/:link/progress',
        'GET /v5/deliverEmbed/:link/sign-in',
        'GET /v5/deliverEmbed/:link/storyboard.vtt',
        'GET /v5/deliverEmbed/:link/storyboard/:mediaId.jpg',
        'GET /v5/deliverEmbed/:link/subtitles/:mediaId.vtt',
        'GET /v5/oembed',
        // A picture whose signed ticket lists of media containers contain.
        'GET /v5/preview/:ticket',
        // What people download who know the address of a download link.
        'GET /l/:link',
        'GET /l/:link/:mediaId',
        'GET /l/:link/archive',
        'GET /l/:link/pictures/:containerId',
        // Viewers of embed links: whom the player configuration lets in, the gate decides.
        'GET /v5/deliverFile/:link',
        'POST /v5/deliverEmbed/:link/lease',
        'POST /v5/deliverEmbed/:link/plays',
        // E-mails of an installation without a mail server, for who sits at the machine.
        'GET /dev/mail',
        'GET /dev/mail/:id',
        'GET /dev/mail/:id/html',
        // Probes.
        'GET /health/live',
        'GET /health/ready',
        // The way to a session: login, consent, and the identity providers.
        'GET /v4/interaction/:uid',
        'GET /v4/interaction/:uid/sso',
        'GET /v4/interaction/:uid/window',
        'POST /v4/interaction/:uid/cancel',
        'POST /v4/interaction/:uid/consent',
        'POST /v4/interaction/:uid/login',
        'POST /v4/interaction/:uid/code',
        'POST /v4/interaction/:uid/enrol-app',
        'POST /v4/interaction/:uid/enrol-passkey',
        'POST /v4/interaction/:uid/finish',
        'POST /v4/interaction/:uid/passkey',
        'POST /v4/interaction/:uid/password',
        'POST /v4/interaction/:uid/start-over',
        'POST /v4/interaction/:uid/window/:answer',
        'GET /v4/saml/:ssoIdentifier/metadata',
        'POST /v4/saml/:ssoIdentifier/acs',
        // Senders of a dropsite, with a session or without one: they prove themselves by the link, the upload's id and the client.
        'GET /v5/dropsite/deliver/:link',
        'GET /v5/dropsite/:link/progress',
        'POST /v5/dropsite/:link/token',
        'POST /v5/dropsite/createUpload',
        'POST /v5/dropsite/uploadStarted',
        'POST /v5/s3/success',
        'POST /v5/s3/uploadComplete',
        'GET /v5/activity/jobResult/:jobId',
        // It verifies a signature that another service received.
        'POST /v4/checkSignedSession',
        // The client authenticates, not a user.
        'POST /v4/revoke',
      ].sort(),
    );
  });

  it('that create something honour an Idempotency-Key, except these', () => {
    const posts = routes.filter(({ name }) => name.startsWith('POST '));
    const without = posts.filter(({ isIdempotent }) => !isIdempotent).map(({ name }) => name);
    expect(without.sort()).toEqual(
      [
        // Forms of pages: their tokens and handles count once, and what is ended twice has ended.
        'POST /account/deauthorize',
        'POST /account/end-other-sessions',
        'POST /account/end-session',
        'POST /account/forgot',
        'POST /account/link',
        'POST /account/link/invitation',
        'POST /account/link/not-me',
        'POST /account/link/reset',
        'POST /account/name',
        'POST /account/password',
        'POST /account/authenticator',
        'POST /account/authenticator/remove',
        'POST /account/link/factor-reset',
        'POST /account/passkeys/:id/remove',
        'POST /account/passkeys/:id/rename',
        'POST /account/passkeys/new',
        'POST /account/recovery-codes',
        'POST /account/email',
        'POST /account/link/email',
        'POST /account/support',
        'POST /v4/deauthorize',
        'POST /v4/interaction/:uid/cancel',
        'POST /v4/interaction/:uid/consent',
        'POST /v4/interaction/:uid/login',
        'POST /v4/interaction/:uid/code',
        'POST /v4/interaction/:uid/enrol-app',
        'POST /v4/interaction/:uid/enrol-passkey',
        'POST /v4/interaction/:uid/finish',
        'POST /v4/interaction/:uid/passkey',
        'POST /v4/interaction/:uid/password',
        'POST /v4/interaction/:uid/start-over',
        'POST /v4/interaction/:uid/window/:answer',
        'POST /v4/saml/:ssoIdentifier/acs',
        // A code counts once and for a minute: who lost one asks for another.
        'POST /v4/requestCode',
        // No user is signed in here, and the code can be used once.
        'POST /v5/dropsite/:link/token',
        // They make nothing that stays.
        'POST /v4/checkSignedSession',
        'POST /v4/revoke',
        'POST /v4/userinfo',
        'POST /v5/deliverEmbed/:link/lease',
        'POST /v5/deliverEmbed/:link/plays',
        'POST /v5/extAuth',
        'POST /v5/playerconfiguration/:id/explain',
        'POST /v5/subscriptions/dryRun',
        // Repeating them changes nothing: the item is reported, the batch complete, the owner told.
        'POST /v5/dropsite/uploadStarted',
        'POST /v5/s3/success',
        'POST /v5/s3/uploadComplete',
        'POST /v5/playerconfiguration/:id/default',
        'POST /v5/user/:id/disable',
        'POST /v5/user/:id/enable',
        // Under way it is refused, and receivers know its message id again.
        'POST /v5/subscriptions/:id/replay',
      ].sort(),
    );
  });
});

describe('the generated documents', () => {
  it.each(Object.keys(documents))('%s is up to date (npm run docs)', (file) => {
    expect(read(file)).toBe(documents[file]?.());
  });
});

describe('the lists of files', () => {
  it('name every entity', async () => {
    const files = filesUnder('src', '.entity.ts');
    const modules = await Promise.all(files.map(async (file) => (await import(`../src/${file}`)) as Record<string, unknown>));
    const tables = new Set(getMetadataArgsStorage().tables.map(({ target }) => target));
    const declared = modules.flatMap((module) => Object.values(module)).filter((value) => tables.has(value as never));
    expect(new Set(entities)).toEqual(new Set(declared));
  });

  it('name every migration, the oldest first', () => {
    const files = readdirSync(path.join(root, 'migrations'))
      .filter((file) => file !== 'index.ts')
      .sort();
    const names = files.map((file) => /^(\d+)-(\w+)\.ts$/.exec(file)).map((match) => `${match?.[2]}${match?.[1]}`);
    expect(migrations.map(({ name }) => name)).toEqual(names);
  });
});

describe('the kinds of things', () => {
  it.each([
    ['subscription_logs_type_check', 'type', INSTRUCTION_TYPES],
    ['formats_converter_check', 'converter', CONVERTERS],
  ])('are all allowed by the database: %s', (name, column, kinds) => {
    const check = getMetadataArgsStorage().checks.find((one) => one.name === name);
    expect(check?.expression).toBe(`${column} IN (${kinds.map((kind) => `'${kind}'`).join(', ')})`);
  });
});

describe('secrets at rest', () => {
  const sources = filesUnder('src', '.ts').filter((file) => !file.endsWith('.spec.ts'));
  const sealedBy = new Set(sources.flatMap((file) => [...read(`src/${file}`).matchAll(/@Sealed\((\w+)/g)].map(([, name]) => name)));

  it('are written for a purpose that a column names, so that a re-encryption finds them', () => {
    const calls = sources.flatMap((file) =>
      [...read(`src/${file}`).matchAll(/\.seal\((\w+|'[^']*'),/g)].map(([, purpose]) => [file, purpose]),
    );
    expect(calls.length).toBeGreaterThan(8);
    const unknown = calls.filter(([, purpose]) => !sealedBy.has(purpose)).map(([file]) => file);
    expect(unknown).toEqual(['modules/subscriptions/instructions/api/instruction-tokens.service.ts']); // they live for a minute and are not stored
  });

  it('are in marked columns: every property named or described as sealed or encrypted', () => {
    const member = /\n {2}(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?((?:@[^\n]+\n(?: {4}[^\n]*\n| {2}\}\)\n)* *)+)(\w+): (\w+)/g;
    const described = filesUnder('src', '.entity.ts').flatMap((file) =>
      [...read(`src/${file}`).matchAll(member)]
        .filter(
          ([, comment = '', , name = '', type]) => type === 'string' && (/\b(sealed|encrypted)\b/i.test(comment) || /^sealed/.test(name)),
        )
        .map(([, , decorators = '', name]) => ({ file, name, isDeclared: decorators.includes('@Sealed(') })),
    );
    expect(described.filter(({ isDeclared }) => !isDeclared)).toEqual([]);
    expect(described).toHaveLength(sealedColumns.length);
  });
});

describe('the rings of tests', () => {
  it('are in the table of CONTRIBUTING.md, have a project, and are run by .ci/run', () => {
    const folders = readdirSync(path.join(root, 'test')).filter((name) =>
      filesUnder('test', '.spec.ts').some((file) => file.startsWith(`${name}/`)),
    );
    for (const folder of folders) {
      expect(read('CONTRIBUTING.md')).toContain(`| ${folder} | \`test/${folder}\` |`);
      expect(read('jest.config.mjs')).toContain(`ringWithDatabase('${folder}'`);
      expect(read('.ci/summarize.mjs')).toContain(`'${folder}'`);
    }
  });

  it('run on the Node of the image, which is one for all stages and pinned by its digest', () => {
    const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)]
      .map(([, image]) => image)
      .filter((image) => image?.startsWith('node:'));
    expect(images.length).toBeGreaterThan(0);
    expect(new Set(images).size).toBe(1);
    expect(images[0]).toMatch(/^node:24\.\d+\.\d+-bookworm-slim@sha256:[\da-f]{64}$/);
    expect(read('.ci/run')).toContain('with-image-node.sh node scripts/test.mjs e2e');
  });
});

describe('the table of what a change must pass', () => {
  const rings = ['integration', 'e2e', 'browser', 'external', 'stress'] as const;
  const folders = [
    'bench',
    'console/src',
    'docs',
    'docker',
    'local-storage/src',
    'migrations',
    'ops',
    'samples',
    'scripts',
    'sdk/src',
    'src',
    'test',
  ];
  const files = folders
    .flatMap((folder) => filesUnder(folder, '').map((file) => `${folder}/${file}`))
    .filter((file) => path.extname(file) !== '' && !file.endsWith('.spec.ts'));

  it('has a row for every file', () => {
    const missing = files.filter((file) => !ROWS.some(({ paths }) => paths.some((start) => file.startsWith(start))));
    expect(missing).toEqual([]);
    expect(files.length).toBeGreaterThan(1_500);
  });

  it('names no path that does not exist', () => {
    const starts = ROWS.flatMap(({ paths }) => paths).map((start) => path.join(root, start));
    const exists = (start: string) =>
      start.endsWith('/') ? existsSync(start) : readdirSync(path.dirname(start)).some((name) => name.startsWith(path.basename(start)));
    expect(starts.filter((start) => !exists(start))).toEqual([]);
  });

  it.each(rings)('names every spec of the ring %s, and no other', (ring) => {
    const names = ROWS.flatMap((row) => row[ring]?.split(' ') ?? []);
    const named = new Set(names.flatMap((name) => namedSpecs(ring, name)));
    expect(names.filter((name) => namedSpecs(ring, name).length === 0)).toEqual([]);
    expect(specsOf(ring).filter((file) => !named.has(file))).toEqual([]);
  });

  it('has a main path for every module but the console, whose pages are in the browser walk', () => {
    const modules = readdirSync(path.join(root, 'src/modules'));
    const without = modules.filter((name) => !ROWS.some(({ paths, main }) => main && paths.includes(`src/modules/${name}/`)));
    expect(without).toEqual(['console']);
    const names = ROWS.flatMap(({ main }) => main?.split(' ') ?? []);
    expect(names.filter((name) => namedSpecs('e2e', name).length !== 1)).toEqual([]);
    expect(WALK.split(' ').filter((name) => namedSpecs('browser', name).length === 0)).toEqual([]);
  });

  it('chooses all of integration and e2e for what all modules stand on, and for a module its own specs and those that changed', () => {
    const chosen = touchedSpecs(['src/shared/clock.ts']).flat();
    expect(chosen).toHaveLength(specsOf('integration').length + specsOf('e2e').length - mainSpecs().length);
    const changed = touchedSpecs(['test/stress/scale.spec.ts', 'src/modules/saml/saml.module.ts']).flat();
    expect(changed.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['test/e2e/saml.spec.ts', 'test/external/simplesamlphp.spec.ts', 'test/stress/scale.spec.ts']),
    );
    expect(changed.length).toBeLessThan(15);
  });
});

describe('the benches and scripts', () => {
  const programs = ['bench', 'scripts']
    .flatMap((folder) => filesUnder(folder, '.mjs').map((file) => `${folder}/${file}`))
    .concat('package.json', 'Dockerfile', '.ci/run');

  it.each(programs)('%s names only modules of the build that have a source', (program) => {
    const missing = modulesNamedIn(read(program)).filter((names) => !names.some(hasSource));
    expect(missing).toEqual([]);
  });

  it.each(programs)('%s takes only what these modules export', (program) => {
    const taken = [...read(program).matchAll(/\{ ([\w, ]+) \} (?:= await load\(|from )'(?:\.\.\/dist\/src\/)?([\w/.-]+\.js)'/g)];
    const missing = taken.flatMap(([, names = '', name = '']) => {
      const [file] = modulesNamedIn(read(program))
        .flat()
        .filter((one) => one.endsWith(name) && hasSource(one));
      const source = file === undefined ? '' : read(`src/${file.replace(/\.js$/, '.ts')}`);
      return names
        .split(', ')
        .filter((one) => !new RegExp(`^export [^;]*\\b${one}\\b`, 'm').test(source))
        .map((one) => `${one} of ${name}`);
    });
    expect(missing).toEqual([]);
  });

  it('are read for what they name', () => {
    const text = `import { a } from '../dist/src/main.js';
      const load = async (name) => await import(path.join(root, 'dist/src/modules/formats', name));
      await load('formats.service.js');
      ['errors', 'format'].map(load);`;
    const names = (name: string) => [`modules/formats/${name}`, name];
    expect(modulesNamedIn(text)).toEqual([['main.js'], ['modules/formats'], names('formats.service.js'), names('errors'), names('format')]);
    expect(modulesNamedIn('"openapi": "node scripts/run.mjs tools/write-openapi.js"')).toEqual([['tools/write-openapi.js']]);
    expect(programs.flatMap((program) => modulesNamedIn(read(program))).length).toBeGreaterThan(30);
  });

  /** Each module or folder of the build that a program names, by the paths below src that may be meant: what `load` gets has several. */
  function modulesNamedIn(text: string): string[][] {
    const fixed = [...text.matchAll(/dist\/src\/?([\w/.-]*)/g)].map(([, name = '']) => name).filter((name) => name !== '');
    const started = [...text.matchAll(/run\.mjs ([\w/.-]+\.js)/g)].map(([, name = '']) => name);
    const folders = [...fixed.filter((name) => !/\.js$/.test(name)).map((name) => name.replace(/\/$/, '')), ''];
    const listed = [...text.matchAll(/\[([^\]]*)\]\.map\(load\)/g)].flatMap(([, names = '']) => [...names.matchAll(/'([^']+)'/g)]);
    const loaded = [...text.matchAll(/\bload\('([^']+)'\)/g), ...listed].map(([, name = '']) => name);
    return [
      ...[...fixed, ...started].map((name) => [name.replace(/\/$/, '')]),
      ...loaded.map((name) => folders.map((folder) => path.join(folder, name))),
    ];
  }

  function hasSource(name: string): boolean {
    const source = path.join(root, 'src', name);
    return [source, source.replace(/\.js$/, '.ts'), `${source}.ts`].some((file) => existsSync(file));
  }
});

describe('the version', () => {
  it('is the same in CHANGELOG.md, package.json, the packages and the lock file', () => {
    const [newest] = /(?<=^## \[)\d+\.\d+\.\d+(?=\])/m.exec(read('CHANGELOG.md')) ?? ['0.1.0'];
    const { packages } = JSON.parse(read('package-lock.json'));
    const stated = ['', 'sdk', 'local-storage', 'console'].flatMap((folder) =>
      [JSON.parse(read(path.join(folder, 'package.json'))), packages[folder]].flatMap(
        ({ name, version, dependencies, devDependencies }) => {
          const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([needed]) => needed.startsWith('@media-delivery/'));
          return [[name, version], ...ours.map(([needed, wanted]) => [`${needed} of ${name}`, wanted])];
        },
      ),
    );
    expect(stated.filter(([, wanted]) => wanted !== newest)).toEqual([]);
    expect(stated).toHaveLength(16);
  });
});

describe('the documents for engineers', () => {
  const files = ['src', 'local-storage/src', 'console/src', 'test', 'scripts', 'bench', 'docs', 'migrations', 'docker'].flatMap((folder) =>
    filesUnder(folder, '').map((file) => `${folder}/${file}`),
  );

  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/decisions.md'])('%s names only files that exist', (document) => {
    const named = [...read(document).matchAll(/`([\w@./-]+\.(?:ts|mjs|js|eta|css|sh))`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(5);
    const exists = (name: string) => existsSync(path.join(root, name)) || files.some((file) => file.endsWith(`/${name}`));
    expect(named.filter((name) => !exists(name))).toEqual([]);
  });
});

describe('the console', () => {
  const sources = filesUnder('console/src', '').filter((file) => /(?<!\.spec)\.tsx?$/.test(file));
  const linesOf = (pattern: RegExp) =>
    sources.flatMap((file) => [...read(`console/src/${file}`).matchAll(pattern)].map(([found]) => `${file}: ${found}`));

  it('states no limit of an input: those of the SDK are generated from openapi.json', () => {
    expect(linesOf(/\b(min|max)(Length|Items|imum)=?[:{]\s*\d[\d_]*/g)).toEqual([]);
  });

  it('states no list of values that the API states', () => {
    const known = new Set(
      Object.values(enumerations).flatMap((fields) => Object.values(fields).map((values) => [...values].sort().join())),
    );
    const lists = linesOf(/\[(?:'[\w.:-]+',?\s*){2,}\]/g).filter((line) => /'[a-z]/i.test(line.slice(line.indexOf(': '))));
    const valuesOf = (line: string) => [...line.slice(line.indexOf(': ')).matchAll(/'([^']+)'/g)].map(([, value]) => value);
    expect(lists.filter((line) => known.has(valuesOf(line).sort().join()))).toEqual([]);
  });

  it('takes the keys of queries from one file', () => {
    expect(linesOf(/queryKey: \[/g)).toEqual([]);
  });
});

describe('the stored fields (docs/fields.md)', () => {
  const storage = getMetadataArgsStorage();
  const naming = new SnakeCaseNamingStrategy();
  const documented = parseFieldsPage(read('docs/fields.md'));
  const stored = storage.columns.map(({ target, propertyName, options }) => {
    const table = storage.tables.find((one) => one.target === target)?.name;
    return `${table}.${naming.columnName(propertyName, options.name, [])}`;
  });

  it('are all there, once', () => {
    expect(documented.map(({ name }) => name).sort()).toEqual(stored.sort());
  });

  it('are read by code and protected by a test, apart from times that are kept for the operator', () => {
    const current = documented.filter(({ isForPreviousVersion }) => !isForPreviousVersion);
    const unread = current.filter(({ reader, test }) => reader === null || test === null).map(({ name }) => name);
    expect(unread.filter((name) => !/\.(created|updated)_at$/.test(name))).toEqual([]);
  });

  it('are read by the named file, which is not the entity itself, and their test exists', () => {
    const wrong = documented.filter(
      ({ name, reader, test }) => !mentions(reader, name) || (test !== null && !existsSync(path.join(root, test))),
    );
    expect(wrong).toEqual([]);
  });

  /** Under the name of the column or of the property. */
  function mentions(reader: string | null, name: string): boolean {
    if (reader === null) return true;
    if (reader.endsWith('.entity.ts')) return false;
    const column = name.split('.')[1] ?? '';
    const property = column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    return existsSync(path.join(root, reader)) && new RegExp(`\\b(${column}|${property})\\b`).test(read(reader));
  }
});

describe('a list in an input', () => {
  /** A rule of class-validator, as its storage keeps them by class. */
  interface StoredRule {
    readonly name?: string;
    readonly each: boolean;
    readonly propertyName: string;
  }

  it('has a limit, so that a longer one is refused before its elements are looked at', () => {
    const { validationMetadatas } = getMetadataStorage() as unknown as {
      readonly validationMetadatas: ReadonlyMap<new () => object, readonly StoredRule[]>;
    };
    const membersWith = (isWanted: (rule: StoredRule) => boolean) =>
      [...validationMetadatas].flatMap(([type, rules]) => rules.filter(isWanted).map(({ propertyName }) => `${type.name}.${propertyName}`));
    const lists = membersWith(({ name = '', each }) => each || ['isArray', 'arrayUnique', 'arrayMinSize'].includes(name));
    const limited = new Set(membersWith(({ name }) => name === 'arrayMaxSize'));
    expect(new Set(lists).size).toBeGreaterThan(20);
    expect(lists.filter((member) => !limited.has(member))).toEqual([]);
  });
});

describe('the queues', () => {
  const sources = filesUnder('src', '.ts').filter((file) => !/\.spec\.ts$|^shared\/fairness\/|\/browser\//.test(file));
  const filesWith = (pattern: RegExp) => sources.filter((file) => pattern.test(read(`src/${file}`))).sort();

  it('in which requests wait are FairLimits: other limits belong to one piece of work, and are made inside it', () => {
    expect(filesWith(/FairLimit\(/).length).toBeGreaterThan(8);
    // A property or a constant of a module is shared by all requests of the process; a constant of a function is not.
    expect(
      filesWith(
        /^(?: {2}(?:private |readonly |static |public )*\w+|(?:export )?const \w+)(?:: [^=\n]+)? = (?:new )?(?:pLimit|\w*(?:Queue|Semaphore|Mutex|Pool))\(/m,
      ),
    ).toEqual([]);
  });

  it('are none of their own: a list of functions or promises that wait, apart from these', () => {
    const waiting =
      /\w*(?:waiting|pending|queue|last|turn)\w*(?::[^=\n]*)? = (?:new (?:Set|Map|Array)(?:<[^\n]*>)?\(\)|\[\]|Promise\.resolve\(\));$/im;
    expect(filesWith(waiting)).toEqual([
      // What one download reads ahead, at most 24 entries.
      'modules/delivery/download-links/archive/read-ahead.ts',
      // A scrape of the metrics asks each process once.
      'process/cluster-metrics.ts',
      // Statements of all requests that begin in the same turn of the event loop are one statement.
      'shared/database/batched-statement.ts',
      // Lengths of queues of the database, for the metrics.
      'shared/database/database-metrics.service.ts',
      // Every transaction waits here for as long as it would wait for a connection; what takes long has a FairLimit before it.
      'shared/database/transaction-places.ts',
      // The queues of the workers, which claim from the database and serve customers in turn.
      'shared/jobs/waiting-jobs.service.ts',
      // WorkInTurn: statements of a process about its own notifications.
      'shared/shared-work.ts',
    ]);
  });

  it('of threads take turns by customer', () => {
    for (const file of filesWith(/new Worker\(/)) expect(read(`src/${file}`)).toContain('new FairLimit(');
  });
});
