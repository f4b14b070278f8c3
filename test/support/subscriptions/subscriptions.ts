import { type Answer, call } from '../media/uploads.js';

/** An entry of the log as the API answers it. */
export interface LogBody extends Record<string, unknown> {
  readonly id: number;
  readonly messageId: string;
  readonly attempt: number;
  readonly statusCode: number;
  readonly payload: unknown;
  readonly reason: string | null;
}

/** A subscription as the API answers it. */
export interface SubscriptionBody extends Record<string, unknown> {
  readonly id: number;
  readonly instructions: readonly Record<string, unknown>[];
  readonly signingSecret?: string;
  readonly processedAt: string | null;
  readonly lastExecutedStatus: number | null;
  readonly lastEditorId: number;
  readonly logs: readonly LogBody[];
}

export type Problem = { readonly code: string; readonly detail: string; readonly errors?: readonly { path: string; code: string }[] };

export const anInstruction = (fields: object = {}) => ({ type: 'https', url: 'https://hooks.example.org/arrived', ...fields });

export const aSubscriptionInput = (fields: object = {}) => ({
  name: 'event:s3success',
  flag: 0,
  instructions: [anInstruction()],
  ...fields,
});

/** What a user does with subscriptions. */
export function subscriptionsOf({ url }: { readonly url: string }, token: string | null) {
  const at = `${url}/v5/subscriptions`;
  const send = async <Body = SubscriptionBody & Problem>(path: string, method: string, body?: unknown): Promise<Answer<Body>> =>
    await call<Body>(`${at}${path}`, { method, token, body });
  return {
    send,
    create: async (fields: object = {}) => await send('', 'POST', aSubscriptionInput(fields)),
    /** One that is there. */
    made: async (fields: object = {}): Promise<SubscriptionBody & { readonly signingSecret: string }> => {
      const { status, body } = await send('', 'POST', aSubscriptionInput(fields));
      if (status !== 201) throw new Error(`No subscription was made: ${JSON.stringify(body)}`);
      return body as SubscriptionBody & { signingSecret: string };
    },
    get: async (id: number, query = '') => await send(`/${id}${query}`, 'GET'),
    list: async (query = '') => await send<SubscriptionBody[]>(query, 'GET'),
    replace: async (id: number, fields: object = {}) => await send(`/${id}`, 'PUT', aSubscriptionInput(fields)),
    delete: async (id: number) => await send(`/${id}`, 'DELETE'),
    template: async (name: string, payload?: unknown) => await send(`/${name}`, 'POST', { payload }),
    dryRun: async (event: unknown) =>
      await send<{ subscriptionId: number; matches: boolean; reasons: unknown[] }[] & Problem>('/dryRun', 'POST', { event }),
    replay: async (id: number, logId: unknown) => await send<{ messageId: string } & Problem>(`/${id}/replay`, 'POST', { logId }),
  };
}

/** Path and code of each problem, in order. */
export const problemsOf = ({ status, body }: Answer<Problem>) => [
  status,
  body.code,
  body.errors?.map(({ path, code }) => `${path} ${code}`),
];
