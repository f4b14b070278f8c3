import type { OpenAPIObject } from '@nestjs/swagger';
import { operationsOf } from './operations.js';

const LINK = 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11';
const UPLOAD_ID = '7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52';
const SENDERS_UPLOAD_ID = '9f0a3c0e-52b5-4f57-8d0e-0c7a5f0b8e21';
const FILE = { type: 'image', fileName: 'portrait.jpg', originalFileExtension: 'jpg', fileSize: 11 };
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const REDIRECT_URI = 'https://newsroom.example.org/callback';
const SUBSCRIPTION = {
  name: 'event:s3success',
  flag: 0,
  conditions: { payload: { role: null } },
  instructions: [{ type: 'https', url: 'https://hooks.example.org/arrived', headers: { 'x-api-key': 'of your server' } }],
  notes: 'tells the shop',
};
const FORMAT = { name: '720p with our logo', settings: { parameters: { crf: 21 } } };
const CONFIGURATION = { formats: [{ formatId: 101, downloadable: true }], settings: { providerName: 'Newsroom' } };

/** An example body for each operation with a body. test/e2e/request-examples.spec.ts sends them to a service with matching data. */
const BODIES: Readonly<Record<string, object>> = {
  'post /v4/checkSignedSession': { title: 'Review the pictures' },
  'post /v4/deauthorize': { client_id: 'newsroom' },
  'post /v4/introspect': { token: 'eyJhbGciOiJFUzI1NiJ9…', client_id: 'newsroom' },
  'post /v4/requestCode': {
    ...{ client_id: 'newsroom', state: 'af0ifjsldkj', redirect_uri: REDIRECT_URI },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256', scope: 'api' },
  },
  'post /v4/revoke': { token: 'eyJhbGciOiJFUzI1NiJ9…', client_id: 'newsroom' },
  'post /v4/token': {
    ...{ grant_type: 'authorization_code', client_id: 'newsroom', redirect_uri: REDIRECT_URI },
    ...{ code: 'SplxlOBeZQQYbYS6WxSbIA', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
  },
  'put /v5/customer': { name: 'Newsroom', burnTimecode: { fontsize: '24', box: 1 }, supportAccessUntil: '2030-01-31T18:00:00Z' },
  'post /v5/downloadlink': { mediaContainerIds: [7, 8], formatIds: [101], title: 'Pictures of the summer party', end: 1896134400 },
  'delete /v5/downloadlink': { id: 3 },
  'post /v5/dropsite': {
    ...{ name: 'Photos of the anniversary', description: 'Please send us your photos.', expiresAt: '2030-01-31T18:00:00Z' },
    ...{ allowedTypes: ['image'], allowAnonymous: true, maxItemsPerDay: 100 },
  },
  'put /v5/dropsite': { id: 3, description: 'Please send us your photos.' },
  'delete /v5/dropsite': { id: 3 },
  'put /v5/dropsite/{id}': { expiresAt: '2030-01-31T18:00:00Z', maxItemsPerDay: 100 },
  'post /v5/dropsite/{link}/token': {
    ...{ code: '4kX0b1mVYw8S1bq3i6m2l5v9d0c7e1f4a8h3j2k6n5p', email: 'grace@example.org' },
    ...{ firstname: 'Grace', lastname: 'Hopper' },
  },
  'post /v5/dropsite/createUpload': { link: LINK, uploadId: SENDERS_UPLOAD_ID, payload: [{ ...FILE, uuid: 'photo-1' }] },
  'post /v5/dropsite/uploadStarted': { link: LINK, uploadId: SENDERS_UPLOAD_ID, duration: 90, totalSize: 11, items: 1 },
  'delete /v5/embedlink': { id: 9 },
  'post /v5/embedlink/{id}': { playerConfigurationId: 3, description: 'For the press page', origin: 'newsletter' },
  'post /v5/extAuth': { identifier: LINK, type: 'embedlink' },
  'post /v5/format': { blueprintId: 5, converter: 'ffmpeg', ...FORMAT },
  'put /v5/format': { id: 101, ...FORMAT },
  'delete /v5/format': { id: 101, forceDelete: true },
  'put /v5/format/{id}': FORMAT,
  'put /v5/mediacontainer': { id: 7, name: 'interview', description: 'At the river', tags: ['news'] },
  'delete /v5/mediacontainer': { id: 7 },
  'put /v5/mediacontainer/{id}': {
    license: { name: 'Rights managed', types: ['web', 'print'], end: '2030-01-01T00:00:00Z' },
    metadata: [{ title: 'author', content: 'Ada Lovelace', language: 'en' }],
  },
  'put /v5/mediacontainer/{id}/media/{mediaId}': { language: 'de-AT', label: 'Deutsch für Gehörlose', default: true },
  'post /v5/mediacontainer/bulk': { ids: [7, 8], set: { addTags: ['news'], removeTags: ['draft'] }, transcode: [101] },
  'post /v5/mediacontainer/{id}/releaseRequest': { message: 'May we print it?' },
  'post /v5/mediacontainer/{id}/transcode': { formatIds: [101] },
  'post /v5/playerconfiguration': { name: 'Website', type: 'video', templateId: 1, ...CONFIGURATION },
  'put /v5/playerconfiguration': { id: 3, ...CONFIGURATION },
  'delete /v5/playerconfiguration': { id: 3, move: -1 },
  'put /v5/playerconfiguration/{id}': { ...CONFIGURATION, securitySettings: { authOnly: false, matchReferer: ['www.example.com'] } },
  'post /v5/playerconfiguration/{id}/explain': { ip: '203.0.113.7', referer: 'https://www.example.com/news', formatId: 101 },
  'post /v5/s3/createUpload': { uploadId: UPLOAD_ID, payload: [{ ...FILE, metadata: [{ title: 'author', content: 'Ada Lovelace' }] }] },
  'post /v5/s3/success': { bucket: 'media', key: `uploads/1/${UPLOAD_ID}/0.jpg` },
  'post /v5/s3/uploadComplete': { uploadId: UPLOAD_ID },
  'post /v5/subscriptions': SUBSCRIPTION,
  'put /v5/subscriptions': { id: 3, ...SUBSCRIPTION },
  'delete /v5/subscriptions': { id: 3 },
  'post /v5/subscriptions/{id}/replay': { logId: 27 },
  'post /v5/subscriptions/{idOrTemplate}': { payload: { mediaContainerId: 7, receiver: [{ recipient: 'press@example.org' }] } },
  'put /v5/subscriptions/{idOrTemplate}': SUBSCRIPTION,
  'post /v5/subscriptions/dryRun': { event: { name: 'event:s3success', method: 'create', payload: { mediaContainerId: 7, role: null } } },
};

/** Adds the example to each body. A test finds operations without one. */
export function addRequestExamples(document: OpenAPIObject): void {
  for (const { method, path, operation } of operationsOf(document)) {
    const { requestBody } = operation;
    const example = BODIES[`${method} ${path}`];
    if (!example || !requestBody || !('content' in requestBody)) continue;
    for (const content of Object.values(requestBody.content)) content.example = example;
  }
}
