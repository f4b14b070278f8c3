import { createTheme } from '@mantine/core';

/** Colours with which text and controls have the contrast of WCAG 2.2 AA in both schemes. */
export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 8,
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  cursorType: 'pointer',
});
