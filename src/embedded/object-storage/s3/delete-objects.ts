import { emptyAnswer, xmlAnswer } from '../http/answer.js';
import { StorageError } from '../http/storage-error.js';
import { type XmlFields, xmlDocument } from '../http/xml.js';
import { arnOf, authorize, type Call, type Operation, readDocument } from './call.js';
import { S3_NAMESPACE } from './namespace.js';
import { childrenOf, readXml, textOf } from './read-xml.js';

const MAX_KEYS = 1_000;

export const deleteObject: Operation = {
  name: 'DeleteObject',
  method: 'DELETE',
  on: 'object',
  action: 's3:DeleteObject',
  run: async ({ stores, key }) => {
    await stores.objects.delete(key);
    return emptyAnswer(204);
  },
};

export const deleteObjects: Operation = {
  name: 'DeleteObjects',
  method: 'POST',
  on: 'bucket',
  marker: 'delete',
  action: null, // each key by itself
  run: async (call) => {
    const document = readXml(await readDocument(call), 'Delete');
    const keys = childrenOf(document, 'Object').map((object) => textOf(object, 'Key') ?? '');
    if (keys.length === 0 || keys.length > MAX_KEYS) throw new StorageError('MalformedXML');
    const quiet = textOf(document, 'Quiet') === 'true';
    const results = [];
    for (const key of keys) results.push(await deleteOne(call, key));
    const shown = results.filter((result) => 'Error' in result || !quiet);
    const content = { Deleted: shown.map(({ Deleted }) => Deleted), Error: shown.map(({ Error: failure }) => failure) };
    return xmlAnswer(xmlDocument('DeleteResult', content, S3_NAMESPACE));
  },
};

async function deleteOne(call: Call, key: string): Promise<XmlFields> {
  try {
    authorize(call, 's3:DeleteObject', arnOf(call.bucket, key));
    await call.stores.objects.delete(key);
    return { Deleted: { Key: key } };
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return { Error: { Key: key, Code: error.code, Message: error.message } };
  }
}
