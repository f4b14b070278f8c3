const MOST_DETAIL = 500; // characters; what a refusal lists of a large input helps nobody

/** A call and how it was answered. */
export interface Refusal {
  readonly method: string;
  /** Without its query, which may hold anything. */
  readonly path: string;
  readonly statusCode: number;
  /** A problem document, usually (contract section 1). */
  readonly answer: unknown;
  readonly userId: number;
}

/** Why a call was refused, for the log of a subscription: `http-4xx: v5/format/9 answered 404 not_found. There is no format 9.` */
export function refusalReason({ method, path, statusCode, answer, userId }: Refusal): string {
  const { code, detail } = (typeof answer === 'object' && answer !== null ? answer : {}) as { code?: unknown; detail?: unknown };
  const words = typeof detail === 'string' ? ` ${detail.slice(0, MOST_DETAIL)}` : '';
  const answered = typeof code === 'string' ? `${statusCode} ${code}` : String(statusCode);
  if (statusCode === 401 || statusCode === 403) return `rights: the user ${userId} may not ${method} ${path}, ${answered}.${words}`;
  return `http-${Math.floor(statusCode / 100)}xx: ${path} answered ${answered}.${words}`;
}
