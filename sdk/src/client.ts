import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import type { paths } from './api.js';
import { type AccessToken, type Send, withNetworkErrors, withPatience, withToken } from './http.js';
import { ProblemError } from './problem-error.js';
import { type UploadInput, type UploadOptions, type UploadResult, uploadFiles } from './upload.js';

export interface ClientOptions {
  /** The URL of the service (its PUBLIC_URL). */
  readonly baseUrl: string;
  /** The access token, or a function that returns one; without it only public operations can be called. */
  readonly accessToken?: AccessToken;
  /** Headers of every call, such as `x-service-device` or `clientid`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends the requests to the service; by default the global `fetch`. */
  readonly fetch?: Send;
}

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

/** Calls an operation by its path, with `{ params: { path, query }, body, signal }` as it needs; throws ProblemError. */
export type Call<M extends Method> = <Path extends PathsWith<M>, Init extends MaybeOptionalInit<paths[Path], M>>(
  path: Path,
  ...init: undefined extends Init ? [(Init & Record<string, unknown>)?] : [Init & Record<string, unknown>]
) => Promise<Answer<paths[Path][M], Init>>;

export interface Client {
  readonly GET: Call<'get'>;
  readonly POST: Call<'post'>;
  readonly PUT: Call<'put'>;
  readonly DELETE: Call<'delete'>;
  /**
   * Uploads files: announces them, sends them to the storage, reports and completes them. Repeating the call with the same files and
   * `uploadId` continues where it stopped. Throws ProblemError with `upload_incomplete` if files could not be uploaded.
   */
  upload(files: Iterable<File | UploadInput>, options?: UploadOptions): Promise<UploadResult>;
}

/** A client of the service. All its calls are typed by their paths. */
export function createClient({ baseUrl, accessToken, headers = {}, fetch: given }: ClientOptions): Client {
  const send = withToken(withNetworkErrors(given ?? ((request) => fetch(request))), accessToken);
  // No cookies: the calls are authenticated by their token only.
  const http = createFetchClient<paths>({ baseUrl, headers, credentials: 'omit', fetch: withPatience(send) });
  const call =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
    async (path: string, init?: object): Promise<unknown> => {
      const { data, error, response } = await (http[method] as UntypedCall)(path, init);
      if (!response.ok) throw ProblemError.fromResponse(response, error);
      return { data, response };
    };
  const [GET, POST, PUT, DELETE] = (['GET', 'POST', 'PUT', 'DELETE'] as const).map(call);
  const client = { GET, POST, PUT, DELETE } as unknown as Omit<Client, 'upload'>;
  // An upload has its own way of waiting, which all of its requests share.
  return { ...client, upload: (files, options) => uploadFiles({ client, send }, files, options) };
}

type UntypedCall = (path: string, init?: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;
