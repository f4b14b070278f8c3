import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EgressAllowlist } from '../../src/shared/egress/index.js';
import { SystemAddressResolver } from '../../src/shared/egress/system-address-resolver.adapter.js';
import { NameServer } from '../support/subscriptions/name-server.js';

const HOSTS = `127.0.0.1 localhost # this machine
10.0.0.7\thooks.local  Alias.Local
#10.0.0.8 hooks.local
::1 hooks.local
`;

/** More of them than the process has threads. */
const SILENT = Array.from({ length: 50 }, (_, n) => `h${n}.silent.test`);

let server: NameServer;
let folder: string;

beforeEach(async () => {
  server = await NameServer.start({
    'hooks.test': '198.51.100.7',
    'empty.test': '',
    ...Object.fromEntries(SILENT.map((name) => [name, null])),
  });
  folder = mkdtempSync(path.join(tmpdir(), 'hosts-'));
  writeFileSync(path.join(folder, 'hosts'), HOSTS);
});

afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const resolver = (allowed: readonly string[] = []) =>
  new SystemAddressResolver(new EgressAllowlist(allowed), {
    servers: [server.address],
    timeoutMs: 500,
    hostsFile: path.join(folder, 'hosts'),
  });

describe('a name', () => {
  it.each(['hooks.test', 'HOOKS.test', 'hooks.test.'])('is asked of the name servers: %s', async (name) => {
    expect(await resolver().resolve(name)).toEqual(['198.51.100.7']);
  });

  it('of which only one kind of address is known has that one', async () => {
    expect(await resolver().resolve('hooks.test')).toEqual(['198.51.100.7']); // nothing is known of IPv6
    await expect(resolver().resolve('empty.test')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('that is unknown has no address', async () => {
    await expect(resolver().resolve('nobody.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it.each(['hooks.local', 'HOOKS.local', 'alias.local'])('is read from the hosts file without a DNS request: %s', async (name) => {
    expect(await resolver().resolve(name)).toContain('10.0.0.7');
    expect(server.asked).toEqual([]);
  });

  it('has all the addresses that the file of hosts gives it', async () => {
    expect(await resolver().resolve('hooks.local')).toEqual(['10.0.0.7', '::1']);
    expect(await resolver().resolve('hooks.local.')).toEqual(['10.0.0.7', '::1']);
  });

  it('that the operator allows is asked of the system', async () => {
    const addresses = await resolver(['localhost']).resolve('localhost');
    expect([['127.0.0.1'], ['::1', '127.0.0.1'], ['127.0.0.1', '::1']]).toContainEqual(addresses);
    expect(server.asked).toEqual([]);
  });

  it('whose name server is silent holds up no other one, and has no address in the end', async () => {
    const asked = resolver();
    const all = Promise.allSettled(SILENT.map((name) => asked.resolve(name)));
    expect(await asked.resolve('hooks.test')).toEqual(['198.51.100.7']);
    expect(await Promise.race([all, 'not yet'])).toBe('not yet');
    expect(await all).toEqual(SILENT.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'ETIMEOUT' }) })));
  });

  it('is resolved once for concurrent calls, and again afterwards', async () => {
    const asked = resolver();
    const answers = await Promise.all(Array.from({ length: 50 }, () => asked.resolve('hooks.test')));
    expect(new Set(answers.flat())).toEqual(new Set(['198.51.100.7']));
    const questions = server.asked.length;
    expect(questions).toBe(2); // one for each kind of address
    await asked.resolve('hooks.test');
    expect(server.asked).toHaveLength(2 * questions);
  });

  it('is found by the system where no name server listens', async () => {
    const gone = await NameServer.start({});
    const { address } = gone;
    await gone.close();
    const alone = new SystemAddressResolver(new EgressAllowlist([]), { servers: [address], hostsFile: '/nowhere' });
    expect(await alone.resolve('localhost')).toContain('127.0.0.1');
  });
});
