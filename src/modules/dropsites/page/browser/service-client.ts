import { ProblemError, type ServerClock, type UploadDocument, type UploadRequest } from '@media-delivery/sdk/uploader';

/** A batch of a thousand files takes several seconds. */
const TIMEOUT_MS = 120_000;

export interface Sender {
  readonly email: string;
  readonly firstname: string;
  readonly lastname: string;
}

/** The sender as the service knows them. */
export interface Creator {
  readonly email: string;
  readonly userId: number;
}

/** The progress of the preview of a delivered file. */
export interface PreviewProgress {
  readonly mediaContainerId: number;
  /** Per cent. */
  readonly progress: number;
  readonly status: 'running' | 'successful' | 'failed';
}

interface Session {
  readonly clientId: string;
  readonly token: string | null;
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** By default that of the client. */
  readonly session?: Session | null;
}

/** Calls the service for one dropsite. Throws ProblemError. */
export class ServiceClient {
  #link;
  #clock;
  #session: Session | null = null;

  constructor(link: string, clock: ServerClock) {
    this.#link = link;
    this.#clock = clock;
  }

  /** Opens the dropsite: with a sender it starts a session, without one it uses the dropsite's client and returns null. */
  async open({ sender, password }: { sender: Sender | null; password: string }): Promise<Creator | null> {
    const path = `/v5/dropsite/deliver/${this.#link}`;
    const { clientId, code } = await this.#call<{ clientId: string; code: string }>({ method: 'GET', path, session: null });
    const anonymous = { clientId, token: null };
    if (!sender) {
      this.#session = anonymous;
      return null;
    }
    const { email, firstname, lastname } = sender;
    const entered = Object.entries({ email, firstname, lastname, password }).filter(([, value]) => value !== '');
    const answer = await this.#call<{ access_token: string; email: string; user: { id: number } }>({
      method: 'POST',
      path: `/v5/dropsite/${this.#link}/token`,
      body: { code, ...Object.fromEntries(entered) },
      session: anonymous,
    });
    this.#session = { clientId, token: answer.access_token };
    return { email: answer.email, userId: answer.user.id };
  }

  /** Prepares a batch. Repeating the call renews the credentials. */
  async createUpload(batch: UploadRequest & { password: string; creator: Creator | null }): Promise<UploadDocument> {
    const { uploadId, payload, password, creator } = batch;
    const body = {
      link: this.#link,
      uploadId,
      payload,
      waitForCompletion: true,
      ...(password && { password }),
      ...(creator && { creatorId: creator.userId, email: creator.email }),
    };
    return await this.#call<UploadDocument>({ method: 'POST', path: '/v5/dropsite/createUpload', body });
  }

  async uploadStarted(notice: { uploadId: string; totalSize: number; items: number }): Promise<void> {
    await this.#call({ method: 'POST', path: '/v5/dropsite/uploadStarted', body: { link: this.#link, ...notice } });
  }

  async itemSuccess({ bucket, s3Key }: { bucket: string; s3Key: string }): Promise<void> {
    await this.#call({ method: 'POST', path: '/v5/s3/success', body: { bucket, key: s3Key } });
  }

  async uploadComplete(uploadId: string): Promise<void> {
    await this.#call({ method: 'POST', path: '/v5/s3/uploadComplete', body: { uploadId } });
  }

  /** The progress of the previews of an upload. It sends no token, because the session ends with the upload. */
  async previewProgress(uploadId: string): Promise<PreviewProgress[]> {
    const path = `/v5/dropsite/${this.#link}/progress?uploadId=${uploadId}`;
    const session = { clientId: this.#session?.clientId ?? '', token: null };
    return await this.#call<PreviewProgress[]>({ method: 'GET', path, session });
  }

  async #call<T>({ method, path, body, session = this.#session }: Request): Promise<T> {
    const headers = new Headers(body ? { 'content-type': 'application/json' } : {});
    if (session) headers.set('clientid', session.clientId);
    if (session?.token) headers.set('authorization', `Bearer ${session.token}`);
    const response = await fetch(path, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      cache: 'no-store',
      credentials: 'omit',
    }).catch((cause: unknown) => {
      throw ProblemError.network('The service cannot be reached.', cause);
    });
    this.#clock.learn(response.headers.get('date'));
    const content = await response.json().catch(() => null);
    if (response.ok) return content;
    throw ProblemError.fromResponse(response, content);
  }
}
