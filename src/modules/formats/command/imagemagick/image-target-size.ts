import type { Parameters } from '../../format-settings.js';
import { displaySize, type Size, type SourceFacts } from '../source-facts.js';

/** How large ImageMagick's picture becomes; null: not known, or the format turns or trims it by what it shows. */
export function imageTargetSize(command: Parameters, source: SourceFacts): Size | null {
  let size = displaySize(source);
  if (size === null || command.trim === true || Number(command.rotate ?? 0) % 180 !== 0) return null;
  size = within(size, command.crop);
  size = resize(size, command.resize ?? command.thumbnail);
  return command.extent === undefined ? size : readBox(command.extent, size);
}

/** Width and height of a geometry; an open side keeps the size it has. */
function readBox(geometry: Parameters[string] | undefined, size: Size): Size {
  const [, width, height] = /^(\d*)x(\d*)/.exec(String(geometry)) ?? [];
  return { width: Number(width) || size.width, height: Number(height) || size.height };
}

function within(size: Size, geometry: Parameters[string] | undefined): Size {
  if (geometry === undefined) return size;
  const box = readBox(geometry, size);
  return { width: Math.min(size.width, box.width), height: Math.min(size.height, box.height) };
}

function resize(size: Size, geometry: Parameters[string] | undefined): Size {
  const text = String(geometry ?? '');
  const percent = /^(\d+)%$/.exec(text)?.[1];
  if (percent !== undefined) return scale(size, Number(percent) / 100);
  const [, width, height] = /^(\d*)x(\d*)/.exec(text) ?? [];
  if (!width && !height) return size;
  if (text.endsWith('!')) return readBox(text, size);
  const factors = [width, height].flatMap((side, index) => (side ? [Number(side) / (index === 0 ? size.width : size.height)] : []));
  const factor = text.endsWith('^') ? Math.max(...factors) : Math.min(...factors);
  if ((text.endsWith('>') && factor > 1) || (text.endsWith('<') && factor < 1)) return size;
  return scale(size, factor);
}

const scale = ({ width, height }: Size, factor: number): Size => ({
  width: Math.max(1, Math.round(width * factor)),
  height: Math.max(1, Math.round(height * factor)),
});
