import type { TestApp } from '../app/test-app.js';
import { call } from '../media/uploads.js';

/** A format as the API answers it. */
export interface FormatBody extends Record<string, unknown> {
  readonly ignored?: readonly { readonly path: string; readonly reason: string }[];
  readonly id: number;
  readonly name: string;
  readonly blueprintId: number | null;
  readonly isBlueprint: boolean;
  readonly converter: string;
  readonly flag: number;
  readonly command: Record<string, unknown>;
  readonly settings: Record<string, unknown> & { readonly mediaTypes: string[] };
}

export const listFormats = async ({ url }: Pick<TestApp, 'url'>, token: string, query = ''): Promise<FormatBody[]> =>
  (await call<FormatBody[]>(`${url}/v5/format${query}`, { token })).body;

/** The blueprint of this name. */
export async function blueprintOf(app: Pick<TestApp, 'url'>, token: string, name: string): Promise<FormatBody> {
  const found = (await listFormats(app, token)).find((format) => format.isBlueprint && format.name === name);
  if (!found) throw new Error(`There is no blueprint ${name}.`);
  return found;
}

/** A customer's format; of H.264 720p unless another blueprint is named. */
export async function aFormat(
  app: Pick<TestApp, 'url'>,
  token: string,
  { blueprint = 'H.264 720p', ...fields }: { blueprint?: string; [field: string]: unknown } = {},
): Promise<FormatBody> {
  const { id: blueprintId, converter } = await blueprintOf(app, token, blueprint);
  const { status, body } = await call<FormatBody>(`${app.url}/v5/format`, {
    token,
    body: { blueprintId, converter, name: 'Our format', ...fields },
  });
  if (status !== 201) throw new Error(`No format was made: ${JSON.stringify(body)}`);
  return body;
}
