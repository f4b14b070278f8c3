import { expect, it } from '@jest/globals';
import { type Receipt, receiptJson, receiptText } from './receipt.js';

const receipt: Receipt = {
  deliveredTo: 'Photos of the party',
  address: 'https://media.example/d/b1c5',
  deliveredAt: '2026-02-03T14:05:00.000Z',
  references: ['7d4ff2e9'],
  sender: 'Grace Hopper',
  totalSize: 1_200_000_000,
  files: [
    { name: 'one/a.jpg', size: 1_199_999_995, sha256: 'ab'.repeat(32), etag: 'x' },
    { name: 'b.txt', size: 5, sha256: null, etag: 'cd-2' },
  ],
  notDelivered: [{ name: 'c.txt', size: 1, reason: 'left out' }],
};

it('is a text for people, with lines that sha256sum checks', () => {
  expect(receiptText(receipt)).toBe(`2 files delivered, 1.2 GB

Delivered to  Photos of the party
Address       https://media.example/d/b1c5
Time          2026-02-03T14:05:00.000Z
Sender        Grace Hopper
Reference     7d4ff2e9

Files
one/a.jpg (1,199,999,995 bytes)
b.txt (5 bytes)

SHA-256
${'ab'.repeat(32)}  one/a.jpg

Entity tags of the storage
cd-2  b.txt

Not delivered
c.txt: left out
`);
});

it('is JSON for programs', () => {
  expect(JSON.parse(receiptJson(receipt))).toEqual(receipt);
});
