import { whyHeaderRefused } from '../../../../shared/egress/index.js';

/** What is wrong with a header of an https instruction, for a person and without its value; null: nothing. The signature is ours to make. */
export function headerProblem(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  return lower.startsWith('webhook-') ? `the header ${lower} cannot be set` : whyHeaderRefused(name, value);
}
