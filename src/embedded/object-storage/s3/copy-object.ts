import { type Answer, xmlAnswer } from '../http/answer.js';
import { StorageError } from '../http/storage-error.js';
import { xmlDocument } from '../http/xml.js';
import type { ObjectDescription, PartDescription, UploadDescription } from '../store/descriptions.js';
import { type Call, header } from './call.js';
import { checksumField } from './checksum-field.js';
import { copyData, openSource } from './copy-data.js';
import { S3_NAMESPACE } from './namespace.js';
import { quoted, readDetails, versionHeader } from './object-details.js';
import { keep } from './store-body.js';

/** PutObject with x-amz-copy-source, as clients move objects and change what is said about them. The copy has one part. */
export async function copyObject(call: Call): Promise<Answer> {
  const { key, stores } = call;
  const object = await openSource(call);
  const { headers, metadata, checksum } = object.description;
  const isReplaced = header(call, 'x-amz-metadata-directive')?.toUpperCase() === 'REPLACE';
  if (object.description.key === key && !isReplaced) {
    await object.close();
    throw new StorageError(
      'InvalidRequest',
      'This copy request is illegal because it is trying to copy an object to itself without changing it.',
    );
  }
  const details = isReplaced ? readDetails(call.incoming.headers) : { headers, metadata };
  const copied = await copyData(call, object, {
    range: { start: 0, end: object.description.size },
    compute: checksum?.algorithm,
    describe: ({ size, md5, checksum: sum }): ObjectDescription => {
      const facts = { size, etag: md5, modifiedAt: stores.now().getTime(), versionId: stores.objects.newVersionId() };
      return { ...details, key, ...facts, checksum: sum && { ...sum, type: 'FULL_OBJECT' } };
    },
  });
  await keep(copied, async () => await stores.objects.put(copied.sealed, copied.description));
  return result('CopyObjectResult', copied.description, versionHeader(copied.description));
}

/** UploadPart with x-amz-copy-source. */
export async function copyPart(call: Call, upload: UploadDescription, number: number): Promise<Answer> {
  const { stores } = call;
  const object = await openSource(call);
  const range = readRange(header(call, 'x-amz-copy-source-range'), object.description.size);
  if (range === null) {
    await object.close();
    throw new StorageError(
      'InvalidArgument',
      'The x-amz-copy-source-range value must be of the form bytes=first-last where both are within the object.',
    );
  }
  const copied = await copyData(call, object, {
    range,
    compute: upload.checksum?.algorithm,
    describe: ({ size, md5, checksum }): PartDescription => ({ number, size, etag: md5, checksum, modifiedAt: stores.now().getTime() }),
  });
  await keep(copied, async () => await stores.uploads.putPart(upload, number, copied.sealed));
  return result('CopyPartResult', copied.description);
}

/** Null for a range that is none or not within the object. */
function readRange(text: string | undefined, size: number): { start: number; end: number } | null {
  if (text === undefined) return { start: 0, end: size };
  const match = /^bytes=(\d+)-(\d+)$/.exec(text);
  const [start, end] = [Number(match?.[1]), Number(match?.[2]) + 1];
  return match && start < end && end <= size ? { start, end } : null;
}

type Copied = Pick<PartDescription, 'etag' | 'checksum' | 'modifiedAt'>;

function result(name: string, { etag, checksum, modifiedAt }: Copied, headers: Answer['headers'] = {}): Answer {
  const content = { LastModified: new Date(modifiedAt).toISOString(), ETag: quoted(etag), ...checksumField({ checksum }) };
  return xmlAnswer(xmlDocument(name, content, S3_NAMESPACE), headers);
}
