/** An item of a batch that was accepted. */
export interface BatchItem {
  /** Position in the request. */
  readonly index: number;
  readonly mediaContainerId: number;
  readonly mediaId: number;
  readonly key: string;
  readonly type: string;
  /** Bytes, as announced. */
  readonly size: number;
}

/** What is wrong with, or to be known of, an item of a request. */
export interface ItemProblem {
  readonly index: number;
  readonly code: string;
  readonly message: string;
  /** Of a duplicate: the media container that is there already. */
  readonly mediaContainerId?: number;
  /** Of a duplicate: the earlier item of the same request. */
  readonly duplicateOfIndex?: number;
}
