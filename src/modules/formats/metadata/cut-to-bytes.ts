/** As much of a text as fits into so many bytes of UTF-8, without half a character; accents and joined emoji may lose their second part. */
export function cutToBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return bytes.toString();
  let end = limit;
  while (end > 0 && isContinuation(bytes[end])) end -= 1;
  return bytes.subarray(0, end).toString();
}

/** Whether a byte is inside of a character: 10xxxxxx (RFC 3629 section 3). */
const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0b1100_0000) === 0b1000_0000;
