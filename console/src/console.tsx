import { Container, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { type ReactNode, StrictMode, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Failure } from './elements/page-states';
import { initialLanguage, LanguageContext, storeLanguage } from './language';
import { queryClient } from './query-client';
import { router } from './router';
import { themeIn } from './theme';

/** The nonce of this response, which styles that scripts insert must have. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
setNonce(nonce);

/** Language, theme and colour scheme. */
function Appearance({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(initialLanguage);
  const context = useMemo(() => {
    document.documentElement.lang = language;
    return {
      language,
      choose: (chosen: typeof language) => {
        storeLanguage(chosen);
        setLanguage(chosen);
      },
    };
  }, [language]);
  const theme = useMemo(() => themeIn(language), [language]);
  return (
    <LanguageContext value={context}>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
        {children}
      </MantineProvider>
    </LanguageContext>
  );
}

function render(page: ReactNode): void {
  createRoot(document.getElementById('root') as HTMLElement).render(
    <StrictMode>
      <Appearance>{page}</Appearance>
    </StrictMode>,
  );
}

/** Shows the page of the address. The session must have started. */
export const show = (): void =>
  render(
    <>
      <Notifications position="bottom-right" />
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </>,
  );

/** Says why the session did not start. */
export const showFailure = (error: unknown): void =>
  render(
    <Container size="xs" py={64}>
      <Failure error={error} onRetry={() => location.reload()} />
    </Container>,
  );
