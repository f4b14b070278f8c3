/** The part of `Accept-Language` that counts (contract section 13.1); browsers send at most a dozen ranges. */
const MAX_CHARACTERS = 1_024;
const MAX_RANGES = 16;

const RANGE = /^([a-z]{1,8}(?:-[a-z\d]{1,8})*)(?:[ \t]*;[ \t]*q=([01](?:\.\d{0,3})?))?$/i;

/** The languages of a viewer by `Accept-Language` (RFC 9110 section 12.5.4), the preferred one first. `*` and invalid ranges match nothing. */
export function viewerLanguages(header: string | undefined): readonly string[] {
  const ranges = (header ?? '').slice(0, MAX_CHARACTERS).split(',', MAX_RANGES);
  if (header !== undefined && header.length > MAX_CHARACTERS && ranges.length < MAX_RANGES) ranges.pop(); // it is cut off
  const accepted = ranges.flatMap((range) => {
    const [, language, weight = '1'] = RANGE.exec(range.trim()) ?? [];
    return language !== undefined && Number(weight) > 0 ? [{ language, weight: Number(weight) }] : [];
  });
  return accepted.toSorted((one, other) => other.weight - one.weight).map(({ language }) => language);
}
