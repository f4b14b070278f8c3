/** The seven events of the service and what each carries (contract section 9). */
export interface EventPayloads {
  'event:s3success': {
    mediaContainerId: number;
    mediaId: number;
    customerId: number;
    /** Of a track; null for an original. Events of earlier versions lack both. */
    role: string | null;
    language: string | null;
  };
  'event:uploadComplete': { uploadId: string; mediaContainerIds: number[]; mediaContainerId?: number; dropsiteId?: number };
  'event:dropsiteUploadComplete': { uploadId: string; link: string; dropsiteId: number; mediaContainerIds: number[]; email: string | null };
  'event:dropsiteUploadStarted': {
    uploadId: string;
    link: string;
    dropsiteId: number;
    ownerId: number;
    duration: number | null;
    totalSize: number;
    items: number;
  };
  'event:releaseRequest': { mediaContainerId: number; requesterId: number; message: string | null };
  'event:transcoderJobComplete': {
    jobId: string;
    mediaContainerId: number;
    mediaId: number;
    formatId: number;
    status: 'successful' | 'failed';
    /** The original does not need the rendition, so none was made. */
    skipped?: true;
  };
  'event:dropsiteToPublicArea': { dropsiteId: number; publicAreaIds: number[]; mediaContainerIds: number[] };
}

export type EventName = keyof EventPayloads;
export type EventMethod = 'create' | 'update' | 'destroy';

export const EVENT_NAMES = [
  'event:s3success',
  'event:uploadComplete',
  'event:dropsiteUploadComplete',
  'event:releaseRequest',
  'event:transcoderJobComplete',
  'event:dropsiteToPublicArea',
  'event:dropsiteUploadStarted',
] as const satisfies readonly EventName[];

export const EVENT_METHODS = ['create', 'update', 'destroy'] as const satisfies readonly EventMethod[];

/** An event to publish. `depth` counts how many events led to it, so that a chain that causes itself ends (default: see event-depth.ts). */
export type NewEvent = {
  [Name in EventName]: {
    readonly name: Name;
    readonly customerId: number;
    readonly method: EventMethod;
    readonly payload: EventPayloads[Name];
    readonly depth?: number;
    /** The event with which the chain began (default: see event-depth.ts). */
    readonly rootId?: string | null;
  };
}[EventName];
