import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { FairLimit } from '../../shared/fairness/index.js';
import { PasswordHasher } from './password-hasher.port.js';

const ARGON2ID = 2; // the library's Algorithm.Argon2id, a const enum that isolated modules cannot import
/** Hashes are computed by the threads of Node.js, of which there are four; one remains for files and host names. */
const CONCURRENT_HASHES = 3;
const SERVICE = 'service';
/** The passwords of three seconds; browsers wait longer, and people do not. */
const MAX_WAITING = 1_000;

/** argon2id with the parameters of the OWASP password storage guide: 19 MiB, two passes, one lane; about 8 ms on a thread of its own. */
@Injectable()
export class Argon2PasswordHasher extends PasswordHasher {
  private readonly turns = new FairLimit({ slots: CONCURRENT_HASHES, maxWaiting: MAX_WAITING });

  async hash(password: string, party = SERVICE): Promise<string> {
    const options = { algorithm: ARGON2ID, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
    return await this.turns.run(party, async () => await hash(password, options));
  }

  async verify(stored: string, password: string, party = SERVICE): Promise<boolean> {
    return await this.turns.run(party, async () => await verify(stored, password));
  }
}
