import { AssumeRoleCommand, PackedPolicyTooLargeException, STSClient, STSServiceException } from '@aws-sdk/client-sts';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Log } from '../../../shared/logging/index.js';
import { awsClientOptions, isDenied, measureStorageCall, storageDenied, storageUnavailable } from '../../../shared/storage/index.js';
import { CredentialIssuer, type CredentialRequest, type Credentials, PolicyTooLarge } from './credential-issuer.port.js';

/** The lifetime that every role allows. It is also the maximum for a caller that uses temporary credentials itself (role chaining). */
const ROLE_CHAINING_MAX_SECONDS = 3_600;

/** Issues credentials by AssumeRole: the rights of the role, narrowed by the session policy. The SDK keeps connections open and retries. */
@Injectable()
export class StsCredentialIssuer extends CredentialIssuer implements OnApplicationShutdown {
  private readonly client: STSClient;
  /** The longest lifetime that the role allows, as far as is known. */
  private maxSeconds = Number.POSITIVE_INFINITY;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {
    super();
    this.client = new STSClient(awsClientOptions(config, config.stsEndpoint || config.s3Endpoint));
  }

  async issue(request: CredentialRequest): Promise<Credentials> {
    return await measureStorageCall('AssumeRole', async () => await this.issueWithinMaximum(request));
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
      if (isDenied(err)) {
        this.log.error({ err, operation: 'AssumeRole', role, bucket }, 'the security token service denied an operation');
        throw storageDenied({ operation: 'AssumeRole' });
      }
      const status = err instanceof STSServiceException ? err.$metadata.httpStatusCode : undefined;
      this.log.error({ err, operation: 'AssumeRole', status }, 'the security token service failed');
      throw storageUnavailable();
    }
  }

  onApplicationShutdown(): void {
    this.client.destroy();
  }

  private async assumeRole({ policy, sessionName, ttlSeconds }: CredentialRequest): Promise<Credentials> {
    const input = { RoleArn: this.config.stsRoleArn, RoleSessionName: sessionName, Policy: policy, DurationSeconds: ttlSeconds };
    const answer = await this.client.send(new AssumeRoleCommand(input));
    const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = answer.Credentials ?? {};
    if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration) throw new Error('AssumeRole answered without credentials.');
    return { AccessKeyId, SecretAccessKey, SessionToken, Expiration: Expiration.toISOString() };
  }
}

/** STS has no error code for this: "The requested DurationSeconds exceeds …" */
const isTooLong = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && /DurationSeconds/.test(error.message) && /exceed/i.test(error.message);
