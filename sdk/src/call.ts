import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { paths } from './generated/api.js';

type Method = 'get' | 'post' | 'put' | 'delete';
type Media = `${string}/${string}`;

type PathsWith<M extends Method> = { [Path in keyof paths]: paths[Path][M] extends undefined ? never : Path }[keyof paths];
// biome-ignore lint/suspicious/noExplicitAny: openapi-fetch demands an index signature, which the generated operations do not have
type Responses<Operation> = Operation extends Record<string | number, any> ? Operation : never;

type DataOf<Result> = Result extends { data: infer Data } ? Data : never;
type DataAs<Operation, Init, Type extends Media> = DataOf<FetchResponse<Responses<Operation>, Init, Type>>;

/** The data of the content type that was asked for; of any type of the operation if it does not have that one. */
type Data<Operation, Init, Accept extends string> = Accept extends Media
  ? [DataAs<Operation, Init, Accept>] extends [undefined] // also never
    ? DataAs<Operation, Init, Media>
    : DataAs<Operation, Init, Accept>
  : DataAs<Operation, Init, Media>;

/** The data of a successful call, and its response with the headers (`Link`, `Total-Count`). */
export interface Answer<Operation, Init, Accept extends string> {
  readonly data: Data<Operation, Init, Accept>;
  readonly response: Response;
}

/** Where a call says which content type it asks for; by default JSON. */
interface Asking<Accept extends string> {
  readonly headers?: { readonly Accept?: Accept; readonly accept?: Accept };
}

/** Calls an operation by its path, with the members of `{ params: { path, query }, body, headers, signal }` that it needs; throws ProblemError. */
export type Call<M extends Method> = <
  Path extends PathsWith<M>,
  Init extends MaybeOptionalInit<paths[Path], M>,
  Accept extends string = 'application/json',
>(
  path: Path,
  ...init: undefined extends Init ? [(Init & Asking<Accept> & Record<string, unknown>)?] : [Init & Asking<Accept> & Record<string, unknown>]
) => Promise<Answer<paths[Path][M], Init, Accept>>;

/** A GET operation whose response is one page of a list. */
type ListOperation = { parameters: { query?: { cursor?: unknown } } };
type ItemsOf<Path extends keyof paths> = DataAs<paths[Path]['get'], object, 'application/json'>;
type ListPath = {
  [Path in PathsWith<'get'>]: paths[Path]['get'] extends ListOperation ? (ItemsOf<Path> extends readonly unknown[] ? Path : never) : never;
}[PathsWith<'get'>];
type ParametersOf<Path extends keyof paths> = paths[Path]['get'] extends { parameters: infer Parameters } ? Parameters : never;
type QueryOf<Path extends keyof paths> = ParametersOf<Path> extends { query?: infer Query } ? Omit<NonNullable<Query>, 'cursor'> : never;

/** Parameters in the path of a list, and what every call takes. */
type PagesOptions<Path extends keyof paths> = Pick<ParametersOf<Path>, 'path' & keyof ParametersOf<Path>> & {
  readonly signal?: AbortSignal;
};

/**
 * The pages of a list from the first one on, each an array; the next one is read when it is asked for. `limit` is the size of a page. Throws
 * ProblemError.
 */
export type Pages = <Path extends ListPath>(
  path: Path,
  query?: QueryOf<Path>,
  options?: PagesOptions<Path>,
) => AsyncGenerator<ItemsOf<Path>, void, void>;

/** The cursor of the next page of a list, from the header `Link` (RFC 8288); undefined at the end. */
export function nextCursor({ headers }: Pick<Response, 'headers'>): string | undefined {
  const [, url] = /<([^<>]+)>;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? [];
  return new URLSearchParams(url?.split('?')[1]).get('cursor') ?? undefined;
}
