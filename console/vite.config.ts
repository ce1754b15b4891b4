import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev` finds a server. */
const server = process.env.BERTH_URL ?? 'http://127.0.0.1:8778'
const services = ['/placement', '/compute', '/image', '/share', '/identity', '/v1']

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL('../dist/console', import.meta.url)),
    emptyOutDir: true,
    target: 'es2023',
    // What is inlined as data would need more than the policy of the page allows.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // e2e/pages.e2e.ts counts what the first page takes.
    chunkSizeWarningLimit: 1_000,
  },
  server: { proxy: Object.fromEntries(services.map(path => [path, server])) },
})
