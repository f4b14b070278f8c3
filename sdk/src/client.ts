import createFetchClient from 'openapi-fetch';
import { type Call, nextCursor, type Pages } from './call.js';
import type { paths } from './generated/api.js';
import { type AccessToken, type Send, withNetworkErrors, withRetries, withToken } from './http.js';
import { ProblemError } from './problem-error.js';
import { type AbandonedUpload, abandonUpload, type UploadInput, type UploadOptions, type UploadResult, uploadFiles } from './upload.js';

/** Some operations have an HTML page for those who ask for nothing in particular. */
const JSON_TYPE = 'application/json';

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

export interface Client {
  readonly GET: Call<'get'>;
  readonly POST: Call<'post'>;
  readonly PUT: Call<'put'>;
  readonly DELETE: Call<'delete'>;
  /** Walks through a list: `for await (const page of client.pages('/v5/user', { kind: 'person' }))`; a page is an array. */
  readonly pages: Pages;
  /**
   * Uploads files: announces them, sends them to the storage, reports and completes them. Repeating the call with the same files and
   * `uploadId` continues where it stopped. Throws ProblemError with `upload_incomplete` if files could not be uploaded.
   */
  upload(files: Iterable<File | UploadInput>, options?: UploadOptions): Promise<UploadResult>;
  /**
   * Gives up an upload that was stopped or has failed: removes what has not arrived, keeps what has, and returns the number of removed media
   * containers. The `uploadId` cannot be used again. `files`: how many files the upload has, if there are more than 1,000.
   */
  abandonUpload(uploadId: string, options?: { readonly files?: number }): Promise<AbandonedUpload>;
}

/** Creates a client of the service. Every call is typed by its path. */
export function createClient({ baseUrl, accessToken, headers = {}, fetch: given }: ClientOptions): Client {
  const send = withToken(withNetworkErrors(given ?? ((request) => fetch(request))), accessToken);
  // No cookies: the calls are authenticated by their token only.
  const http = createFetchClient<paths>({
    baseUrl,
    headers: { Accept: JSON_TYPE, ...headers },
    credentials: 'omit',
    fetch: withRetries(send),
  });
  const call =
    (method: 'GET' | 'POST' | 'PUT' | 'DELETE') =>
    async (path: string, init?: CallOptions): Promise<unknown> => {
      const { data, error, response } = await (http[method] as UntypedCall)(path, completed(init)).catch((cause: unknown) => {
        if (!(cause instanceof SyntaxError)) throw cause;
        throw new ProblemError({ status: 0, code: 'response_invalid', detail: 'The response is not JSON.' }, { cause });
      });
      if (!response.ok) throw ProblemError.fromResponse(response, error);
      return { data, response };
    };
  const [GET, POST, PUT, DELETE] = (['GET', 'POST', 'PUT', 'DELETE'] as const).map(call);
  const client = { GET, POST, PUT, DELETE } as unknown as Pick<Client, 'GET' | 'POST' | 'PUT' | 'DELETE'>;
  // An upload waits and retries for all of its requests together.
  return {
    ...client,
    pages: pagesOf(GET as UntypedGet) as Pages,
    upload: (files, options) => uploadFiles({ client, send }, files, options),
    abandonUpload: (uploadId, options) => abandonUpload(client, uploadId, options),
  };
}

interface CallOptions {
  readonly headers?: { readonly Accept?: string; readonly accept?: string };
  readonly parseAs?: string;
}

/** A call returns JSON, or a text if its header Accept asks for another content type; one that says how to parse the response takes any type. */
function completed(init: CallOptions = {}): CallOptions {
  const { headers = {}, parseAs } = init;
  if (parseAs !== undefined) return parseAs === 'json' ? init : { ...init, headers: { Accept: '*/*', ...headers } };
  const accept = headers.accept ?? headers.Accept ?? JSON_TYPE;
  return { ...init, parseAs: /\bjson\b|\*/.test(accept) ? 'json' : 'text' };
}

type UntypedCall = (path: string, init?: object) => Promise<{ data?: unknown; error?: unknown; response: Response }>;

type UntypedGet = (path: string, init: object) => Promise<{ data: unknown; response: Response }>;

const pagesOf = (get: UntypedGet) =>
  async function* (path: string, query: object = {}, { signal, ...params }: { readonly signal?: AbortSignal } = {}) {
    let cursor: string | undefined;
    do {
      const { data, response } = await get(path, { params: { ...params, query: { ...query, cursor } }, ...(signal && { signal }) });
      yield data;
      cursor = nextCursor(response);
    } while (cursor !== undefined);
  };
