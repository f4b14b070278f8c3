// Converts pixels from stated colours (stated-colors.cjs) to those of sRGB; pictures of high dynamic range are tone-mapped as films are.

/** Chromaticities of white, red, green and blue by the code points of ITU-T H.273, table 2. */
const D65 = [0.3127, 0.329];
const C = [0.31, 0.316];
const PRIMARIES = {
  1: [...D65, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06],
  4: [...C, 0.67, 0.33, 0.21, 0.71, 0.14, 0.08],
  5: [...D65, 0.64, 0.33, 0.29, 0.6, 0.15, 0.06],
  6: [...D65, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07],
  7: [...D65, 0.63, 0.34, 0.31, 0.595, 0.155, 0.07],
  8: [...C, 0.681, 0.319, 0.243, 0.692, 0.145, 0.049],
  9: [...D65, 0.708, 0.292, 0.17, 0.797, 0.131, 0.046],
  10: [1 / 3, 1 / 3, 1, 0, 0, 1, 0, 0],
  11: [0.314, 0.351, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
  12: [...D65, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06],
  22: [...D65, 0.63, 0.34, 0.295, 0.605, 0.155, 0.077],
};
const [PQ, HLG, LINEAR, CINEMA] = [16, 18, 8, 17];
const GAMMAS = { 4: 2.2, 5: 2.8 };
/** The light that becomes white, in units of 100 cd/m², the white of standard dynamic range. ffmpeg takes the same for films of both kinds. */
const PEAK = 10;
/** From light of the scene to that of a screen of 1,000 cd/m² (ITU-R BT.2100, table 5), for each colour as ffmpeg's filter `zscale` does. */
const SYSTEM_GAMMA = 1.2;
/** Fine enough for the darkest of 255 steps. */
const STEPS = 65_535;
/** How white of one kind is adapted to that of another (Bradford). */
const CONES = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];

const times = (one, other) => one.map((row) => other[0].map((_, column) => row.reduce((sum, part, k) => sum + part * other[k][column], 0)));
const diagonal = (values) => values.map((value, row) => values.map((_, column) => (row === column ? value : 0)));
const apply = (matrix, values) => matrix.map((row) => row.reduce((sum, part, k) => sum + part * values[k], 0));

function inverse([[a, b, c], [d, e, f], [g, h, i]]) {
  const [x, y, z] = [e * i - f * h, f * g - d * i, d * h - e * g];
  const determinant = a * x + b * y + c * z;
  const adjugate = [
    [x, c * h - b * i, b * f - c * e],
    [y, a * i - c * g, c * d - a * f],
    [z, b * g - a * h, a * e - b * d],
  ];
  return adjugate.map((row) => row.map((part) => part / determinant));
}

/** CIE XYZ of a chromaticity. Of its brightness only the relation counts. */
const xyzOf = (x, y) => (y === 0 ? [x, 0, 1 - x] : [x / y, 1, (1 - x - y) / y]);

/** The matrix from linear red, green and blue to CIE XYZ under D65 (SMPTE RP 177, with adapted white). */
function toXyz([wx, wy, rx, ry, gx, gy, bx, by]) {
  const white = xyzOf(wx, wy);
  const corners = [xyzOf(rx, ry), xyzOf(gx, gy), xyzOf(bx, by)];
  const columns = [0, 1, 2].map((row) => corners.map((corner) => corner[row]));
  const matrix = times(columns, diagonal(apply(inverse(columns), white)));
  const [from, to] = [apply(CONES, white), apply(CONES, xyzOf(...D65))];
  return times(times(times(inverse(CONES), diagonal(to.map((part, k) => part / from[k]))), CONES), matrix);
}

/** Light from 0 to 1, for PQ and HLG in units of 100 cd/m², by the stored value from 0 to 1. */
function lightOf(transfer) {
  if (transfer === PQ) return decodePq;
  if (transfer === HLG) return decodeHlg;
  if (transfer === LINEAR) return (value) => value;
  if (transfer === CINEMA) return (value) => (52.37 / 48) * value ** 2.6;
  const exponent = transfer.gamma ?? GAMMAS[transfer];
  if (exponent !== undefined) return (value) => value ** exponent;
  return (value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
}

/** SMPTE ST 2084, in units of 100 cd/m². */
function decodePq(value) {
  const power = value ** (32 / 2_523);
  return 100 * (Math.max(0, power - 0.8359375) / (18.8515625 - 18.6875 * power)) ** (8_192 / 1_305);
}

/** ARIB STD-B67, in units of 100 cd/m². */
function decodeHlg(value) {
  const scene = value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  return PEAK * scene ** SYSTEM_GAMMA;
}

/** The curve of the filter `tonemap=hable` of ffmpeg, which maps films. */
const hable = (light) => (light * (light * 0.15 + 0.05) + 0.004) / (light * (light * 0.15 + 0.5) + 0.06) - 0.02 / 0.3;

const encodeSrgb = (light) => (light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055);
/** The curve of screens for films (ITU-R BT.1886), which ffmpeg's filter `zscale` applies, so that films and photos look alike. */
const encodeFilm = (light) => light ** (1 / 2.4);

const tableOf = (max, value) => Float64Array.from({ length: max + 1 }, (_, index) => value(index / max));

/**
 * Converts red, green and blue, of 8 or 16 bits, and keeps further channels. `deep`: the result has 16 bits, else 8. The loop creates no objects: a
 * photo has 24 million pixels.
 */
function toStandardColors(pixels, { channels, colors, deep }) {
  const { primaries, transfer } = colors;
  const max = pixels.BYTES_PER_ELEMENT === 2 ? 65_535 : 255;
  const top = deep ? 65_535 : 255;
  const light = tableOf(max, lightOf(transfer));
  const isHdr = transfer === HLG || transfer === PQ;
  const codes = tableOf(STEPS, isHdr ? encodeFilm : encodeSrgb).map((code) => Math.round(top * code));
  const from = toXyz(Array.isArray(primaries) ? primaries : (PRIMARIES[primaries] ?? PRIMARIES[1]));
  const [[m0, m1, m2], [m3, m4, m5], [m6, m7, m8]] = times(inverse(toXyz(PRIMARIES[1])), from);
  const white = hable(PEAK);
  const result = new (deep ? Uint16Array : Uint8Array)(pixels.length);
  for (let at = 0; at < pixels.length; at += channels) {
    const red = light[pixels[at]];
    const green = light[pixels[at + 1]];
    const blue = light[pixels[at + 2]];
    const r = m0 * red + m1 * green + m2 * blue;
    const g = m3 * red + m4 * green + m5 * blue;
    const b = m6 * red + m7 * green + m8 * blue;
    const brightest = Math.max(r, g, b, 1e-6);
    const factor = STEPS * (isHdr ? hable(brightest) / white / brightest : 1);
    result[at] = codes[Math.min(STEPS, Math.max(0, factor * r + 0.5)) | 0];
    result[at + 1] = codes[Math.min(STEPS, Math.max(0, factor * g + 0.5)) | 0];
    result[at + 2] = codes[Math.min(STEPS, Math.max(0, factor * b + 0.5)) | 0];
    for (let more = 3; more < channels; more += 1) result[at + more] = Math.round((pixels[at + more] * top) / max);
  }
  return result;
}

module.exports = { toStandardColors };
