import type { OpenAPIObject } from '@nestjs/swagger';
import { DEMO_CLIENT_ID, DEMO_REDIRECT_URI } from '../embedded/demo.js';
import { operationsOf, type PlacedOperation } from './operations.js';

const LINK = 'b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11';
const UPLOAD_ID = '7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52';
const SENDERS_UPLOAD_ID = '9f0a3c0e-52b5-4f57-8d0e-0c7a5f0b8e21';
const FILE = { type: 'image', fileName: 'portrait.jpg', originalFileExtension: 'jpg', fileSize: 11 };
const FILM = { type: 'video', fileName: 'interview.mp4', originalFileExtension: 'mp4', fileSize: 11 };
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
/** The first format that is made in a new installation, after those of the platform. */
const OWN_FORMAT = 37;
const SUBSCRIPTION = {
  name: 'event:s3success',
  flag: 0,
  conditions: { payload: { role: null } },
  instructions: [{ type: 'https', url: 'https://hooks.example.org/arrived', headers: { 'x-api-key': 'of your server' } }],
  notes: 'tells the shop',
};
/** The metadata of an identity provider that does not exist; its certificate is valid until 2126. */
const CERTIFICATE = [
  'MIIDGTCCAgGgAwIBAgIUVbhI32M/xYybalO3uCxAU8lO1oEwDQYJKoZIhvcNAQELBQAwGzEZMBcGA1UEAwwQaWRwLmFjbWUuZXhhbXBsZTAgFw0yNjExMjgw',
  'MTE0NTFaGA8yMTI2MTEwNDAxMTQ1MVowGzEZMBcGA1UEAwwQaWRwLmFjbWUuZXhhbXBsZTCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAIdkCdS7',
  'UwYMk/Buk8Q4HwhkveCERnD0XhEcwqGUY9RWjMpMF0QFtHAAZkOxLo0OygMlwj6m4ujf0M5hvM7/J+jsmUif5KM6V5PHgqAGMo9jLoykegp2M8aCW2MU4mVu',
  'CnVnFPUuXrLi6x7MzIgz5uyrF7iOSrY0bpMnPHxtMq8ktyf/EuKNq+3ISbZx+Kl5NxVss724XozOvDpMp1AdsuMwmCbdoJOAZUV/ndUOsbC7QRXVCq7hSapz',
  'ce0sFc/r9VUtoe9gwaxgf7WdqJdy+ZJgo6rCVJ63q6x3+GJ8qXm4TLKiCjDuF7LbIn/w2TPE7mQho6tFgb9yYzCssdYoDjsCAwEAAaNTMFEwHQYDVR0OBBYE',
  'FPJdu2LPCh5dByycr29eIT0a42vgMB8GA1UdIwQYMBaAFPJdu2LPCh5dByycr29eIT0a42vgMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEB',
  'ACIfyeIaqRwnYcdTtcnv4nDAh8i9vuRCff7ZXzUqzSIy/4X0w4DimZjpKRp/vknFf+IFLJRhnFaso4OpVOR4CJlrqltC6o1RzrnkT6Dx7ZLnniMKbeO2mtVE',
  'k1lLTiT5Kj2zJhoQJC9pYeaKnxeGvOkGduvzXLK+7WBgwNcksb0bbxEeM0AwPS3MZ59cdpr+esk/9B2qnwW/W+aAZ4hgmseG4YVna/T7WolbV8EPmPCtbAuv',
  'QCv4RpM13V0i8QweiLt13oOCPwy7yQKW9a1je9sIJ9hWC/mkWYdHRoVmkWqy5EvHAZTfcf6wUEAsXL2gjZ3i74uRUOEWmtIk5Z9hVKI=',
].join('');
const METADATA = [
  '<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.acme.example/metadata">',
  '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><KeyDescriptor use="signing">',
  `<KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data><X509Certificate>${CERTIFICATE}</X509Certificate></X509Data></KeyInfo>`,
  '</KeyDescriptor><SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"',
  ' Location="https://idp.acme.example/sso"/></IDPSSODescriptor></EntityDescriptor>',
].join('');
const FORMAT = { name: '720p with our logo', settings: { parameters: { crf: 21 } } };
const CONFIGURATION = { formats: [{ formatId: 10, downloadable: true }], settings: { providerName: 'Newsroom' } };

/**
 * An example body for each operation with a body. They name the first thing of each kind that is made in an installation.
 * test/e2e/request-examples.spec.ts sends them to a service with these things, and to a new installation.
 */
const BODIES: Readonly<Record<string, object>> = {
  'post /v4/checkSignedSession': { title: 'Review the pictures' },
  'post /v4/deauthorize': { client_id: DEMO_CLIENT_ID },
  'post /v4/introspect': { token: 'eyJhbGciOiJFUzI1NiJ9…', client_id: DEMO_CLIENT_ID },
  'post /v4/requestCode': {
    ...{ client_id: DEMO_CLIENT_ID, state: 'af0ifjsldkj', redirect_uri: DEMO_REDIRECT_URI },
    ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256', scope: 'api' },
  },
  'post /v4/revoke': { token: 'eyJhbGciOiJFUzI1NiJ9…', client_id: DEMO_CLIENT_ID },
  'post /v4/token': {
    ...{ grant_type: 'authorization_code', client_id: DEMO_CLIENT_ID, redirect_uri: DEMO_REDIRECT_URI },
    ...{ code: 'SplxlOBeZQQYbYS6WxSbIA', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
  },
  'post /v5/accessKey': { userId: 1 },
  'delete /v5/accessKey': { id: 2 },
  'post /v5/customers': { name: 'Radio' },
  'put /v5/customers': { id: 1, name: 'Newsroom' },
  'put /v5/customers/{id}': { requireSecondFactor: true },
  'post /v5/client': { name: 'Newsroom', type: 'web', redirectUris: ['https://newsroom.example/callback'], confidential: true },
  'put /v5/client': { id: 3, name: 'Newsroom' }, // after the clients of the demo and of the console
  'delete /v5/client': { id: 3 },
  'put /v5/client/{id}': { redirectUris: ['https://newsroom.example/callback', 'https://staging.newsroom.example/callback'] },
  'post /v5/client/{id}/rotateSecret': { keepOldSeconds: 86_400 },
  'post /v5/identityProvider': { ssoIdentifier: 'acme', metadata: METADATA, attributeMapping: { email: 'mail' } },
  'put /v5/identityProvider': { id: 1, createUsers: true },
  'delete /v5/identityProvider': { id: 1 },
  'put /v5/identityProvider/{id}': { attributeMapping: { email: 'mail', firstname: 'givenName', lastname: 'sn' }, createUsers: true },
  'post /v5/user': { email: 'grace@example.org', firstname: 'Grace', lastname: 'Hopper', adminLevel: 0 },
  'put /v5/user': { id: 2, lastname: 'Murray Hopper' },
  'delete /v5/user': { id: 2 },
  'put /v5/user/{id}': { firstname: 'Grace', adminLevel: 9 },
  'put /v5/customer': {
    name: 'Newsroom',
    burnTimecode: { fontsize: '24', box: 1 },
    supportAccessUntil: '2030-01-31T18:00:00Z',
    requireSecondFactor: false,
  },
  'post /v5/downloadlink': { mediaContainerIds: [1], formatIds: [10], title: 'Interviews of the summer', end: 1896134400 },
  'delete /v5/downloadlink': { id: 1 },
  'post /v5/dropsite': {
    ...{ name: 'Photos of the anniversary', description: 'Please send us your photos.', expiresAt: '2030-01-31T18:00:00Z' },
    ...{ allowedTypes: ['image'], allowAnonymous: true, maxItemsPerDay: 100 },
  },
  'put /v5/dropsite': { id: 1, description: 'Please send us your photos.' },
  'delete /v5/dropsite': { id: 1 },
  'put /v5/dropsite/{id}': { expiresAt: '2030-01-31T18:00:00Z', maxItemsPerDay: 100 },
  'post /v5/dropsite/{link}/token': {
    ...{ code: '4kX0b1mVYw8S1bq3i6m2l5v9d0c7e1f4a8h3j2k6n5p', email: 'grace@example.org' },
    ...{ firstname: 'Grace', lastname: 'Hopper' },
  },
  'post /v5/dropsite/createUpload': { link: LINK, uploadId: SENDERS_UPLOAD_ID, payload: [{ ...FILE, uuid: 'photo-1' }] },
  'post /v5/dropsite/uploadStarted': { link: LINK, uploadId: SENDERS_UPLOAD_ID, duration: 90, totalSize: 11, items: 1 },
  'post /v5/deliverEmbed/{link}/plays': { play: 'eyJpZCI6…', event: 'begin', position: 0, watched: 0, seen: '0'.repeat(25), height: 720 },
  'delete /v5/embedlink': { id: 1 },
  'post /v5/embedlink/{id}': { playerConfigurationId: 1, description: 'For the press page', origin: 'newsletter' },
  'post /v5/extAuth': { identifier: LINK, type: 'embedlink' },
  'post /v5/format': { blueprintId: 10, converter: 'ffmpeg', ...FORMAT },
  'put /v5/format': { id: OWN_FORMAT, ...FORMAT },
  'delete /v5/format': { id: OWN_FORMAT, forceDelete: true },
  'put /v5/format/{id}': FORMAT,
  'put /v5/mediacontainer': { id: 1, name: 'interview', description: 'At the river', tags: ['news'] },
  'delete /v5/mediacontainer': { id: 1 },
  'put /v5/mediacontainer/{id}': {
    license: { name: 'Rights managed', types: ['web', 'print'], end: '2030-01-01T00:00:00Z' },
    metadata: [{ title: 'author', content: 'Ada Lovelace', language: 'en' }],
  },
  'put /v5/mediacontainer/{id}/media/{mediaId}': { language: 'de-AT', label: 'Deutsch für Gehörlose', default: true },
  'post /v5/mediacontainer/bulk': { ids: [1], set: { addTags: ['news'], removeTags: ['draft'] }, transcode: [10] },
  'post /v5/mediacontainer/{id}/releaseRequest': { message: 'May we print it?' },
  'post /v5/mediacontainer/{id}/transcode': { formatIds: [10] },
  'post /v5/playerconfiguration': { name: 'Website', type: 'video', templateId: 1, ...CONFIGURATION },
  'put /v5/playerconfiguration': { id: 1, ...CONFIGURATION },
  'delete /v5/playerconfiguration': { id: 1, move: -1 },
  'put /v5/playerconfiguration/{id}': { ...CONFIGURATION, securitySettings: { authOnly: false, matchReferer: ['www.example.com'] } },
  'post /v5/playerconfiguration/{id}/explain': { ip: '203.0.113.7', referer: 'https://www.example.com/news', formatId: 10 },
  'post /v5/s3/createUpload': { uploadId: UPLOAD_ID, payload: [{ ...FILM, metadata: [{ title: 'author', content: 'Ada Lovelace' }] }] },
  'post /v5/s3/success': { bucket: 'media', key: `uploads/1/${UPLOAD_ID}/0.mp4` },
  'post /v5/s3/uploadComplete': { uploadId: UPLOAD_ID },
  'post /v5/subscriptions': SUBSCRIPTION,
  'put /v5/subscriptions': { id: 1, ...SUBSCRIPTION },
  'delete /v5/subscriptions': { id: 1 },
  'post /v5/subscriptions/{id}/replay': { logId: 1 },
  'post /v5/subscriptions/{idOrTemplate}': { payload: { mediaContainerId: 1, receiver: [{ recipient: 'press@example.org' }] } },
  'put /v5/subscriptions/{idOrTemplate}': SUBSCRIPTION,
  'post /v5/subscriptions/dryRun': { event: { name: 'event:s3success', method: 'create', payload: { mediaContainerId: 1, role: null } } },
};

const CONTAINER = 'a media container: `POST /v5/s3/createUpload` makes one.';
const LINKED = 'an embed link: `POST /v5/embedlink/{id}` makes one and returns its `link`.';
const UPLOAD = 'an upload that has begun, with `POST /v5/s3/createUpload`.';
const DROPSITE = 'a dropsite: `POST /v5/dropsite` makes one and returns its `link`.';
const CONFIGURED = 'a player configuration: `POST /v5/playerconfiguration` makes one.';
const OWNED = 'a format of your own: `POST /v5/format` makes one.';
const SUBSCRIBED = 'a subscription: `POST /v5/subscriptions` makes one.';
const SIGNED = 'the signature of a server that has an access key; docs/oauth.md tells how to sign.';
const CLIENT = 'a client application with this `client_id`. A service in development registers `demo`.';

/** What the examples of operations need that a new installation does not have. The first row that fits is the text. */
const NEEDS: readonly (readonly [operations: RegExp, thing: string])[] = [
  [
    /^(delete|get|put) \/v5\/mediacontainer\/\{id\}\/media/,
    'a media container with a text track: upload one with `mediaContainerId` and `role`.',
  ],
  [
    /^(delete|put) \/v5\/mediacontainer|\/v5\/mediacontainer\/(\{id\}|bulk)|^(get|post) \/v5\/embedlink\/|^post \/v5\/downloadlink/,
    CONTAINER,
  ],
  [/\/v5\/format\/\{id\}\/|^post \/v5\/subscriptions\/\{idOrTemplate\}/, CONTAINER],
  [/^(delete|put) \/v5\/format/, OWNED],
  [/^(delete|put) \/v5\/playerconfiguration|\/v5\/playerconfiguration\/\{id\}/, CONFIGURED],
  [/^post \/v5\/extAuth|^post \/v4\/checkSignedSession/, SIGNED],
  [/^delete \/v5\/embedlink|\/v5\/(deliver(Embed|File)|oembed)/, LINKED],
  [/\/v5\/downloadlink\/\{id\}|^delete \/v5\/downloadlink/, 'a download link: `POST /v5/downloadlink` makes one.'],
  [/\/v5\/dropsite\/(\{link\}|createUpload|uploadStarted|deliver)|\/v5\/dropsite\/\{id\}|^(delete|put) \/v5\/dropsite/, DROPSITE],
  [/^(delete|put) \/v5\/subscriptions|\/v5\/subscriptions\/\{/, SUBSCRIBED],
  [/^post \/v5\/s3\/(success|uploadComplete)|\/v5\/s3\/getUploadCredentials/, UPLOAD],
  [/\/v5\/customers/, 'an operator: a user with adminLevel 100 of the customer that runs the service (`operator: true` in `admin apply`).'],
  [/^(delete|put) \/v5\/user|\/v5\/user\/\{id\}/, 'another user: `POST /v5/user` makes one.'],
  [/^(delete|put) \/v5\/client|\/v5\/client\/\{id\}/, 'a confidential client application of your own: `POST /v5/client` makes one.'],
  [/^delete \/v5\/accessKey|\/v5\/accessKey\/\{id\}/, 'an access key: `POST /v5/accessKey` makes one.'],
  [/^(delete|put) \/v5\/identityProvider|\/v5\/identityProvider\/\{id\}/, 'an identity provider: `POST /v5/identityProvider` makes one.'],
  [/\/v5\/preview\//, 'a media container with a picture, whose `preview` has the URL.'],
  [/\{jobId\}/, 'a job: the operations that begin one return its `jobId`.'],
  [/\/v4\/(authorize|deauthorize|introspect|requestCode|revoke|token)/, CLIENT],
  [/\/v4\/userinfo/, 'an access token with the scope `openid`.'],
  [/\/v4\/apps\/\{id\}/, 'an application that you authorized: `GET /v4/apps` lists them.'],
  [/\/v4\/saml\//, 'a SAML identity provider that an operator has declared.'],
];

/** Adds the example to each body, and to each description what the example needs. A test finds operations without one. */
export function addRequestExamples(document: OpenAPIObject): void {
  for (const placed of operationsOf(document)) {
    const { requestBody } = placed.operation;
    addNeeds(placed);
    const example = BODIES[`${placed.method} ${placed.path}`];
    if (!example || !requestBody || !('content' in requestBody)) continue;
    for (const content of Object.values(requestBody.content)) content.example = example;
  }
}

function addNeeds({ method, path, operation }: PlacedOperation): void {
  const [, thing] = NEEDS.find(([operations]) => operations.test(`${method} ${path}`)) ?? [];
  if (thing) operation.description = [operation.description, `The example needs ${thing}`].filter(Boolean).join('\n\n');
}
