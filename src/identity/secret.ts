import { randomBytes } from 'node:crypto'

const BYTES = 32

/**
 * Random text for a token or a password. It does not begin with a hyphen, which `--os-token` and other options would
 * take for the next option.
 */
export function newSecret(bytes: (count: number) => Buffer = randomBytes): string {
  for (;;) {
    const text = bytes(BYTES).toString('base64url')
    if (!text.startsWith('-')) return text
  }
}
