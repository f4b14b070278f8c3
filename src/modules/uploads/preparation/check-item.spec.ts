import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseUploadKey, uploadKey } from '../batches/upload-key.js';
import { checkItem, isProblem } from './check-item.js';

const file = (overrides: object = {}) => ({
  type: 'image',
  fileName: 'portrait',
  originalFileExtension: 'jpg',
  fileSize: 600,
  ...overrides,
});
const stored = (fileName: string, fileExtension: string) => expect.objectContaining({ fileName, fileExtension });

describe('an item of a request', () => {
  it.each<[string, object, string, string]>([
    ['without its extension', { fileName: 'portrait' }, 'portrait', 'jpg'],
    ['with its extension', { fileName: 'portrait.jpg' }, 'portrait', 'jpg'],
    ['with an extension in capitals', { fileName: 'portrait.JPG', originalFileExtension: 'JPG' }, 'portrait', 'jpg'],
    ['with another extension', { fileName: 'portrait.tar', originalFileExtension: '.gz' }, 'portrait.tar', 'gz'],
    ['that is nothing but an extension', { fileName: '.jpg' }, '.jpg', 'jpg'],
    ['of which the extension is not sent', { fileName: 'a/b.PNG', originalFileExtension: undefined }, 'a/b', 'png'],
    ['that has none at all', { fileName: 'README', originalFileExtension: '' }, 'README', ''],
  ])('has a name %s', (_, overrides, name, extension) => {
    expect(checkItem(file(overrides), 0)).toEqual(stored(name, extension));
  });

  it.each<[unknown, string]>([
    [null, 'type'],
    ['x', 'type'],
    [[], 'type'],
    [file({ type: 'watermark' }), 'invalid_type'],
    [file({ type: undefined }), 'required'],
    [file({ type: null }), 'required'],
    [file({ type: 7 }), 'type'],
    [file({ fileName: 7 }), 'type'],
    [file({ fileName: undefined }), 'required'],
    [file({ fileName: '  ' }), 'missing_file_name'],
    [file({ fileName: 'a\u0000b' }), 'invalid_file_name'],
    [file({ fileName: 'a\u2028b' }), 'invalid_file_name'],
    [file({ originalFileExtension: { toString: 1 } }), 'type'],
    [file({ originalFileExtension: 'a/b' }), 'invalid_file_extension'],
    [file({ originalFileExtension: 'x'.repeat(17) }), 'invalid_file_extension'],
    [file({ fileSize: undefined }), 'required'],
    [file({ fileSize: 'many' }), 'type'],
    [file({ fileName: 'x'.repeat(2_000), fileSize: [] }), 'type'],
    [file({ fileSize: -0.5 }), 'type'],
    [file({ fileSize: -1 }), 'invalid_file_size'],
    [file({ fileSize: 5 * 1024 ** 4 + 1 }), 'file_too_large'],
    [file({ fileSize: 1e300 }), 'file_too_large'],
    [file({ checksum: 7 }), 'type'],
    [file({ metadata: {} }), 'type'],
    [file({ metadata: [null] }), 'required'],
    [file({ metadata: [{ title: 'a' }] }), 'required'],
    [file({ metadata: [{ title: '', content: 'b' }] }), 'invalid_metadata'],
    [file({ metadata: [{ title: 'a', content: 'b', language: 7 }] }), 'type'],
    [file({ metadata: [{ title: 'a', content: 'b', language: 'x'.repeat(36) }] }), 'invalid_metadata'],
  ])('%j is refused: %s', (sent, code) => {
    expect(checkItem(sent, 3)).toMatchObject({ code, message: expect.any(String) });
  });

  it('keeps size, checksum and metadata', () => {
    const metadata = [{ title: 'author', content: 'Ada', language: 'en' }];
    expect(checkItem(file({ fileSize: '600', checksum: 'abc', metadata }), 3)).toEqual({
      index: 3,
      type: 'image',
      fileName: 'portrait',
      fileExtension: 'jpg',
      fileSize: 600,
      checksum: 'abc',
      metadata,
      track: null,
    });
  });

  it('never leads to a stray key, whatever is sent', () => {
    const batch = { customerId: 1, uploadId: '7d4ff2e9-6f0e-4a3c-9d8c-3a0f6a7c1b52' };
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('../../x', '.htaccess', 'a.b/c', '..', '漢字.mp4'));
    fc.assert(
      fc.property(text, fc.oneof(text, fc.constant(undefined)), fc.anything(), (fileName, originalFileExtension, fileSize) => {
        const checked = checkItem({ type: 'video', fileName, originalFileExtension, fileSize }, 5);
        if (!isProblem(checked)) expect(parseUploadKey(uploadKey(batch, checked.index, checked.fileExtension))).toEqual(batch);
      }),
    );
  });
});
