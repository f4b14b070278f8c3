import { parseUrl } from '../../../shared/validation/index.js';
import type { Instruction } from './instruction.js';

/** Instructions of one lane go to one place and share what may be under way there, so that a place that does not answer holds up nobody else. */
export function laneOf(customerId: number, instruction: Instruction): string {
  const place = instruction.type === 'https' ? (parseUrl(instruction.url)?.host ?? 'https') : instruction.type;
  return `${customerId} ${place}`;
}
