import { STSClient } from '@aws-sdk/client-sts';
import type { Config } from '../../../shared/config/index.js';
import { awsClientOptions } from '../../../shared/storage/index.js';
import { ShortAnswerHandler } from './short-answer-handler.js';

/**
 * What the SDK does in every call and nobody here has use for: logging to no logger, looking for AWS Lambda around us, describing itself
 * (two headers, put together anew each time; the handler sets one), and a length that undici sets.
 */
const UNUSED = ['loggerMiddleware', 'recursionDetectionMiddleware', 'getUserAgentMiddleware', 'contentLengthMiddleware'];

/** V8 looks at the places that read, and those get its attention by reading several times. */
const READS_UNTIL_COMPACT = 20;

/** The SDK's client of STS, for many short calls: its own way to sign, retry and read, without what costs and does nothing. */
export function stsClient(config: Config, handler = stsHandler(config)): STSClient {
  const { requestHandler: _, ...options } = stsOptions(config);
  const client = new STSClient({ ...options, requestHandler: handler });
  for (const name of UNUSED) client.middlewareStack.remove(name);
  signByOne(client);
  compact(client.config);
  return client;
}

/** What carries its calls. */
export const stsHandler = (config: Config): ShortAnswerHandler => new ShortAnswerHandler(stsOptions(config).requestHandler);

const stsOptions = (config: Config) => awsClientOptions(config, config.stsEndpoint || config.s3Endpoint);

/** The SDK would make a signer for every call; region and service never change, and credentials and clock are asked for each signature. */
function signByOne({ config }: STSClient): void {
  const make = config.signer;
  let signer: ReturnType<typeof make> | null = null;
  config.signer = async (scheme) => {
    signer ??= make(scheme);
    return await signer;
  };
}

/**
 * The SDK copies its configuration several times a call. V8 keeps an object of so many properties as a dictionary, unless somebody reads
 * through it as a prototype: then it copies ten times as fast. Should V8 change its mind, only the time is lost.
 */
function compact(config: STSClient['config']): void {
  const heir = Object.create(config) as typeof config;
  const reads: unknown[] = [];
  while (reads.length < READS_UNTIL_COMPACT) reads.push(heir.apiVersion);
}
