import { encode } from 'uqr';

/** Modules of white around the code, which readers need (ISO/IEC 18004, 4 modules). */
const QUIET = 4;

/** A QR code of a text, black on white in both colour schemes, so that every reader recognises it. `label` says what it leads to. */
export function QrCode({ text, label, size = 160 }: { text: string; label: string; size?: number }) {
  const { data, size: modules } = encode(text, { border: QUIET });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg role="img" aria-label={label} width={size} height={size} viewBox={`0 0 ${modules} ${modules}`} shapeRendering="crispEdges">
      <rect width={modules} height={modules} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
}
