import { AssumeRoleCommand, type AssumeRoleCommandOutput, type STSClient } from '@aws-sdk/client-sts';
import type { Config } from '../../../shared/config/index.js';
import type { CredentialRequest, Credentials } from './credential-issuer.js';
import { type Address, FirstTry, type HttpAnswer, type ShortAnswerHandler } from './short-answer-handler.js';
import { stsClient, stsHandler } from './sts-client.js';

/**
 * AssumeRole of one role. Almost every call is answered at once with four texts, and for such a call the SDK does nothing here but sign:
 * what it does around that is a sixth of the cost of a createUpload. Whatever else comes of a call (an error, no answer, an
 * answer in other words) is handed to the SDK as its own first try, so that it reads, waits and tries again as always.
 */
export class RoleAssumer {
  private readonly handler: ShortAnswerHandler;
  private readonly client: STSClient;
  private readonly roleArn: string;

  constructor(config: Config) {
    this.roleArn = config.stsRoleArn;
    this.handler = stsHandler(config);
    this.client = stsClient(config, this.handler);
  }

  /** @throws what the SDK throws */
  async assume(request: CredentialRequest): Promise<Credentials> {
    const { address } = this.handler;
    if (!address) return await this.assumeBySdk(request); // it finds out the address
    const outcome = this.handler.handle(await this.sign(address, this.bodyOf(request)));
    const found = await outcome.then(readCredentials, () => null);
    return found ?? (await this.assumeBySdk(request, outcome));
  }

  destroy(): void {
    this.client.destroy();
  }

  private async assumeBySdk({ policy, sessionName, ttlSeconds }: CredentialRequest, outcome?: Promise<HttpAnswer>): Promise<Credentials> {
    const input = { RoleArn: this.roleArn, RoleSessionName: sessionName, Policy: policy, DurationSeconds: ttlSeconds };
    const command = new AssumeRoleCommand(input);
    return complete(
      outcome ? await this.client.send(command, { firstTry: new FirstTry(outcome) } as object) : await this.client.send(command),
    );
  }

  private bodyOf({ policy, sessionName, ttlSeconds }: CredentialRequest): string {
    const [role, name, allowed] = [this.roleArn, sessionName, policy].map(encodeURIComponent);
    return `Action=AssumeRole&Version=2011-06-15&RoleArn=${role}&RoleSessionName=${name}&Policy=${allowed}&DurationSeconds=${ttlSeconds}`;
  }

  private async sign(address: Address, body: string) {
    const { config } = this.client;
    const signer = await config.signer();
    const { hostname, port } = address;
    const headers = { host: port ? `${hostname}:${port}` : hostname, 'content-type': 'application/x-www-form-urlencoded' };
    const request = { ...address, method: 'POST', query: {}, headers, body };
    return await signer.sign(request, { signingDate: new Date(Date.now() + config.systemClockOffset) });
  }
}

/** The four texts of an answer in the usual words, or null. */
function readCredentials({ response: { statusCode, body } }: HttpAnswer): Credentials | null {
  if (statusCode !== 200) return null;
  const text = String(body);
  const [AccessKeyId, SecretAccessKey, SessionToken, ends] = FIELDS.map((field) => field.exec(text)?.[1]);
  const expiration = Date.parse(ends ?? '');
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || Number.isNaN(expiration)) return null;
  return { AccessKeyId, SecretAccessKey, SessionToken, Expiration: new Date(expiration).toISOString() };
}

/** Plain texts only; spaces and references of XML are for a parser. */
const FIELDS = ['AccessKeyId', 'SecretAccessKey', 'SessionToken', 'Expiration'].map(
  (name) => new RegExp(`<${name}>([^<>&\\s]+)</${name}>`),
);

function complete({ Credentials: found }: AssumeRoleCommandOutput): Credentials {
  const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = found ?? {};
  if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new Error('AssumeRole answered without credentials.');
  return { AccessKeyId, SecretAccessKey, SessionToken, Expiration: Expiration.toISOString() };
}
