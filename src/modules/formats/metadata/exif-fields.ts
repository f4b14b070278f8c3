/**
 * EXIF's fields that describe a picture and take a text or a date, by exiftool's names. Those about the file's own structure are not among
 * them.
 */
export const EXIF_FIELDS: readonly string[] = [
  'Artist',
  'Copyright',
  'CreateDate',
  'DateTimeOriginal',
  'DocumentName',
  'HostComputer',
  'ImageDescription',
  'ImageUniqueID',
  'LensMake',
  'LensModel',
  'Make',
  'Model',
  'ModifyDate',
  'OwnerName',
  'SerialNumber',
  'Software',
  'UserComment',
  'XPAuthor',
  'XPComment',
  'XPKeywords',
  'XPSubject',
  'XPTitle',
];
