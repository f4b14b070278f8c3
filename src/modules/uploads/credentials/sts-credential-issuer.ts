import { PackedPolicyTooLargeException } from '@aws-sdk/client-sts';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../../../shared/config/index.js';
import { Log } from '../../../shared/logging/index.js';
import { isDenied, storageDenied, storageUnavailable } from '../../../shared/storage/index.js';
import { CredentialIssuer, type CredentialRequest, type Credentials, PolicyTooLarge } from './credential-issuer.js';
import { RoleAssumer } from './role-assumer.js';

/** What every role allows, and the most for a caller that has temporary credentials itself (role chaining). */
const SHORTEST_MAXIMUM_SECONDS = 3_600;

/** Credentials by AssumeRole with a session policy: the role's own rights, narrowed to it. */
@Injectable()
export class StsCredentialIssuer extends CredentialIssuer implements OnApplicationShutdown {
  private readonly role: RoleAssumer;
  /** What the role turned out to allow. */
  private maximumSeconds = Number.POSITIVE_INFINITY;

  constructor(
    private readonly config: Config,
    private readonly log: Log,
  ) {
    super();
    this.role = new RoleAssumer(config);
  }

  async issue(request: CredentialRequest): Promise<Credentials> {
    const seconds = Math.min(request.ttlSeconds, this.maximumSeconds);
    try {
      return await this.role.assume({ ...request, ttlSeconds: seconds });
    } catch (err) {
      if (err instanceof PackedPolicyTooLargeException) throw new PolicyTooLarge(err.message);
      if (isTooLong(err) && seconds > SHORTEST_MAXIMUM_SECONDS) {
        this.maximumSeconds = SHORTEST_MAXIMUM_SECONDS;
        this.log.warn(
          { err, role: this.config.stsRoleArn },
          'the role allows no longer credentials than an hour: raise its MaxSessionDuration to 12 hours',
        );
        return await this.issue(request);
      }
      const { stsRoleArn: role, s3Bucket: bucket } = this.config;
      if (isDenied(err)) {
        this.log.error({ err, operation: 'AssumeRole', role, bucket }, 'the security token service denied an operation');
        throw storageDenied({ operation: 'AssumeRole' });
      }
      this.log.error({ err }, 'the security token service failed');
      throw storageUnavailable();
    }
  }

  onApplicationShutdown(): void {
    this.role.destroy();
  }
}

/** STS has no code of its own for it: "The requested DurationSeconds exceeds …" */
const isTooLong = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && /DurationSeconds/.test(error.message) && /exceed/i.test(error.message);
