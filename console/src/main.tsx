import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './console.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { initialLanguage, LanguageContext, storeLanguage } from './language';
import { queryClient } from './query-client';
import { router } from './router';
import { session } from './session';
import { themeIn } from './theme';

/** The nonce of this response, which styles that scripts insert must have. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
setNonce(nonce);

function Console() {
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
        <Notifications position="bottom-right" />
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </MantineProvider>
    </LanguageContext>
  );
}

// The router reads the address, which has the response of the sign-in until the session has started.
await session();
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Console />
  </StrictMode>,
);
