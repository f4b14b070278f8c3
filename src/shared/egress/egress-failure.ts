/** Why a request got no answer that counts as success. */
export type EgressFailureCode =
  | 'blocked address'
  | 'dns'
  | 'http-4xx'
  | 'http-5xx'
  | 'invalid answer'
  | 'invalid header'
  | 'invalid url'
  | 'plain http'
  | 'redirect'
  | 'refused'
  | 'reset'
  | 'stopped'
  | 'failed'
  | 'timeout'
  | 'tls'
  | 'unreachable';

/** A code, and a sentence for a person: with the host's name, but nothing else of URL, headers and bodies, which may hold secrets. */
export class EgressFailure {
  constructor(
    readonly code: EgressFailureCode,
    readonly sentence: string,
  ) {}

  /** `timeout: hooks.example.org did not answer within 15 s` */
  toString(): string {
    return `${this.code}: ${this.sentence}`;
  }
}
