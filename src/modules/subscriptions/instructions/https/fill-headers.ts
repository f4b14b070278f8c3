import { EgressFailure } from '../../../../shared/egress/index.js';
import { fillText, type PlaceholderValues } from '../placeholders.js';
import { headerProblem } from './header-problem.js';

/** The headers of an instruction with their placeholders filled, by lower-case name; what no request may carry is a failure. */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  values: PlaceholderValues,
): Readonly<Record<string, string>> | EgressFailure {
  const filled: Record<string, string> = {};
  for (const [name, template] of Object.entries(headers)) {
    const value = fillText(template, values);
    const problem = headerProblem(name, value);
    if (problem) return new EgressFailure('invalid header', problem);
    filled[name.toLowerCase()] = value;
  }
  return filled;
}
