/** The strings and numbers of a JSON object by member name; other values are null. */
export type Members = ReadonlyMap<string, string | number | null>;

export interface JsonRewriting {
  /** Returns the replacement for a string or a member name. */
  readonly text: (text: string) => string;
  /** Returns the replacements for strings of an object, by member name. */
  readonly object: (members: Members) => ReadonlyMap<string, string>;
}

/** A string, with the colon of a member name; a bracket; or a number, true, false or null (RFC 8259). An unfinished string ends with the text. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))(\s*:)?|[[\]{}]|[^\s"[\]{},:]+/gs;

interface Frame {
  readonly members: Map<string, string | number | null>;
  /** The index of the piece that is the value of a member. */
  readonly places: Map<string, number>;
  name: string | null;
}

/** Whether a text is a JSON document; anything else is rewritten as a text. */
export function isJson(text: string): boolean {
  if (!/^\s*[[{"]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Replaces strings in a JSON document. All other bytes stay as written: spaces, the digits of numbers, the order of members. */
export function rewriteJson(json: string, { text, object }: JsonRewriting): string {
  const pieces: string[] = [];
  const frames: Frame[] = [{ members: new Map(), places: new Map(), name: null }];
  let end = 0;
  for (const match of json.matchAll(TOKEN)) {
    const [token, literal, colon] = match;
    pieces.push(json.slice(end, match.index));
    end = match.index + token.length;
    const frame = frames.at(-1);
    if (!frame) throw new SyntaxError('The document closes more brackets than it opens.');
    if (literal === undefined) {
      noteValue(frame, toNumber(token), pieces.length);
      pieces.push(token);
      if (token === '{' || token === '[') frames.push({ members: new Map(), places: new Map(), name: null });
      if (token === '}') replaceMembers(pieces, frame, object);
      if (token === '}' || token === ']') frames.pop();
      continue;
    }
    const plain = JSON.parse(literal) as string;
    if (colon !== undefined) frame.name = plain;
    else noteValue(frame, plain, pieces.length);
    const next = text(plain);
    pieces.push(next === plain ? token : `${JSON.stringify(next)}${colon ?? ''}`);
  }
  return pieces.join('') + json.slice(end);
}

/** Assigns a value to the member whose name was read last. */
function noteValue(frame: Frame, value: string | number | null, place: number): void {
  if (frame.name === null) return;
  frame.members.set(frame.name, value);
  frame.places.set(frame.name, place);
  frame.name = null;
}

function replaceMembers(pieces: string[], { members, places }: Frame, object: JsonRewriting['object']): void {
  for (const [name, value] of object(members)) {
    const place = places.get(name);
    if (place !== undefined) pieces[place] = JSON.stringify(value);
  }
}

const toNumber = (token: string): number | null => (/^[-\d]/.test(token) ? Number(token) : null);
