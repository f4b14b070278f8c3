/** The batch that the key of an upload names. */
export interface UploadKeyParts {
  readonly customerId: number;
  readonly uploadId: string;
}

/** The prefix of all uploads. */
export const UPLOADS_PREFIX = 'uploads/';

/** The prefix of the keys of a batch. */
export const uploadPrefix = ({ customerId, uploadId }: UploadKeyParts): string => `${UPLOADS_PREFIX}${customerId}/${uploadId}/`;

/** The key of an item, `uploads/<customerId>/<uploadId>/<n>.<ext>`; the only part that a user chose is the checked extension. */
export const uploadKey = (batch: UploadKeyParts, index: number, extension: string): string =>
  `${uploadPrefix(batch)}${index}.${extension || 'bin'}`;

const PATTERN = /^uploads\/([1-9]\d{0,9})\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/\d{1,4}\.[a-z0-9]{1,16}$/;

/** The parts of a key that this service generated; null for any other text. */
export function parseUploadKey(key: string): UploadKeyParts | null {
  const [, customerId, uploadId] = PATTERN.exec(key) ?? [];
  return customerId && uploadId && Number(customerId) < 2 ** 31 ? { customerId: Number(customerId), uploadId } : null;
}
