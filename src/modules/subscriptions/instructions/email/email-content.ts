/** What a mail says, before it becomes plain text and HTML. All of it is plain text; the layouts escape it. */
export interface EmailContent {
  readonly subject: string;
  /** What mail clients show beside the subject before the mail is opened; empty: the beginning of the text. */
  readonly preheader: string;
  readonly heading: string | null;
  readonly paragraphs: readonly string[];
  /** What somebody wrote, apart from our own words. */
  readonly quote: string | null;
  readonly facts: readonly EmailFact[];
  readonly action: { readonly label: string; readonly url: string } | null;
  /** Small print. */
  readonly note: string | null;
}

export interface EmailFact {
  readonly term: string;
  readonly value: string;
}

/** The facts that are known. */
export const knownFacts = (facts: readonly (readonly [term: string, value: string | null])[]): EmailFact[] =>
  facts.flatMap(([term, value]) => (value === null ? [] : [{ term, value }]));
