import { ValidateBy } from 'class-validator';
import { presupposes } from './validation/index.js';

/** The CSS colour names, which both ffmpeg and ImageMagick support (CSS Color Module Level 4, section 6.1). */
const NAMES = new Set(
  `aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood cadetblue chartreuse
  chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod darkgray darkgreen darkkhaki darkmagenta
  darkolivegreen darkorange darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkturquoise darkviolet deeppink
  deepskyblue dimgray dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow
  honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
  lightgoldenrodyellow lightgreen lightpink lightsalmon lightseagreen lightskyblue lightslategray lightsteelblue lightyellow lime
  limegreen linen magenta maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen
  mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive olivedrab orange orangered
  orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple red rosybrown
  royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue slateblue slategray snow springgreen steelblue tan
  teal thistle tomato turquoise violet wheat white whitesmoke yellow yellowgreen`.split(/\s+/),
);
const HEX = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/;
const OPACITY = /^(0|1|0?\.\d{1,3}|1\.0{1,3}|0\.\d{1,3})$/;

/** A colour in lower case: a name, or six hexadecimal digits; and its opacity from 0 to 1. */
export interface Color {
  readonly name: string | null;
  readonly hex: string | null;
  readonly opacity: number;
}

/** Parses `red`, `#f00`, `#ff0000`, `#ff000080`, each optionally followed by an opacity (`red@0.5`). Null if the text is not a colour. */
export function parseColor(text: string): Color | null {
  const [color = '', opacity, ...more] = text.toLowerCase().split('@');
  if (more.length > 0 || (opacity !== undefined && !OPACITY.test(opacity))) return null;
  if (NAMES.has(color)) return { name: color, hex: null, opacity: Number(opacity ?? 1) };
  const digits = HEX.exec(color)?.[1];
  if (digits === undefined) return null;
  const full = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits;
  const own = full.length === 8 ? Number.parseInt(full.slice(6), 16) / 255 : 1;
  return { name: null, hex: full.slice(0, 6), opacity: Number(opacity ?? own) };
}

/** Whether `parseColor` accepts the text. */
export const isColor = (text: string): boolean => parseColor(text) !== null;

/** Validates that a text is accepted by `parseColor`. */
export const IsColor = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isColor',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isColor(value),
        defaultMessage: () => '$property must be a colour: a name (white), #rrggbb, or one of them with an opacity (black@0.5)',
      },
    },
    presupposes('text'),
  );
