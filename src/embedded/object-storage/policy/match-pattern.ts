/**
 * Whether a text matches a pattern in which `*` stands for any characters, none included, and `?` for exactly one. Without
 * backtracking beyond the last star, so that no pattern takes long.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [wanted, given] = [Array.from(pattern), Array.from(text)];
  let at = 0;
  let star = -1;
  let resume = 0;
  for (let index = 0; index < given.length; ) {
    if (wanted[at] === '*') {
      star = at++;
      resume = index;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[index])) {
      at += 1;
      index += 1;
    } else if (star !== -1) {
      at = star + 1;
      index = ++resume;
    } else return false;
  }
  return wanted.slice(at).every((character) => character === '*');
}
