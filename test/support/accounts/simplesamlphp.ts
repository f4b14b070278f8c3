import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeCertificate } from '../../../src/modules/saml/service-provider.service.js';
import { findPort } from '../../../src/process/find-port.js';
import { eventually } from '../eventually.js';

const LIBRARY = '/usr/share/simplesamlphp';

/** Debian's simplesamlphp as an identity provider, under PHP's own web server. A missing package fails by name. */
export interface SimpleSamlPhp {
  readonly origin: string;
  metadata(): Promise<string>;
  /** Makes a service provider known by its metadata, as its administrators do: parsed by simplesamlphp itself. */
  trust(serviceProviderMetadata: string): Promise<void>;
  close(): Promise<void>;
}

/** A user who signs in with the user name `ada` and the password `secret`. */
export async function startSimpleSamlPhp(attributes: Record<string, string>): Promise<SimpleSamlPhp> {
  const folder = mkdtempSync(path.join(tmpdir(), 'simplesamlphp-'));
  for (const name of ['config', 'metadata', 'cert', 'log', 'data', 'tmp', 'sessions', 'www']) mkdirSync(path.join(folder, name));
  symlinkSync(path.join(LIBRARY, 'www'), path.join(folder, 'www/simplesaml'));
  const port = await findPort('127.0.0.1', 0);
  const origin = `http://127.0.0.1:${port}`;
  const { privateKey, certificate } = await makeCertificate('idp.example', new Date());
  writeFileSync(path.join(folder, 'cert/idp.pem'), privateKey);
  writeFileSync(path.join(folder, 'cert/idp.crt'), certificate);
  writeFileSync(path.join(folder, 'config/config.php'), configuration(folder, origin));
  writeFileSync(path.join(folder, 'config/authsources.php'), authenticationSource(attributes));
  writeFileSync(path.join(folder, 'metadata/saml20-idp-hosted.php'), HOSTED);
  writeFileSync(path.join(folder, 'metadata/saml20-sp-remote.php'), '<?php\n');
  const env = { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: path.join(folder, 'config') };
  const server = spawn('php', ['-S', `127.0.0.1:${port}`, '-t', path.join(folder, 'www')], { env, stdio: 'ignore' });
  const address = `${origin}/simplesaml/saml2/idp/metadata.php`;
  const answers = async () => (await fetch(address).catch(() => null))?.ok ?? false;
  await Promise.race([failed(server), eventually(answers)]);
  return {
    origin,
    metadata: async () => await (await fetch(address)).text(),
    trust: async (xml) => await run(['-r', IMPORT, LIBRARY, path.join(folder, 'metadata/saml20-sp-remote.php')], xml, env),
    close: async () => {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

const failed = async (server: ChildProcess): Promise<never> =>
  await new Promise((_, reject) => {
    server.once('error', (error) => reject(new Error(`Cannot start php (Debian's php-cli): ${error.message}`)));
    server.once('exit', (code) => reject(new Error(`php ended with ${code}; is Debian's simplesamlphp installed?`)));
  });

async function run(args: readonly string[], input: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('php', [...args], { env, stdio: ['pipe', 'inherit', 'inherit'] });
  child.stdin?.end(input);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`php ended with ${code}.`);
}

const php = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

const configuration = (folder: string, origin: string): string => `<?php
$config = [
  'baseurlpath' => ${php(`${origin}/simplesaml/`)},
  'certdir' => ${php(`${folder}/cert/`)},
  'loggingdir' => ${php(`${folder}/log/`)},
  'datadir' => ${php(`${folder}/data/`)},
  'tempdir' => ${php(`${folder}/tmp`)},
  'metadatadir' => ${php(`${folder}/metadata`)},
  'metadata.sources' => [['type' => 'flatfile', 'directory' => ${php(`${folder}/metadata`)}]],
  'secretsalt' => 'a salt for tests only',
  'auth.adminpassword' => 'not used here',
  'technicalcontact_email' => 'na@example.org',
  'timezone' => 'UTC',
  'logging.handler' => 'file',
  'enable.saml20-idp' => true,
  'module.enable' => ['core' => true, 'saml' => true, 'exampleauth' => true],
  'store.type' => 'phpsession',
  'session.phpsession.savepath' => ${php(`${folder}/sessions`)},
  'session.cookie.secure' => false,
];
`;

const authenticationSource = (attributes: Record<string, string>): string => {
  const list = Object.entries(attributes).map(([name, value]) => `${php(name)} => [${php(value)}]`);
  return `<?php
$config = ['people' => ['exampleauth:UserPass', 'ada:secret' => ['uid' => ['ada'], ${list.join(', ')}]]];
`;
};

const HOSTED = `<?php
$metadata['__DYNAMIC:1__'] = [
  'host' => '__DEFAULT__',
  'privatekey' => 'idp.pem',
  'certificate' => 'idp.crt',
  'auth' => 'people',
  'redirect.validate' => true,
  'saml20.sign.response' => true,
  'authproc' => [10 => ['class' => 'saml:PersistentNameID', 'attribute' => 'uid']],
];
`;

const IMPORT = `
require $argv[1] . '/lib/_autoload.php';
$sp = SimpleSAML\\Metadata\\SAMLParser::parseString(file_get_contents('php://stdin'))->getMetadata20SP();
file_put_contents($argv[2], "<?php\\n\\$metadata[" . var_export($sp['entityid'], true) . '] = ' . var_export($sp, true) . ";\\n");
`;
