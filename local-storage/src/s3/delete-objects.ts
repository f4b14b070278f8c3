import { childrenOf, emptyAnswer, readXml, StorageError, textOf, type XmlFields, xmlAnswer, xmlDocument } from '../http/messages.js';
import { arnOf, authorize, type Call, type Operation, query, readDocument, S3_NAMESPACE } from './call.js';
import { versionHeader } from './object-details.js';

const MAX_KEYS = 1_000;
const IS_MARKER = { 'x-amz-delete-marker': 'true' };

/** An entry of the request; without a version id it refers to the object itself. */
interface NamedObject {
  readonly key: string;
  readonly versionId: string | undefined;
}

export const deleteObject: Operation = {
  method: 'DELETE',
  on: 'object',
  action: 's3:DeleteObject',
  run: async ({ stores, key }) => {
    const marker = await stores.objects.delete(key, stores.now());
    return emptyAnswer(204, marker ? { ...versionHeader(marker), ...IS_MARKER } : {});
  },
};

export const deleteObjectVersion: Operation = {
  ...deleteObject,
  marker: 'versionId',
  action: 's3:DeleteObjectVersion',
  run: async (call) => {
    const versionId = query(call, 'versionId') ?? '';
    const deleted = await call.stores.objects.deleteVersion(call.key, versionId);
    return emptyAnswer(204, { 'x-amz-version-id': versionId, ...(deleted?.deleteMarker && IS_MARKER) });
  },
};

export const deleteObjects: Operation = {
  method: 'POST',
  on: 'bucket',
  marker: 'delete',
  action: null, // checked for each key
  run: async (call) => {
    const document = readXml(await readDocument(call), 'Delete');
    const named = childrenOf(document, 'Object').map((object) => ({
      key: textOf(object, 'Key') ?? '',
      versionId: textOf(object, 'VersionId'),
    }));
    if (named.length === 0 || named.length > MAX_KEYS) throw new StorageError('MalformedXML');
    const quiet = textOf(document, 'Quiet') === 'true';
    const results = [];
    for (const one of named) results.push(await deleteOne(call, one));
    const shown = results.filter((result) => 'Error' in result || !quiet);
    const content = { Deleted: shown.map(({ Deleted }) => Deleted), Error: shown.map(({ Error: failure }) => failure) };
    return xmlAnswer(xmlDocument('DeleteResult', content, S3_NAMESPACE));
  },
};

async function deleteOne(call: Call, { key, versionId }: NamedObject): Promise<XmlFields> {
  const { objects, now } = call.stores;
  try {
    authorize(call, versionId === undefined ? 's3:DeleteObject' : 's3:DeleteObjectVersion', arnOf(call.bucket, key));
    const named = { Key: key, VersionId: versionId };
    const deleted = versionId === undefined ? await objects.delete(key, now()) : await objects.deleteVersion(key, versionId);
    return { Deleted: deleted?.deleteMarker ? { ...named, DeleteMarker: true, DeleteMarkerVersionId: deleted.versionId } : named };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { Error: { Key: key, VersionId: versionId, Code: error.code, Message: error.message } };
  }
}
