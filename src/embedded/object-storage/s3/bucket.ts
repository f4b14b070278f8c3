import { emptyAnswer, xmlAnswer, xmlDocument } from '../http/answer.js';
import { ACCOUNT, BUCKET, REGION } from '../settings.js';
import type { Operation } from './call.js';
import { S3_NAMESPACE } from './call.js';

export const OWNER = { ID: ACCOUNT, DisplayName: 'service' };
/** Clients show it and do nothing else with it. */
const CREATED = '2020-01-01T00:00:00.000Z';

export const listBuckets: Operation = {
  name: 'ListBuckets',
  method: 'GET',
  on: 'service',
  parameters: ['max-buckets', 'prefix', 'continuation-token', 'bucket-region'],
  action: 's3:ListAllMyBuckets',
  run: async () => {
    const content = { Owner: OWNER, Buckets: { Bucket: [{ Name: BUCKET, CreationDate: CREATED }] } };
    return xmlAnswer(xmlDocument('ListAllMyBucketsResult', content, S3_NAMESPACE));
  },
};

export const headBucket: Operation = {
  name: 'HeadBucket',
  method: 'HEAD',
  on: 'bucket',
  action: 's3:ListBucket',
  run: async () => emptyAnswer(200, { 'x-amz-bucket-region': REGION }),
};

/** Clients that create their bucket before they upload are answered that it exists, as us-east-1 answers its owner. */
export const createBucket: Operation = {
  name: 'CreateBucket',
  method: 'PUT',
  on: 'bucket',
  action: 's3:CreateBucket',
  run: async ({ bucket }) => emptyAnswer(200, { location: `/${bucket}` }),
};

export const getBucketLocation: Operation = {
  name: 'GetBucketLocation',
  method: 'GET',
  on: 'bucket',
  marker: 'location',
  action: 's3:GetBucketLocation',
  run: async () => xmlAnswer(xmlDocument('LocationConstraint', {}, S3_NAMESPACE)), // us-east-1 is the empty name
};

/** An empty document says that versions were never kept. */
export const getBucketVersioning: Operation = {
  name: 'GetBucketVersioning',
  method: 'GET',
  on: 'bucket',
  marker: 'versioning',
  action: 's3:GetBucketVersioning',
  run: async ({ stores }) => {
    const Status = stores.objects.keepsVersions ? 'Enabled' : undefined;
    return xmlAnswer(xmlDocument('VersioningConfiguration', { Status }, S3_NAMESPACE));
  },
};
