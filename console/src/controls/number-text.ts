import { useState } from 'react'

/**
 * For number fields whose value is kept elsewhere, with a default: keeps what is typed, also an empty field,
 * so that the default does not come back under the cursor.
 */
export function useNumberText(kept: string, keep: (text: string) => void) {
  const [typed, setTyped] = useState<string | null>(null)
  return {
    value: shownText(kept, typed),
    onChange: (value: string | number) => {
      setTyped(String(value))
      keep(String(value))
    },
    onBlur: () => setTyped(null),
  }
}

/** An empty field stays empty while it has the focus; otherwise it shows the stored value. */
export const shownText = (kept: string, typed: string | null): string => (typed === '' ? '' : kept)
