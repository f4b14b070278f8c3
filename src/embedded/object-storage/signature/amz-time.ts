const PATTERN = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** Whether a text is a time as signatures write it: 20261120T124400Z. */
export const isAmzTime = (text: string): boolean => !Number.isNaN(amzTime(text));

/** Milliseconds since 1970; NaN for another text. */
export const amzTime = (text: string): number =>
  PATTERN.test(text) ? Date.parse(text.replace(PATTERN, '$1-$2-$3T$4:$5:$6Z')) : Number.NaN;

export const toAmzTime = (date: Date): string => date.toISOString().replace(/[-:]|\.\d+/g, '');
