const BYTES = 32

/** Never begins with a hyphen, which command lines take for the next option. */
export function generateSecret(): string {
  for (;;) {
    const bytes = String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES)))
    const text = btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
    if (!text.startsWith('-')) return text
  }
}

/** Browsers hash on HTTPS pages and on this machine only. */
export const canHash = (): boolean => globalThis.crypto?.subtle !== undefined

/** In hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
}
