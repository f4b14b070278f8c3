import { createContext, useContext } from 'react';

export type Language = 'en' | 'de';

const STORED = 'console:language';

/** The language that the person chose in Settings, else the first one of the browser that the console speaks. */
export function initialLanguage(): Language {
  const wanted = [localStorage.getItem(STORED), ...navigator.languages].map((tag) => tag?.slice(0, 2));
  return wanted.find((tag) => tag === 'de' || tag === 'en') === 'de' ? 'de' : 'en';
}

export const storeLanguage = (language: Language): void => localStorage.setItem(STORED, language);

export const LanguageContext = createContext<{ language: Language; choose: (language: Language) => void }>({
  language: 'en',
  choose: () => {},
});

export const useLanguage = (): Language => useContext(LanguageContext).language;

/** A hook that returns the messages of a page in the language of the person. German has the keys and functions of English. */
export const messages =
  <Messages extends object>(byLanguage: { readonly en: Messages; readonly de: Messages }) =>
  (): Messages =>
    byLanguage[useLanguage()];

/** Formats of numbers, dates and sizes in the language of the person. */
export function useFormats() {
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const size = (bytes: number): string => {
    const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
    const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
    const options = {
      style: 'unit',
      unit: units[power],
      unitDisplay: power === 0 ? 'long' : 'short',
      maximumFractionDigits: power === 0 ? 0 : 1,
    } as const;
    return new Intl.NumberFormat(language, options).format(bytes / 1_000 ** power);
  };
  /** `1:02:03` or `2:03`. */
  const duration = (seconds: number): string => {
    const whole = Math.round(seconds);
    const [hours, minutes, rest] = [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60];
    const two = (value: number) => String(value).padStart(2, '0');
    return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
  };
  const date = (time: string | Date): string => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(time));
  const dateTime = (time: string | Date): string =>
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(time));
  const list = (items: readonly string[]): string => new Intl.ListFormat(language).format(items);
  return { number: (value: number) => number.format(value), size, duration, date, dateTime, list };
}
