/** What a request is answered with. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: string | AsyncIterable<Buffer>;
}

/** A document of S3. */
export const xmlAnswer = (body: string, headers: Answer['headers'] = {}): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/xml', ...headers },
  body,
});

export const emptyAnswer = (status: number, headers: Answer['headers'] = {}): Answer => ({ status, headers });
