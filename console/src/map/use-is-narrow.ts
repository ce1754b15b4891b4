import { useSyncExternalStore } from 'react'

/** As in the style sheets. */
const narrow = matchMedia('(max-width: 40rem)')

const subscribe = (listener: () => void): (() => void) => {
  narrow.addEventListener('change', listener)
  return () => narrow.removeEventListener('change', listener)
}

/** The window is that of a phone. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, () => narrow.matches)
