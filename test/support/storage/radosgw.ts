import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CreateBucketCommand, PutBucketVersioningCommand } from '@aws-sdk/client-s3';
import { AwsClient } from 'aws4fetch';
import { findPort } from '../../../src/process/find-port.js';
import type { Program } from '../app/program.js';
import { makeTestFolder, removeTestFolder } from '../app/test-cluster.js';
import { runDebianProgram, startDebianProgram } from '../debian-program.js';
import type { PolicyCase } from '../delivery/policy-cases.js';
import { eventually } from '../eventually.js';
import { type StorageTraits, type StorageUnderTest, s3Client } from './object-storage-clients.js';

const HOST = '127.0.0.1';
/** It is up within 3 s; more when other tests run beside. */
const MAX_WAIT_MS = 60_000;
const USER = 'service';
const ROLE = 'media-uploads';
const LOCATION = { region: 'us-east-1', bucket: 'media', roleArn: `arn:aws:iam:::role/${ROLE}` };

/** Where radosgw 16.2 differs from S3. */
export const RADOSGW_TRAITS: StorageTraits = {
  trailingChecksums: false,
  answersETag: false,
  choosesParts: false,
  knowsGoneUploads: false,
  sealsTokens: false,
  packsPolicies: false,
};

/**
 * Whether radosgw 16.2 misjudges a case: a star ends at the first place where the character behind it fits, so that `a*bc` does not match
 * `abbc` (https://tracker.ceph.com/issues/62292). Policies of the service have no stars.
 */
export function isMisjudged({ policy, request: { key } }: PolicyCase, bucket: string): boolean {
  const { Statement } = JSON.parse(policy) as { Statement: { Resource: string[] }[] };
  const text = `arn:aws:s3:::${bucket}/${key}`;
  return Statement.flatMap(({ Resource }) => Resource).some((pattern) => {
    const [head = '', tail = ''] = pattern.split('*');
    const starred = text.slice(head.length);
    return tail !== '' && text.startsWith(head) && starred.endsWith(tail) && starred.indexOf(tail.charAt(0)) < starred.length - tail.length;
  });
}

/**
 * Debian's radosgw: an S3 with AssumeRole that others wrote, on a Ceph of one node that keeps all in memory. It has a bucket and a role
 * that may do everything in it.
 */
export async function startRadosGateway(): Promise<StorageUnderTest> {
  const folder = makeTestFolder();
  const daemons: Program[] = [];
  const stop = async () => {
    await Promise.all(daemons.map(async (daemon) => await daemon.end('SIGKILL'))); // nothing that they hold is wanted any more
    await removeTestFolder(folder);
  };
  try {
    const endpoint = await startNode(folder, daemons);
    const key = newKey();
    await makeUser(folder, key);
    const storage: StorageUnderTest = { endpoint, key, ...LOCATION, stop };
    await makeRole(storage);
    const client = s3Client(storage, key);
    await client.send(new CreateBucketCommand({ Bucket: storage.bucket }));
    client.destroy();
    return storage;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A gateway whose bucket belongs to another user: service and uploaders may do what their policies say, and nothing else. */
export interface RestrictedRadosGateway extends StorageUnderTest {
  /** Who owns the bucket. */
  readonly operator: StorageUnderTest['key'];
  /** Replaces the policy of the service's user. */
  allowService(policy: string): Promise<void>;
  /** Replaces the policy of the role. */
  allowUploaders(policy: string): Promise<void>;
  removeRole(): Promise<void>;
  /** Replaces who may assume the role. */
  trust(policy: string): Promise<void>;
}

/** Radosgw as an operator sets it up by docs/operations-install.md; `policies` are the documents of that page. */
export async function startRestrictedRadosGateway(
  bucket: string,
  policies: { service: string; role: string; trust: string },
): Promise<RestrictedRadosGateway> {
  const folder = makeTestFolder();
  const daemons: Program[] = [];
  const stop = async () => {
    await Promise.all(daemons.map(async (daemon) => await daemon.end('SIGKILL')));
    await removeTestFolder(folder);
  };
  try {
    const endpoint = await startNode(folder, daemons);
    const [operator, key] = [newKey(), newKey()];
    await makeUser(folder, operator);
    await makeUser(folder, key, { uid: 'media-service', caps: '' });
    const owned = { endpoint, key: operator, ...LOCATION, bucket, stop };
    const client = s3Client(owned, operator);
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    await client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status: 'Enabled' } }));
    client.destroy();
    const call = iam(owned);
    const name = { RoleName: ROLE, PolicyName: 'uploads' };
    const gateway: RestrictedRadosGateway = {
      ...owned,
      key,
      operator,
      allowService: async (policy) =>
        await call({ Action: 'PutUserPolicy', UserName: 'media-service', PolicyName: 'media', PolicyDocument: policy }),
      allowUploaders: async (policy) => await call({ Action: 'PutRolePolicy', ...name, PolicyDocument: policy }),
      removeRole: async () => {
        await call({ Action: 'DeleteRolePolicy', ...name });
        await call({ Action: 'DeleteRole', RoleName: ROLE });
      },
      trust: async (policy) => await call({ Action: 'UpdateAssumeRolePolicy', RoleName: ROLE, PolicyDocument: policy }),
    };
    await call({ Action: 'CreateRole', RoleName: ROLE, Path: '/', MaxSessionDuration: '43200', AssumeRolePolicyDocument: policies.trust });
    await gateway.allowService(policies.service);
    await gateway.allowUploaders(policies.role);
    return gateway;
  } catch (error) {
    await stop();
    throw error;
  }
}

const newKey = () => ({ accessKeyId: randomBytes(10).toString('hex').toUpperCase(), secretAccessKey: randomBytes(20).toString('hex') });

/** A monitor, a store and the gateway in front of it. Answers the gateway's address. */
async function startNode(folder: string, daemons: Program[]): Promise<string> {
  const ports = { monitor: await findPort(HOST, 0), gateway: await findPort(HOST, 0) };
  const monitor = `v2:${HOST}:${ports.monitor}`;
  const [cluster, store] = [randomUUID(), randomUUID()];
  for (const name of ['mon', 'osd']) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, 'ceph.conf'), configuration(folder, { cluster, monitor, gateway: `${HOST}:${ports.gateway}` }));
  writeFileSync(path.join(folder, 'keyring'), keyring());
  const start = (name: string, ...args: string[]) => {
    daemons.push(startDebianProgram(name, ['-c', 'ceph.conf', '-f', ...args], { cwd: folder }));
  };
  await run(folder, 'monmaptool', '--create', '--fsid', cluster, '--addv', 'a', `[${monitor}]`, 'monmap');
  await run(folder, 'ceph-mon', '-c', 'ceph.conf', '--mkfs', '-i', 'a', '--keyring', 'keyring', '--monmap', 'monmap');
  start('ceph-mon', '-i', 'a', '--public-addr', monitor);
  await run(folder, 'ceph', '-c', 'ceph.conf', '--connect-timeout', '30', 'osd', 'new', store, '0');
  await run(folder, 'ceph-osd', '-c', 'ceph.conf', '-i', '0', '--mkfs', '--osd-uuid', store);
  start('ceph-osd', '-i', '0');
  start('radosgw', '-n', 'client.admin');
  const endpoint = `http://${HOST}:${ports.gateway}`;
  await eventually(async () => daemons.some(isOver) || (await answers(endpoint)), MAX_WAIT_MS);
  const dead = daemons.find(isOver);
  if (dead) throw new Error(`${dead.process.spawnargs.join(' ')} ended:\n${dead.output.stderr}`);
  return endpoint;
}

const isOver = ({ process: child }: Program): boolean => child.exitCode !== null || child.signalCode !== null;

const answers = async (url: string): Promise<boolean> =>
  await fetch(url).then(
    () => true,
    () => false,
  );

async function run(folder: string, name: string, ...args: string[]): Promise<void> {
  const { code, output } = await runDebianProgram(name, args, { cwd: folder });
  if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}:\n${output}`);
}

async function makeUser(
  folder: string,
  { accessKeyId, secretAccessKey }: StorageUnderTest['key'],
  { uid = USER, caps = 'roles=*;user-policy=*' } = {},
): Promise<void> {
  const keys = ['--access-key', accessKeyId, '--secret-key', secretAccessKey];
  const user = ['--uid', uid, '--display-name', uid, ...(caps ? ['--caps', caps] : []), ...keys];
  await run(folder, 'radosgw-admin', '-c', 'ceph.conf', '-n', 'client.admin', 'user', 'create', ...user);
}

/** Calls of IAM's own API. */
function iam({ endpoint, region, key }: StorageUnderTest): (parameters: Record<string, string>) => Promise<void> {
  const client = new AwsClient({ ...key, region, service: 'iam', retries: 0 });
  return async (parameters) => {
    const response = await client.fetch(`${endpoint}/?${new URLSearchParams(parameters)}`, { method: 'POST' });
    if (!response.ok) throw new Error(`${parameters.Action}: ${response.status} ${await response.text()}`);
  };
}

/** By IAM's own API: radosgw-admin makes roles whose sessions last for an hour at most. */
async function makeRole(storage: StorageUnderTest): Promise<void> {
  const { bucket } = storage;
  const policy = (...Statement: object[]) => JSON.stringify({ Version: '2012-10-17', Statement });
  const call = iam(storage);
  await call({
    Action: 'CreateRole',
    RoleName: ROLE,
    Path: '/',
    MaxSessionDuration: '43200',
    AssumeRolePolicyDocument: policy(
      { Effect: 'Allow', Principal: { AWS: [`arn:aws:iam:::user/${USER}`] }, Action: ['sts:AssumeRole'] },
      // To radosgw a session is still its user, so that it could rid itself of its session policy.
      { Effect: 'Deny', Principal: { AWS: [LOCATION.roleArn] }, Action: ['sts:AssumeRole'] },
    ),
  });
  await call({
    Action: 'PutRolePolicy',
    RoleName: ROLE,
    PolicyName: 'uploads',
    PolicyDocument: policy({ Effect: 'Allow', Action: ['s3:*'], Resource: [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`] }),
  });
}

/** AssumeRole needs cephx, and a key of exactly 16 characters that seals session tokens. */
const configuration = (
  folder: string,
  { cluster, monitor, gateway }: Record<'cluster' | 'monitor' | 'gateway', string>,
): string => `[global]
fsid = ${cluster}
mon host = ${monitor}
public addr = ${HOST}
keyring = ${folder}/keyring
run dir = ${folder}
crash dir = ${folder}
admin socket =
log to file = false
mon cluster log to file = false
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon max pg per osd = 1000
mon data avail crit = 1
mon data avail warn = 1

[mon]
mon data = ${folder}/mon
mon allow pool size one = true
paxos propose interval = 0.02
paxos min wait = 0.005

[osd]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 4294967296
osd class load list = *
osd class default list = *

[client]
rgw frontends = beast endpoint=${gateway}
rgw sts key = ${randomBytes(8).toString('hex')}
rgw s3 auth use sts = true
rgw thread pool size = 32
`;

/** One secret for all: a cephx key is its type, when it was made, its length and the key itself. */
function keyring(): string {
  const header = Buffer.alloc(12);
  header.writeUInt16LE(1, 0); // AES
  header.writeUInt32LE(Math.floor(Date.now() / 1_000), 2);
  header.writeUInt16LE(16, 10);
  const key = Buffer.concat([header, randomBytes(16)]).toString('base64');
  const entry = (name: string, ...services: string[]) =>
    [`[${name}]`, `key = ${key}`, ...services.map((service) => `caps ${service} = "allow *"`)].join('\n');
  return `${[entry('mon.', 'mon'), entry('client.admin', 'mon', 'osd'), entry('osd.0', 'mon', 'osd')].join('\n')}\n`;
}
