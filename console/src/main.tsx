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

/** The word by which the page's policy knows our own styles. */
const nonce = document.querySelector('meta[name=berth-nonce]')?.getAttribute('content') ?? ''
// Read by the part of Mantine that locks the page behind a dialog.
Object.assign(globalThis, { __webpack_nonce__: nonce })

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A refusal is an answer; only a server that does not answer is asked again.
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
