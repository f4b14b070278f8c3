const BASE64 = /^[A-Za-z\d+/_ -]*={0,2}$/;

/** The list that was sent as base64 or base64url of its JSON (contract section 11); null for what is none of that, so that it is refused. */
export function decodeFlags(value: unknown): unknown {
  if (value === undefined || value === null) return value;
  if (typeof value !== 'string' || !BASE64.test(value)) return [null];
  try {
    return JSON.parse(Buffer.from(value.replaceAll(' ', '+'), 'base64').toString()); // a query makes a blank of a plus
  } catch {
    return [null];
  }
}
