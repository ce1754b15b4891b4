import styles from './shares.module.css'
import type { State, StateKind } from './states.ts'

/** Each kind has its own shape. The word beside it says the same. */
const SHAPES: Readonly<Record<StateKind, React.ReactNode>> = {
  good: (
    <>
      <circle cx="8" cy="8" r="6.500" fill="currentColor" stroke="none" />
      <path d="M5 8.300l2.200 2.200L11.200 6" stroke="var(--panel)" />
    </>
  ),
  busy: (
    <>
      <circle cx="8" cy="8" r="6" />
      <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" stroke="none" />
    </>
  ),
  waits: (
    <path d="M3 2.500h10M3 13.500h10M4.500 2.500c0 3.500 7 7.500 7 11M11.500 2.500c0 3.500-7 7.500-7 11" />
  ),
  bad: (
    <>
      <path d="M8 1.500 15 14H1z" fill="currentColor" stroke="none" />
      <path d="M8 6v4M8 12v.3" stroke="var(--panel)" />
    </>
  ),
  off: <path d="M3 3h10v10H3zM3 13 13 3" />,
}

export function StateMark({ state, inWords = true }: { readonly state: State; readonly inWords?: boolean }) {
  return (
    <span className={styles.state} data-kind={state.kind}>
      <svg
        width="13"
        height="13"
        viewBox="0 0 16 16"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        aria-hidden="true"
      >
        {SHAPES[state.kind]}
      </svg>
      <span className={inWords ? '' : 'hidden'}>{state.word}</span>
    </span>
  )
}
