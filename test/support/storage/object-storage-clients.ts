import { randomBytes } from 'node:crypto';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { AssumeRoleCommand, type AssumeRoleCommandInput, STSClient } from '@aws-sdk/client-sts';

/** A running S3 with STS, as a suite sees it. */
export interface StorageUnderTest {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly roleArn: string;
  readonly key: Credentials;
  /** Moves the server's clock on, if it can be moved. */
  advance?(milliseconds: number): void;
  stop(): Promise<void>;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Where servers differ. */
export interface StorageTraits {
  /** Whether bodies may end with a checksum; false: only what S3 requires is sent. Default true. */
  readonly trailingChecksums?: boolean;
  /** Whether CompleteMultipartUpload answers the ETag. Default true. */
  readonly answersETag?: boolean;
  /** Whether CompleteMultipartUpload heeds which parts it is told, and their order; false: it wants all and sorts them. Default true. */
  readonly choosesParts?: boolean;
  /** Whether completing a multipart upload that is gone is NoSuchUpload; false: it fails some other way. Default true. */
  readonly knowsGoneUploads?: boolean;
  /** Whether a session token is refused that was changed in any place; false: only where it cannot be read any more. Default true. */
  readonly sealsTokens?: boolean;
  /** Whether the size of a packed policy has a limit. Default true. */
  readonly packsPolicies?: boolean;
  /** How many pairs of policy and request are tried. Default 300. */
  readonly policyPairs?: number;
}

export function s3Client(
  { endpoint, region }: StorageUnderTest,
  credentials: Credentials,
  { trailingChecksums = true }: StorageTraits = {},
): S3Client {
  const checksums: S3ClientConfig = { requestChecksumCalculation: trailingChecksums ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED' };
  return new S3Client({ endpoint, region, credentials, forcePathStyle: true, maxAttempts: 1, ...checksums });
}

export const stsClient = ({ endpoint, region }: Omit<StorageUnderTest, 'stop'>, credentials: Credentials): STSClient =>
  new STSClient({ endpoint, region, credentials, maxAttempts: 1 });

/** Temporary credentials of the role. */
export async function assumeRole(
  storage: Omit<StorageUnderTest, 'stop'>,
  input: Partial<AssumeRoleCommandInput> = {},
): Promise<Credentials> {
  const command = new AssumeRoleCommand({ RoleArn: storage.roleArn, RoleSessionName: 'suite', DurationSeconds: 900, ...input });
  const { Credentials: made } = await stsClient(storage, storage.key).send(command);
  return { accessKeyId: made?.AccessKeyId ?? '', secretAccessKey: made?.SecretAccessKey ?? '', sessionToken: made?.SessionToken ?? '' };
}

/** A session policy that allows actions on keys of the bucket. */
export function allow(storage: StorageUnderTest, actions: readonly string[], keys: readonly string[]): string {
  const Resource = keys.map((key) => `arn:aws:s3:::${storage.bucket}/${key}`);
  return JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: actions, Resource }] });
}

/** The code and status of the error that a call ends with; null: it succeeds. */
export async function refusal(call: Promise<unknown>): Promise<{ code: string; status: number | undefined } | null> {
  try {
    await call;
    return null;
  } catch (error) {
    const { name, $metadata } = error as { name: string; $metadata?: { httpStatusCode?: number } };
    return { code: name, status: $metadata?.httpStatusCode };
  }
}

export const denied = { code: 'AccessDenied', status: 403 };

/** A key that no other test uses. */
export const freshKey = (name = 'file.bin'): string => `suite/${randomBytes(6).toString('hex')}/${name}`;
