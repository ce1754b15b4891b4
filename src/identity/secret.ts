import { randomBytes } from 'node:crypto'

const BYTES = 32

/** Never starts with a hyphen, which `--os-token` and other options would take for the next option. */
export function generateSecret(bytes: (count: number) => Buffer = randomBytes): string {
  for (;;) {
    const text = bytes(BYTES).toString('base64url')
    if (!text.startsWith('-')) return text
  }
}
