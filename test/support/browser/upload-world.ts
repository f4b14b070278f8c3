type Call = readonly [name: string, ...details: unknown[]];
type Target = { s3Key: string; credentials: { SessionToken: string } };

interface Errors {
  readonly ProblemError: new (problem: { status: number; code: string; detail: string }) => Error;
  readonly StorageError: new (problem: { status: number; code: string; message: string }) => Error;
}

/** A service and a storage in memory, which do what the real ones do as far as the page can tell. */
export class UploadWorld {
  /** The errors of the uploader that is tested: the SDK's source or its build. */
  constructor(private readonly errors: Errors) {}

  readonly calls: Call[] = [];
  readonly objects = new Map<string, number>();
  readonly multiparts = new Map<string, Map<number, number>>();
  readonly completed = new Set<string>();
  /** Thrown by the next call of this name. */
  readonly failures = new Map<string, Error[]>();
  lifetimeMs = 900_000;
  now = 1_000_000;
  /** Credentials of before are refused from then on. */
  generation = 0;
  duplicates = new Set<string>();
  private issued = 0;

  fail(name: string, ...errors: Error[]) {
    this.failures.set(name, errors);
  }

  count(name: string) {
    return this.calls.filter(([one]) => one === name).length;
  }

  private call(name: string, ...details: unknown[]) {
    this.calls.push([name, ...details]);
    const failure = this.failures.get(name)?.shift();
    if (failure) throw failure;
  }

  private check({ credentials }: Target) {
    if (Number(credentials.SessionToken) < this.generation)
      throw new this.errors.StorageError({ status: 400, code: 'ExpiredToken', message: 'The provided token has expired.' });
  }

  readonly service = {
    open: async (who?: { sender: { email: string } | null }) => {
      this.call('open', who);
      return who?.sender ? { email: who.sender.email || 'made-up@example.org', userId: 7 } : null;
    },
    createUpload: async ({ uploadId, payload }: { uploadId: string; payload: readonly object[] }) => {
      this.call('createUpload', uploadId, payload.length);
      if (this.completed.has(uploadId))
        throw new this.errors.ProblemError({ status: 409, code: 'upload_completed', detail: 'It has ended.' });
      this.issued += 1;
      const credentials = {
        AccessKeyId: 'A',
        SecretAccessKey: 'S',
        SessionToken: String(this.issued),
        Expiration: new Date(this.now + this.lifetimeMs).toISOString(),
      };
      return {
        uploadId,
        transferAcceleration: false,
        processed: payload.map((_, index) => ({
          ...{ index, id: index, bucket: 'media', region: 'us-east-1', s3Key: `uploads/1/${uploadId}/${index}.bin`, credentials },
        })),
        error: payload.flatMap((item, index) =>
          this.duplicates.has((item as { fileName: string }).fileName)
            ? [{ index, code: 'duplicate', message: 'It is there already.' }]
            : [],
        ),
      };
    },
    uploadStarted: async (notice: object) => this.call('uploadStarted', notice),
    itemSuccess: async ({ s3Key }: { s3Key: string }) => {
      this.call('itemSuccess', s3Key);
      if (!this.objects.has(s3Key)) throw new this.errors.ProblemError({ status: 409, code: 'object_missing', detail: 'It is not there.' });
    },
    uploadComplete: async (uploadId: string) => {
      this.call('uploadComplete', uploadId);
      this.completed.add(uploadId);
    },
  };

  readonly storage = {
    putObject: async (target: Target, body: Blob) => {
      this.call('putObject', body.size);
      this.check(target);
      this.objects.set(target.s3Key, body.size);
      return 'etag';
    },
    createMultipart: async (target: Target) => {
      this.call('createMultipart');
      this.check(target);
      const id = `multipart-${this.multiparts.size}`;
      this.multiparts.set(id, new Map());
      return id;
    },
    putPart: async (target: Target, { multipartId, number, body }: { multipartId: string; number: number; body: Blob }) => {
      this.call('putPart', number);
      this.check(target);
      this.multipart(multipartId).set(number, body.size);
      return this.hidesTags ? '' : `etag-${number}`;
    },
    listParts: async (target: Target, multipartId: string) => {
      this.call('listParts');
      this.check(target);
      return [...this.multipart(multipartId)].map(([number, size]) => ({ number, size, etag: `etag-${number}` }));
    },
    completeMultipart: async (target: Target, multipartId: string, parts: { number: number; etag: string }[]) => {
      this.call('completeMultipart', parts.map(({ etag }) => etag).join());
      this.check(target);
      const sizes = this.multipart(multipartId);
      this.objects.set(
        target.s3Key,
        parts.reduce((sum, { number }) => sum + (sizes.get(number) ?? Number.NaN), 0),
      );
      this.multiparts.delete(multipartId);
      return 'etag-of-all';
    },
    abortMultipart: async () => this.call('abortMultipart'),
  };

  hidesTags = false;

  private multipart(id: string) {
    const parts = this.multiparts.get(id);
    if (!parts) throw new this.errors.StorageError({ status: 404, code: 'NoSuchUpload', message: 'There is no such upload.' });
    return parts;
  }
}
