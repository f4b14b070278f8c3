import { programsOf } from './command/programs-of.js';
import type { Format } from './format.entity.js';
import { commandOf } from './format-command.js';
import type { VisibleFormats } from './format-reader.js';

/** Found once for each version of a format, as its command is. */
const known = new WeakMap<Format, readonly string[]>();

/** The programs that a format needs, `cli:<name>` for one of the operator's. */
export function programsOfFormat(format: Format, { byId }: VisibleFormats): readonly string[] {
  const found = known.get(format);
  if (found) return found;
  const { command } = commandOf(format, byId.get(format.blueprintId ?? 0) ?? null);
  const programs = programsOf(format.converter, format.settings, command);
  known.set(format, programs);
  return programs;
}
