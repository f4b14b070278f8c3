import type { components } from '@media-delivery/sdk';

type Schemas = components['schemas'];
export type EventName = Schemas['SuspectedEventDto']['name'];
export type Method = Schemas['SuspectedEventDto']['method'];

interface Example<Payload> {
  readonly method: Method;
  readonly payload: Payload;
}

const UPLOAD = '9f0a3c0e-52b5-4f57-8d0e-0c7a5f0b8e21';
const LINK = '4d2c9a0b-e6f8-4e4f-9a17-5b1c0e7d2f63';

/** An event of each kind, as the service sends it, with the members on which a subscription can depend. */
export const EXAMPLES = {
  'event:s3success': { method: 'create', payload: { mediaContainerId: 41, mediaId: 57, customerId: 3, role: null, language: null } },
  'event:mediaProblem': {
    method: 'create',
    payload: {
      mediaContainerId: 41,
      mediaId: 57,
      code: 'cut_off',
      message: 'The end of the picture is missing. Upload the complete file again.',
    },
  },
  'event:uploadComplete': { method: 'update', payload: { uploadId: UPLOAD, mediaContainerIds: [41, 42] } },
  'event:dropsiteUploadComplete': {
    method: 'update',
    payload: { uploadId: UPLOAD, link: LINK, dropsiteId: 7, mediaContainerIds: [43], email: 'sender@example.org' },
  },
  'event:releaseRequest': { method: 'create', payload: { mediaContainerId: 41, requesterId: 12, message: 'May we print this?' } },
  'event:transcoderJobComplete': {
    method: 'update',
    payload: { status: 'successful', mediaContainerId: 41, mediaId: 58, formatId: 3, jobId: '0b9f1c5e-93a4-4c8e-8a5e-0e4b8c1a7d11' },
  },
  'event:dropsiteToPublicArea': { method: 'create', payload: { dropsiteId: 7, publicAreaIds: [4, 9], mediaContainerIds: [43] } },
  'event:dropsiteUploadStarted': {
    method: 'create',
    payload: { uploadId: UPLOAD, link: LINK, dropsiteId: 7, ownerId: 12, duration: 90, totalSize: 11, items: 1 },
  },
} as const satisfies {
  readonly 'event:s3success': Example<Schemas['S3SuccessPayload']>;
  readonly 'event:mediaProblem': Example<Schemas['MediaProblemPayload']>;
  readonly 'event:uploadComplete': Example<ReadonlyLists<Schemas['UploadCompletePayload']>>;
  readonly 'event:dropsiteUploadComplete': Example<ReadonlyLists<Schemas['DropsiteUploadCompletePayload']>>;
  readonly 'event:releaseRequest': Example<Schemas['ReleaseRequestPayload']>;
  readonly 'event:transcoderJobComplete': Example<Schemas['TranscoderJobCompletePayload']>;
  readonly 'event:dropsiteToPublicArea': Example<ReadonlyLists<Schemas['DropsiteToPublicAreaPayload']>>;
  readonly 'event:dropsiteUploadStarted': Example<Schemas['DropsiteUploadStartedPayload']>;
} satisfies Readonly<Record<EventName, unknown>>;

type ReadonlyLists<Payload> = {
  readonly [Key in keyof Payload]: Payload[Key] extends readonly (infer Item)[] ? readonly Item[] : Payload[Key];
};

export const EVENT_NAMES = Object.keys(EXAMPLES) as EventName[];

/** The example of an event, as JSON that a person can change. */
export const exampleOf = (name: EventName): Example<Readonly<Record<string, unknown>>> => EXAMPLES[name];
