/**
 * SAML, its metadata and XML Signature have fewer than 150 names of elements and prefixes of namespaces together. For each name
 * the parser searches the whole text, and for each element with a namespace it copies all prefixes.
 */
const MAX_NAMES = 256;
/** The name of an element, or the declaration of the prefix of a namespace. */
const NAME = /<[^\s<>/!?][^\s<>/]*|xmlns:[^\s=<>]*/g;

/** What contains anything up to its end, for which the parser searches the rest of the text at each beginning. */
const UNTIL_END = [
  ['<?', '?>'],
  ['<![CDATA[', ']]>'],
] as const;

/**
 * Finds why xmldom would take more than linear time to parse a text, as the rest of a sentence about the document (`has …`); null: it would not. To
 * be called before the text is parsed.
 */
export function findXmlProblem(xml: string): string | null {
  const open = UNTIL_END.find(([begin, end]) => xml.lastIndexOf(begin) > xml.lastIndexOf(end));
  if (open) return `has no ${open[1]} behind the last ${open[0]}`;
  const names = new Set<string>();
  for (const [name] of xml.matchAll(NAME)) {
    names.add(name);
    if (names.size > MAX_NAMES) return `has more than ${MAX_NAMES} different names of elements and namespaces`;
  }
  return null;
}
