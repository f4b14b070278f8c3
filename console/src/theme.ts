import { type AlertProps, createTheme, type MantineThemeOverride } from '@mantine/core';
import type { Language } from './language';

const CLOSE: Readonly<Record<Language, string>> = { en: 'Close', de: 'Schließen' };

/** Colours with which text and controls have the contrast of WCAG 2.2 AA in both schemes, and names of the buttons that Mantine adds. */
export function themeIn(language: Language): MantineThemeOverride {
  const defaultProps = { closeButtonProps: { 'aria-label': CLOSE[language] } };
  return createTheme({
    primaryColor: 'indigo',
    primaryShade: 8,
    autoContrast: true,
    defaultRadius: 'md',
    fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
    cursorType: 'pointer',
    respectReducedMotion: true,
    components: {
      // The title of a yellow alert is orange, which is too light.
      Alert: {
        styles: (_: unknown, { color }: AlertProps) => (color === 'yellow' ? { title: { color: 'var(--mantine-color-text)' } } : {}),
      },
      Drawer: { defaultProps },
      Modal: { defaultProps },
      Notification: { defaultProps },
    },
  });
}
