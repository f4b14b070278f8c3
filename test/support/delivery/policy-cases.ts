/** Requests with temporary credentials. */
export interface TriedRequest {
  readonly operation: keyof typeof ACTIONS;
  /** Empty for ListObjects. */
  readonly key: string;
}

export interface PolicyCase {
  /** The session policy, as JSON. */
  readonly policy: string;
  readonly request: TriedRequest;
  readonly allowed: boolean;
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: readonly string[];
  readonly Resource: readonly string[];
}

const ACTIONS = {
  PutObject: 's3:PutObject',
  CreateMultipartUpload: 's3:PutObject',
  GetObject: 's3:GetObject',
  DeleteObject: 's3:DeleteObject',
  ListObjects: 's3:ListBucket',
} as const;

/** Near neighbours: one more character, another case, another folder of the same length. */
export const POLICY_KEYS = [
  'uploads/7/aaa/1.jpg',
  'uploads/7/aaa/2.jpg',
  'uploads/7/aaa/12.jpg',
  'uploads/7/aaa/1.jpg.bak',
  'uploads/7/AAA/1.jpg',
  'uploads/7/aab/1.jpg',
  'uploads/77/aaa/1.jpg',
  'uploads/8/aaa/1.jpg',
  'uploads/7/aaa/sub/1.jpg',
  'other.txt',
] as const;

const ACTION_PATTERNS = [
  's3:PutObject',
  's3:GetObject',
  's3:DeleteObject',
  's3:ListBucket',
  's3:*',
  's3:Put*',
  's3:*Object',
  's3:putobject',
  's3:Get*',
];

/** Session policies, each with a request and the verdict that AWS's rules give. The same seed gives the same cases. */
export function policyCases(count: number, seed: number, bucket = 'media'): PolicyCase[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => {
    const statements = Array.from({ length: 1 + random.below(3) }, () => makeStatement(random, bucket));
    const operation = random.pick(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]);
    const request = { operation, key: operation === 'ListObjects' ? '' : random.pick(POLICY_KEYS) };
    const policy = JSON.stringify({ Version: '2012-10-17', Statement: statements });
    return { policy, request, allowed: isAllowed(statements, request, bucket) };
  });
}

function makeStatement(random: Random, bucket: string): Statement {
  return {
    Effect: random.below(4) === 0 ? 'Deny' : 'Allow',
    Action: random.several(2, () => random.pick(ACTION_PATTERNS)),
    Resource: random.several(3, () => makeResource(random, bucket)),
  };
}

function makeResource(random: Random, bucket: string): string {
  const key = random.pick(POLICY_KEYS);
  const at = random.below(key.length);
  const kinds = [
    () => `${bucket}/${key}`,
    () => `${bucket}/${key.slice(0, at)}*`,
    () => `${bucket}/${key.slice(0, at)}?${key.slice(at + 1)}`,
    () => `${bucket}/${key.slice(0, at)}*${key.slice(Math.min(key.length, at + 1 + random.below(6)))}`,
    () => `${bucket}/*${key.slice(at)}`,
    () => bucket,
    () => `${bucket}/*`,
  ];
  return `arn:aws:s3:::${random.pick(kinds)()}`;
}

/** An explicit Deny wins; what is not allowed is denied; actions do not distinguish upper and lower case, resources do. */
function isAllowed(statements: readonly Statement[], { operation, key }: TriedRequest, bucket: string): boolean {
  const resource = operation === 'ListObjects' ? `arn:aws:s3:::${bucket}` : `arn:aws:s3:::${bucket}/${key}`;
  const effects = statements
    .filter(({ Action }) => Action.some((pattern) => toRegExp(pattern, 'i').test(ACTIONS[operation])))
    .filter(({ Resource }) => Resource.some((pattern) => toRegExp(pattern, '').test(resource)))
    .map(({ Effect }) => Effect);
  return effects.includes('Allow') && !effects.includes('Deny');
}

function toRegExp(pattern: string, flags: string): RegExp {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('\\*', '.*').replaceAll('\\?', '.')}$`, `s${flags}`);
}

/** mulberry32: small, and the same everywhere. */
class Random {
  constructor(private state: number) {}

  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }

  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  several<T>(most: number, make: () => T): T[] {
    return Array.from({ length: 1 + this.below(most) }, make);
  }
}
