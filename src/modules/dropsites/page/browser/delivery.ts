import {
  type FileSource,
  type ServerClock,
  type StorageClient,
  Uploader,
  type UploadFile,
  type UploadRequest,
} from '@media-delivery/sdk/uploader';
import type { ResumeStore } from './resume-store.js';
import type { Creator, Sender, ServiceClient } from './service-client.js';

interface Surroundings {
  readonly service: ServiceClient;
  readonly storage: StorageClient;
  readonly clock: ServerClock;
  readonly store: ResumeStore;
  readonly checksums: Checksums;
  /** Called when the state that the page shows has changed. */
  readonly onChange: () => void;
}

interface Who {
  readonly sender: Sender | null;
  readonly password: string;
}

/** An upload to a dropsite: with the session of its sender, stored data for a reload, and checksums for the receipt. */
export class Delivery extends Uploader {
  readonly meter: SpeedMeter;
  #session;

  /** `startedAt`: milliseconds; of an earlier upload that is continued. */
  constructor(surroundings: Surroundings, { startedAt = Date.now(), ...who }: Who & { readonly startedAt?: number }) {
    const { service, storage, clock, store, checksums, onChange } = surroundings;
    const session = openSession(service, who);
    const meter = new SpeedMeter();
    const addChecksum = (file: UploadFile) => {
      if (file.file && !file.progress.sha256) checksums.add(file.id, file.file, (sha256) => void this.note(file, { sha256 }));
    };
    super({
      ...{ service: session, storage, clock, onChange, replacesEnded: true, onFile: addChecksum },
      onBytes: (bytes) => meter.add(Date.now(), bytes),
      onPhase: (phase) => phase === 'uploading' && meter.reset(),
      memory: {
        note: (file) => void store.note(file.id, file.progress),
        clear: () => store.clear(),
        save: (batches) => {
          const saved = batches.map(({ uploadId, isCompleted, files }) => ({ uploadId, completed: isCompleted, files }));
          return store.save({ startedAt, sender: session.sender, batches: saved });
        },
      },
    });
    this.#session = session;
    this.meter = meter;
  }

  /** The sender, as far as known. */
  get sender(): Sender | null {
    return this.#session.sender;
  }
}

/** The calls of one sender; when its session has ended, another one is opened for the same sender. */
function openSession(service: ServiceClient, who: Who) {
  let { sender } = who;
  let creator: Creator | null = null;
  const open = async () => {
    creator = await service.open({ ...who, sender });
    // This includes a generated address: a new session for the same sender needs it.
    if (sender && creator) sender = { ...sender, email: creator.email };
  };
  return {
    get sender() {
      return sender;
    },
    open,
    /** Without a sender there is no session to open again. */
    reopen: sender ? open : undefined,
    createUpload: (request: UploadRequest) => service.createUpload({ ...request, password: sender ? '' : who.password, creator }),
    uploadStarted: (notice: Parameters<ServiceClient['uploadStarted']>[0]) => service.uploadStarted(notice),
    itemSuccess: (item: Parameters<ServiceClient['itemSuccess']>[0]) => service.itemSuccess(item),
    uploadComplete: (uploadId: string) => service.uploadComplete(uploadId),
  };
}

/** Long enough that the end of a part causes no jump, and short enough to show a slower connection soon. */
const WINDOW_MS = 10_000;
/** A speed that is measured over a shorter time is unreliable. */
const MIN_MEASUREMENT_MS = 1_500;

/** Measures the speed at which bytes were sent during the last seconds. The caller passes times in milliseconds. */
export class SpeedMeter {
  #samples: { at: number; bytes: number }[] = [];

  /** `bytes`: all bytes that were sent until then. */
  add(at: number, bytes: number): void {
    this.#samples.push({ at, bytes });
    while (this.#samples.length > 2 && at - (this.#samples[1]?.at ?? at) >= WINDOW_MS) this.#samples.shift();
  }

  /** Discards the measurements after a pause, because they no longer apply. */
  reset(): void {
    this.#samples = [];
  }

  /** Bytes per second; null while it is unknown. */
  get speed(): number | null {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (!first || !last || last.at - first.at < MIN_MEASUREMENT_MS) return null;
    return Math.max(0, (last.bytes - first.bytes) / (last.at - first.at)) * 1_000;
  }

  /** Seconds that this many bytes will take; null while it is unknown. */
  secondsFor(bytes: number): number | null {
    const { speed } = this;
    return speed ? bytes / speed : null;
  }
}

/** Computes the checksums of files during their upload. Only the receipt shows them, so nothing waits for them. */
export class Checksums {
  #worker: Worker | null = null;
  #pending = new Map<string, (sha256: string) => void>();
  #isOff = false;

  /** The number of checksums that are being computed. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Computes the checksum of a file, and later calls `done` with it in hexadecimal digits. */
  add(uuid: string, file: FileSource, done: (sha256: string) => void): void {
    if (this.#isOff || this.#pending.has(uuid)) return;
    this.#pending.set(uuid, done);
    this.#worker ??= this.#startWorker();
    this.#worker.postMessage({ uuid, file });
  }

  /** Stops computing, because the person does not want to wait for the remaining checksums. */
  skip(): void {
    this.#isOff = true;
    this.#pending.clear();
    this.#worker?.terminate();
    this.#worker = null;
  }

  #startWorker(): Worker {
    const worker = new Worker(new URL('./checksum-worker.js', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data: { uuid, sha256 } }) => {
      const done = this.#pending.get(uuid);
      this.#pending.delete(uuid);
      if (sha256) done?.(sha256);
    };
    worker.onerror = () => this.skip(); // the browser has no module workers
    return worker;
  }
}
