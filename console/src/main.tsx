import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './mantine.css'
import './styles.css'
import { Failure } from './api/http.ts'
import { App } from './app.tsx'
import { Boundary } from './controls/boundary.tsx'
import { cssVariables, theme } from './theme.ts'

/** The same name is read before anything is painted, by public/color-scheme.js. */
const colorSchemes = localStorageColorSchemeManager({ key: 'berth-color-scheme' })

/** The nonce of our own styles in the content security policy. */
const nonce = document.querySelector('meta[name=berth-nonce]')?.getAttribute('content') ?? ''
// Read by the part of Mantine that locks the page behind a dialog.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Retry only if the server did not answer; a refusal is an answer.
      retry: (count, error) => error instanceof Failure && error.isOffline && count < 3,
    },
  },
})

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemes}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queries}>
        <Boundary at="">
          <App />
        </Boundary>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
