import { createHash } from 'node:crypto';
import { ALGORITHMS, checkForm, checksumElement, checksumHeader, combineChecksums, makeDigest } from '../body/checksum.js';
import { childrenOf, readXml, StorageError, textOf, type XmlElement, xmlAnswer, xmlDocument } from '../http/messages.js';
import { MIN_PART_BYTES } from '../settings.js';
import type { ObjectChecksum, ObjectDescription, PartDescription, UploadDescription } from '../store/sealed-file.js';
import { type Call, header, type Operation, readDocument, S3_NAMESPACE } from './call.js';
import { uploadIdOf } from './multipart.js';
import { quoted, versionHeader, writeCondition } from './object-details.js';

/** A part in the client's list. */
interface ListedPart {
  readonly number: number;
  readonly etag: string;
  /** Algorithm to checksum in Base64. */
  readonly checksums: ReadonlyMap<string, string>;
}

export const completeMultipartUpload: Operation = {
  method: 'POST',
  on: 'object',
  marker: 'uploadId',
  action: 's3:PutObject',
  run: async (call) => {
    const { bucket, key, stores } = call;
    const listed = readListed(await readDocument(withoutObjectChecksum(call)));
    const object = await stores.uploads.complete(key, uploadIdOf(call), {
      assemble: (upload, parts) => assemble(call, upload, chooseParts(listed, parts)),
      condition: writeCondition(call),
    });
    const { checksum } = object;
    const content = {
      Location: `http://${header(call, 'host')}/${bucket}/${encodeURIComponent(key)}`,
      Bucket: bucket,
      Key: key,
      ETag: quoted(object.etag),
      ...(checksum && { [checksumElement(checksum.algorithm)]: checksum.value, ChecksumType: checksum.type }),
    };
    return xmlAnswer(xmlDocument('CompleteMultipartUploadResult', content, S3_NAMESPACE), versionHeader(object));
  },
};

/** In this request, the checksum header applies to the object, not to the XML document. */
function withoutObjectChecksum(call: Call): Call {
  const isOfObject = (name: string) => ALGORITHMS.some((algorithm) => checksumHeader(algorithm) === name);
  const headers = new Map([...call.body.headers].filter(([name]) => !isOfObject(name)));
  return { ...call, body: { ...call.body, headers } };
}

function readListed(document: string): ListedPart[] {
  const listed = childrenOf(readXml(document, 'CompleteMultipartUpload'), 'Part').map(readPart);
  if (listed.length === 0) throw new StorageError('MalformedXML');
  const inOrder = listed.every(({ number }, index) => index === 0 || number > (listed[index - 1]?.number ?? 0));
  if (!inOrder) throw new StorageError('InvalidPartOrder');
  return listed;
}

function readPart(part: XmlElement): ListedPart {
  const number = Number(textOf(part, 'PartNumber'));
  if (!Number.isInteger(number) || number < 1) throw new StorageError('MalformedXML');
  const sums = ALGORITHMS.map((algorithm) => [algorithm, textOf(part, checksumElement(algorithm))] as const);
  return {
    number,
    etag: (textOf(part, 'ETag') ?? '').replaceAll('"', ''),
    checksums: new Map(sums.filter((pair): pair is [(typeof ALGORITHMS)[number], string] => pair[1] !== undefined)),
  };
}

/** Returns the stored parts that the client lists. @throws StorageError if one is missing, differs or is too small */
function chooseParts(listed: readonly ListedPart[], stored: readonly PartDescription[]): PartDescription[] {
  const byNumber = new Map(stored.map((part) => [part.number, part]));
  const chosen = listed.map((one) => checkPart(one, byNumber.get(one.number)));
  const small = chosen.slice(0, -1).find(({ size }) => size < MIN_PART_BYTES);
  if (small === undefined) return chosen;
  const details = {
    ProposedSize: String(small.size),
    MinSizeAllowed: String(MIN_PART_BYTES),
    PartNumber: String(small.number),
    ETag: small.etag,
  };
  throw new StorageError('EntityTooSmall', undefined, details);
}

function checkPart({ number, etag, checksums }: ListedPart, part: PartDescription | undefined): PartDescription {
  const sum = part?.checksum && checksums.get(part.checksum.algorithm);
  if (part?.etag === etag && (sum === undefined || sum === part.checksum?.value)) return part;
  throw new StorageError('InvalidPart', undefined, { PartNumber: String(number), ETag: etag });
}

function assemble(call: Call, upload: UploadDescription, parts: readonly PartDescription[]): ObjectDescription {
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const stated = header(call, 'x-amz-mp-object-size');
  if (stated !== undefined && stated !== String(size))
    throw new StorageError('InvalidRequest', 'The object size does not match x-amz-mp-object-size.');
  const { key, headers, metadata, uploadId } = upload;
  return {
    key,
    headers,
    metadata,
    size,
    etag: `${hashOfAll(createHash('md5'), parts, ({ etag }) => Buffer.from(etag, 'hex')).toString('hex')}-${parts.length}`,
    modifiedAt: call.stores.now().getTime(),
    versionId: call.stores.objects.newVersionId(),
    checksum: upload.checksum && checkWhole(call, wholeChecksum(upload.checksum, parts)),
    parts: { uploadId, list: parts.map((part) => ({ number: part.number, size: part.size })) },
  };
}

function wholeChecksum({ algorithm, type }: NonNullable<UploadDescription['checksum']>, parts: readonly PartDescription[]): ObjectChecksum {
  const bytes = (part: PartDescription) => Buffer.from(part.checksum?.value ?? '', 'base64');
  if (type === 'FULL_OBJECT') {
    const pieces = parts.map((part) => ({ checksum: bytes(part), size: part.size }));
    return { algorithm, type, value: combineChecksums(algorithm, pieces).toString('base64') };
  }
  return { algorithm, type, value: `${hashOfAll(makeDigest(algorithm), parts, bytes).toString('base64')}-${parts.length}` };
}

/** Verifies the checksum that the client may state for the whole object. */
function checkWhole(call: Call, checksum: ObjectChecksum): ObjectChecksum {
  const { algorithm, type, value } = checksum;
  const stated = header(call, checksumHeader(algorithm));
  if (stated === undefined) return checksum;
  if (type === 'FULL_OBJECT') checkForm(algorithm, stated);
  if (stated !== value) throw new StorageError('BadDigest', `The ${algorithm} you specified did not match the calculated checksum.`);
  return checksum;
}

interface Hashing {
  update(data: Buffer): unknown;
  digest(): Buffer;
}

function hashOfAll(hash: Hashing, parts: readonly PartDescription[], bytes: (part: PartDescription) => Buffer): Buffer {
  for (const part of parts) hash.update(bytes(part));
  return hash.digest();
}
