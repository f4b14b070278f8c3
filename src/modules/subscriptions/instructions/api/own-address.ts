import type { Server } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';

/** Where this process listens, as it reaches itself. */
@Injectable()
export class OwnAddress {
  constructor(private readonly host: HttpAdapterHost) {}

  /** `http://127.0.0.1:3000`; null: it listens to nothing. */
  find(): string | null {
    const server = this.host.httpAdapter?.getHttpServer() as Server | undefined;
    const address = server?.address?.() ?? null;
    if (address === null || typeof address === 'string') return null;
    return `http://${reachable(address.address)}:${address.port}`;
  }
}

/** Who listens on all addresses is reached by the loopback of the same family. */
function reachable(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
