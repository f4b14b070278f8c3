// A program as an integrator writes it, against types that openapi-typescript generates from openapi.json (api.ts beside it).
// test/stress/generated-clients.spec.ts generates them, compiles both under `strict` and runs the result.
import createClient from 'openapi-fetch';
import type { components, paths } from './api.js';

type Schemas = components['schemas'];

const { SERVICE = '', TOKEN = '', MEDIA_CONTAINER_ID = '', FORMAT_ID = '' } = process.env;
const client = createClient<paths>({ baseUrl: SERVICE, headers: { authorization: `Bearer ${TOKEN}` } });
const id = Number(MEDIA_CONTAINER_ID);

/** The data of an answer; a refusal ends the program with its code. */
function expectData<Data>({ data, error }: { data?: Data; error?: Schemas['ProblemResponse'] }): Data {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const file: Schemas['UploadItemDto'] = {
  type: 'image',
  fileName: 'portrait.jpg',
  fileSize: 11,
  metadata: [{ title: 'author', content: 'Ada Lovelace', language: 'en' }],
};
const upload = expectData(await client.POST('/v5/s3/createUpload', { body: { payload: [file] } }));
const result = expectData(await client.GET('/v5/activity/jobResult/{jobId}', { params: { path: { jobId: upload.jobId } } }));
const prepared = 'processed' in result ? result.processed[0]?.metadata?.[0]?.content : null;

const { jobs } = expectData(
  await client.POST('/v5/mediacontainer/{id}/transcode', { params: { path: { id } }, body: { formatIds: [Number(FORMAT_ID)] } }),
);
const job = expectData(await client.GET('/v5/activity/jobResult/{jobId}', { params: { path: { jobId: jobs[0]?.jobId ?? '' } } }));
const progress = 'ok' in job ? job.progress : null;

const asked = expectData(
  await client.POST('/v5/mediacontainer/{id}/releaseRequest', { params: { path: { id } }, body: { message: 'May we print it?' } }),
);
const askedSilently = expectData(await client.POST('/v5/mediacontainer/{id}/releaseRequest', { params: { path: { id } } }));

const customer = expectData(await client.PUT('/v5/customer', { body: { burnTimecode: { fontsize: '24', box: 1 } } }));
const container = expectData(await client.GET('/v5/mediacontainer/{id}', { params: { path: { id } } }));
const format = expectData(await client.GET('/v5/format/{id}', { params: { path: { id: Number(FORMAT_ID) } } }));
const { data: token } = await client.POST('/v4/introspect', { body: {} });
const found = expectData(
  await client.GET('/v5/subscriptions', { params: { query: { condition: { path: 'payload.mediaContainerId', value: id } } } }),
);
const { error } = await client.GET('/v5/mediacontainer/{id}', { params: { path: { id: 2_000_000_000 } } });

console.log(
  JSON.stringify({
    upload: { bucket: upload.processed[0]?.bucket, errors: upload.error.length, prepared },
    transcoding: progress,
    releases: [asked.message, askedSilently.message],
    fontsize: customer.burnTimecode?.fontsize,
    license: container.license?.name ?? null,
    author: container.metadata.find(({ title }) => title === 'author')?.content ?? null,
    mediaTypes: format.settings.mediaTypes,
    audience: [token?.aud].flat(),
    userId: token?.['ac:session']?.user.id,
    subscriptions: found.length,
    refusal: error?.code,
  }),
);
