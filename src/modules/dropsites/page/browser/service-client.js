import { ProblemError } from '@media-delivery/sdk/uploader';

/** A batch of a thousand files takes several seconds. */
const TIMEOUT_MS = 120_000;

/**
 * @typedef {{ email: string, firstname: string, lastname: string }} Sender
 * @typedef {{ clientId: string, token: string | null }} Session
 * @typedef {object} Delivered the response of `deliver`
 * @property {string} clientId
 * @property {string} code
 * @property {boolean} [requiresPassword]
 */

/** Calls the service for one dropsite. Throws ProblemError. */
export class ServiceClient {
  #link;
  #clock;
  #fetch;
  /** @type {Session | null} */
  #session = null;

  /**
   * @param {string} link
   * @param {import('@media-delivery/sdk/uploader').ServerClock} clock
   * @param {typeof fetch} [fetcher]
   */
  constructor(link, clock, fetcher = (input, init) => fetch(input, init)) {
    this.#link = link;
    this.#clock = clock;
    this.#fetch = fetcher;
  }

  /**
   * Opens the dropsite: with a sender it starts a session, without one it uses the dropsite's client.
   * @param {{ sender: Sender | null, password: string }} who
   * @returns {Promise<{ email: string, userId: number } | null>} the sender as the service knows them
   */
  async open({ sender, password }) {
    const { clientId, code } = /** @type {Delivered} */ (await this.#call('GET', `/v5/dropsite/deliver/${this.#link}`, null, null));
    const anonymous = { clientId, token: null };
    if (!sender) {
      this.#session = anonymous;
      return null;
    }
    const { email, firstname, lastname } = sender;
    const body = {
      code,
      ...(email && { email }),
      ...(firstname && { firstname }),
      ...(lastname && { lastname }),
      ...(password && { password }),
    };
    const answer = /** @type {{ access_token: string, email: string, user: { id: number } }} */ (
      await this.#call('POST', `/v5/dropsite/${this.#link}/token`, body, anonymous)
    );
    this.#session = { clientId, token: answer.access_token };
    return { email: answer.email, userId: answer.user.id };
  }

  /**
   * Prepares a batch. Repeating the call renews the credentials.
   * @param {{ uploadId: string, payload: readonly object[], password: string, creator: { email: string, userId: number } | null }} batch
   * @returns {Promise<import('@media-delivery/sdk/uploader').UploadDocument>}
   */
  async createUpload({ uploadId, payload, password, creator }) {
    const body = {
      link: this.#link,
      uploadId,
      payload,
      waitForCompletion: true,
      ...(password && { password }),
      ...(creator && { creatorId: creator.userId, email: creator.email }),
    };
    return /** @type {import('@media-delivery/sdk/uploader').UploadDocument} */ (
      await this.#call('POST', '/v5/dropsite/createUpload', body)
    );
  }

  /** @param {{ uploadId: string, totalSize: number, items: number }} notice */
  async uploadStarted(notice) {
    await this.#call('POST', '/v5/dropsite/uploadStarted', { link: this.#link, ...notice });
  }

  /** @param {{ bucket: string, s3Key: string }} item */
  async itemSuccess({ bucket, s3Key }) {
    await this.#call('POST', '/v5/s3/success', { bucket, key: s3Key });
  }

  /** @param {string} uploadId */
  async uploadComplete(uploadId) {
    await this.#call('POST', '/v5/s3/uploadComplete', { uploadId });
  }

  /**
   * The progress of the previews of an upload. It sends no token, because the session ends with the upload.
   * @param {string} uploadId
   * @returns {Promise<import('./preview-watch.js').PreviewProgress[]>}
   */
  async previewProgress(uploadId) {
    const { clientId } = this.#session ?? { clientId: '' };
    const path = `/v5/dropsite/${this.#link}/progress?uploadId=${uploadId}`;
    return /** @type {import('./preview-watch.js').PreviewProgress[]} */ (await this.#call('GET', path, null, { clientId, token: null }));
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object | null} body
   * @param {Session | null} [session]
   */
  async #call(method, path, body, session = this.#session) {
    const response = await this.#send(method, path, body, session);
    this.#clock.learn(response.headers.get('date'));
    const content = await response.json().catch(() => null);
    if (response.ok) return content;
    throw ProblemError.fromResponse(response, content);
  }

  /**
   * @param {string} method
   * @param {string} path
   * @param {object | null} body
   * @param {Session | null} session
   */
  async #send(method, path, body, session) {
    const headers = new Headers(body ? { 'content-type': 'application/json' } : {});
    if (session) headers.set('clientid', session.clientId);
    if (session?.token) headers.set('authorization', `Bearer ${session.token}`);
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      return await this.#fetch(path, {
        method,
        headers,
        body: body ? JSON.stringify(body) : null,
        signal,
        cache: 'no-store',
        credentials: 'omit',
      });
    } catch (cause) {
      throw ProblemError.network('The service cannot be reached.', cause);
    }
  }
}
