import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { paths } from './api.js';

type Method = 'get' | 'post' | 'put' | 'delete';
type Media = `${string}/${string}`;

type PathsWith<M extends Method> = { [Path in keyof paths]: paths[Path][M] extends undefined ? never : Path }[keyof paths];
// biome-ignore lint/suspicious/noExplicitAny: openapi-fetch demands an index signature, which the generated operations do not have
type Responses<Operation> = Operation extends Record<string | number, any> ? Operation : never;

type DataOf<Result> = Result extends { data: infer Data } ? Data : never;

/** The data of a successful call, and its response with the headers (`Link`, `Total-Count`). */
export interface Answer<Operation, Init> {
  readonly data: DataOf<FetchResponse<Responses<Operation>, Init, Media>>;
  readonly response: Response;
}

/** Calls an operation by its path, with the members of `{ params: { path, query }, body, signal }` that it needs; throws ProblemError. */
export type Call<M extends Method> = <Path extends PathsWith<M>, Init extends MaybeOptionalInit<paths[Path], M>>(
  path: Path,
  ...init: undefined extends Init ? [(Init & Record<string, unknown>)?] : [Init & Record<string, unknown>]
) => Promise<Answer<paths[Path][M], Init>>;
