import { useCallback, useEffect, useState } from 'react'

/**
 * What is looked for; null while nothing is. The code of the finder comes when it is first asked for, and until its field
 * has the focus, keys go to the page: they are kept here, so that none is lost and none counts as a shortcut.
 */
export function useWanted() {
  const [wanted, setWanted] = useState<string | null>(null)
  const isFinding = wanted !== null
  useEffect(() => {
    if (!isFinding) return
    const onKey = (event: KeyboardEvent) => {
      const { key, target } = event
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (target instanceof Element && target.closest('[role=dialog]') !== null) return
      const change = textAfter(key)
      if (change === null) return
      event.preventDefault()
      event.stopPropagation()
      setWanted(change)
    }
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [isFinding])
  const find = useCallback(() => setWanted(now => now ?? ''), [])
  return { wanted, setWanted, find }
}

/** What a key makes of the text; null if it is not for the text. */
function textAfter(key: string): ((now: string | null) => string | null) | null {
  if (key === 'Escape') return () => null
  if (key === 'Backspace') return now => (now ?? '').slice(0, -1)
  return key.length === 1 ? now => (now ?? '') + key : null
}
