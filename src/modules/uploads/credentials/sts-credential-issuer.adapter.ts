import { AssumeRoleCommand, PackedPolicyTooLargeException, STSClient } from '@aws-sdk/client-sts';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { HealthChecksService } from '../../../shared/health/health-checks.service.js';
import { Log } from '../../../shared/logging/index.js';
import {
  answers,
  awsClientOptions,
  describeFailure,
  describeOutage,
  inTime,
  isDenied,
  isUnanswered,
  measureStorageCall,
  OutageMemory,
  storageDenied,
  storageUnavailable,
  tryCall,
} from '../../../shared/storage/index.js';
import { inSpan } from '../../../shared/tracing/index.js';
import { CredentialIssuer, type CredentialRequest, type Credentials, PolicyTooLarge } from './credential-issuer.port.js';
import { sessionPolicy } from './credential-sets.js';

/** The lifetime that every role allows. It is also the maximum for a caller that uses temporary credentials itself (role chaining). */
const ROLE_CHAINING_MAX_SECONDS = 3_600;
const MIN_SECONDS = 900;
/** No upload has this key, so the credentials of a check give access to nothing. */
const TRIAL_KEY = 'uploads/check/health';
const OPERATION = 'AssumeRole';

/** Issues credentials by AssumeRole: the rights of the role, narrowed by the session policy. The SDK keeps connections open and retries. */
@Injectable()
export class StsCredentialIssuer extends CredentialIssuer implements OnApplicationShutdown {
  private readonly client: STSClient;
  private readonly outage = new OutageMemory(
    async () => await answers(async (options) => await this.client.send(this.trialCommand(), options)),
  );
  /** The host of STS, for messages to the operator. */
  private readonly host: string;
  /** The longest lifetime that the role is known to allow, in seconds. */
  private maxSeconds = Number.POSITIVE_INFINITY;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
    private readonly checks: HealthChecksService,
  ) {
    super();
    const endpoint = config.stsEndpoint || config.s3Endpoint;
    this.host = endpoint ? new URL(endpoint).host : `sts.${config.awsRegion}.amazonaws.com`;
    this.client = new STSClient(awsClientOptions(config, endpoint));
  }

  private trialCommand(): AssumeRoleCommand {
    const policy = sessionPolicy(this.config.s3Bucket, [TRIAL_KEY]);
    return this.assumeRoleCommand({ policy, sessionName: 'health-check', ttlSeconds: MIN_SECONDS });
  }

  async findProblem(): Promise<string | null> {
    try {
      await tryCall(async (options) => await this.client.send(this.trialCommand(), options));
      this.outage.noteAnswer();
      return null;
    } catch (error) {
      return describeOutage(`security token service ${this.host}`, { operation: OPERATION }, error);
    }
  }

  async issue(request: CredentialRequest): Promise<Credentials> {
    try {
      if (this.outage.isKnown) throw storageUnavailable();
      const credentials = await measureStorageCall(OPERATION, async () => await this.issueWithinMaximum(request));
      this.outage.noteAnswer();
      this.checks.noteOutcome('sts', true);
      return credentials;
    } catch (error) {
      if (!(error instanceof PolicyTooLarge)) this.checks.noteOutcome('sts', false);
      throw error;
    }
  }

  private async issueWithinMaximum(request: CredentialRequest): Promise<Credentials> {
    const seconds = Math.min(request.ttlSeconds, this.maxSeconds);
    try {
      return await this.assumeRole({ ...request, ttlSeconds: seconds });
    } catch (err) {
      if (err instanceof PackedPolicyTooLargeException) throw new PolicyTooLarge(err.message);
      if (isTooLong(err) && seconds > ROLE_CHAINING_MAX_SECONDS) {
        this.maxSeconds = ROLE_CHAINING_MAX_SECONDS;
        this.log.warn(
          { err, role: this.config.stsRoleArn },
          'the role allows no credentials of more than an hour: raise its MaxSessionDuration to 12 hours',
        );
        return await this.issueWithinMaximum(request);
      }
      const { stsRoleArn: role, s3Bucket: bucket } = this.config;
      const isDenial = isDenied(err);
      if (isUnanswered(err)) void this.outage.confirm();
      this.log.error(
        { operation: OPERATION, host: this.host, role, bucket, ...describeFailure(err) },
        isDenial ? 'the security token service denied an operation' : 'the security token service failed',
      );
      throw isDenial ? storageDenied({ operation: OPERATION }) : storageUnavailable();
    }
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  private assumeRoleCommand({ policy, sessionName, ttlSeconds }: CredentialRequest): AssumeRoleCommand {
    const { stsRoleArn: RoleArn } = this.config;
    return new AssumeRoleCommand({ RoleArn, RoleSessionName: sessionName, Policy: policy, DurationSeconds: ttlSeconds });
  }

  private async assumeRole(request: CredentialRequest): Promise<Credentials> {
    const send = async () => await this.client.send(this.assumeRoleCommand(request));
    const answer = await inSpan(
      { name: 'sts AssumeRole', kind: 'client' },
      async () => await inTime(send, async () => await this.outage.confirm()),
    );
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answer.Credentials ?? {};
    if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new Error('AssumeRole returned no credentials.');
    return { AccessKeyId, SecretAccessKey, SessionToken, Expiration: Expiration.toISOString() };
  }
}

/** Whether the lifetime is too long. STS has no error code for this: "The requested DurationSeconds exceeds …" */
const isTooLong = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && /DurationSeconds/.test(error.message) && /exceed/i.test(error.message);
