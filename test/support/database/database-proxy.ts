import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import type { TestDatabase } from './test-database.js';

/** A way to a database that can fall silent, as a network does: connections stay open and nothing comes through. */
export interface DatabaseProxy {
  readonly url: string;
  /** Silences the open connections of this application_name for good. */
  silence(applicationName: string): void;
  /** While held, new connections are accepted and nothing answers; letting go answers them. */
  hold(held: boolean): void;
  /** While mute, connections are accepted and stay open, and nothing comes through; afterwards the open ones break. */
  mute(isMute: boolean): void;
  /** While cut off, open connections break and new ones are refused. */
  cutOff(isOff: boolean): void;
  /** How many new connections wait to be let go. */
  waiting(): number;
  close(): Promise<void>;
}

interface Link {
  name: string;
  silent: boolean;
  readonly near: Socket;
  readonly far: Socket;
}

export async function startDatabaseProxy(database: TestDatabase): Promise<DatabaseProxy> {
  const target = new URL(database.url);
  const links = new Set<Link>();
  let held = false;
  let off = false;
  let isMute = false;
  const server = createServer((near) => {
    if (off) return void near.destroy();
    const far = dial(Number(target.port), target.hostname);
    const link: Link = { name: '', silent: false, near, far };
    links.add(link);
    if (held) near.pause();
    near.on('data', (bytes) => {
      link.name ||= /application_name\0([^\0]*)/.exec(bytes.toString('latin1'))?.[1] ?? '';
      if (!link.silent && !isMute) far.write(bytes);
    });
    far.on('data', (bytes) => {
      if (!link.silent && !isMute) near.write(bytes);
    });
    const end = () => {
      links.delete(link);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('close', end).on('error', end);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(database.url);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    silence: (name) => {
      for (const link of links) if (link.name === name) link.silent = true;
    },
    hold: (value) => {
      held = value;
      if (!held) for (const { near } of links) near.resume();
    },
    mute: (value) => {
      isMute = value;
      if (!isMute) for (const { near, far } of links) for (const socket of [near, far]) socket.destroy();
    },
    cutOff: (isOff) => {
      off = isOff;
      if (off) for (const { near, far } of links) for (const socket of [near, far]) socket.destroy();
    },
    waiting: () => [...links].filter(({ near }) => near.isPaused()).length,
    close: async () => {
      for (const { near, far } of links) for (const socket of [near, far]) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
