import { MAX_BYTES_PER_SET } from './credential-lifetime.js';
import { fitsPolicy } from './session-policy.js';

/** What credentials are needed for. */
export interface UploadItem {
  readonly key: string;
  readonly type: string;
  /** Bytes, as announced. */
  readonly size: number;
}

/**
 * Items that share one set of credentials: of one type, in their order. A set is closed when its sum would pass what 12 hours suffice for,
 * or when a policy cannot name one more key. An item that is larger than that by itself has a set of its own.
 */
export function groupItems<Item extends UploadItem>(bucket: string, items: readonly Item[]): Item[][] {
  const groups: Item[][] = [];
  const open = new Map<string, { group: Item[]; bytes: number }>();
  for (const item of items) {
    const last = open.get(item.type);
    if (
      last &&
      last.bytes + item.size <= MAX_BYTES_PER_SET &&
      fitsPolicy(
        bucket,
        [...last.group, item].map(({ key }) => key),
      )
    ) {
      last.group.push(item);
      last.bytes += item.size;
    } else {
      const group = [item];
      groups.push(group);
      open.set(item.type, { group, bytes: item.size });
    }
  }
  return groups;
}
