import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { useSession } from '../session/session.tsx'
import { allDestinations, isOffered } from './destinations.ts'

/** How long after g the second key may come. */
const CHORD_MS = 1_200

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
    target.closest('[role=dialog]') !== null)

/** `/` or Ctrl-K finds, `?` helps, `g` and a letter goes to a view. */
export function useShortcuts({ find, help }: { readonly find: () => void; readonly help: () => void }): void {
  const [, navigate] = useLocation()
  const session = useSession()
  const chordAt = useRef(Number.NEGATIVE_INFINITY)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        return find()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.timeStamp - chordAt.current < CHORD_MS) {
        chordAt.current = Number.NEGATIVE_INFINITY
        const destination = allDestinations.find(one => one.key === event.key && isOffered(one, session))
        if (destination !== undefined) navigate(destination.to)
      } else if (event.key === 'g') chordAt.current = event.timeStamp
      else if (event.key === '/') {
        event.preventDefault()
        find()
      } else if (event.key === '?') help()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [find, help, navigate, session])
}
