import { useState } from 'react'
import { Failure } from '../api/http.ts'

interface Versioned<T> {
  readonly generation: number
  readonly value: T
}

/** How one part of a provider is read, written and merged with concurrent changes. */
interface Part<T> {
  read(): Promise<Versioned<T>>
  write(generation: number, value: T): Promise<unknown>
  reapply(base: T, theirs: T, mine: T): T
}

export interface Edit<T> {
  /** Null: not editing. */
  readonly draft: T | null
  readonly base: Versioned<T> | null
  /** The value that someone else has stored since. */
  readonly theirs: Versioned<T> | null
  readonly error: unknown
  readonly isBusy: boolean
  begin(): Promise<void>
  set(draft: T): void
  save(): Promise<void>
  reapply(): Promise<void>
  cancel(): void
}

interface State<T> {
  readonly draft: T | null
  readonly base: Versioned<T> | null
  readonly theirs: Versioned<T> | null
  readonly error: unknown
  readonly isBusy: boolean
}

/** Reads again when editing begins, writes with that generation, and shows the conflict if it is refused. */
export function useEdit<T>(part: Part<T>): Edit<T> {
  const idle: State<T> = { draft: null, base: null, theirs: null, error: null, isBusy: false }
  const [state, setState] = useState<State<T>>(idle)
  const attempt = async (work: () => Promise<Partial<State<T>>>) => {
    setState(before => ({ ...before, isBusy: true, error: null }))
    try {
      const done = await work()
      setState(before => ({ ...before, ...done, isBusy: false }))
    } catch (error) {
      setState(before => ({ ...before, error, isBusy: false }))
    }
  }
  const write = async (generation: number, value: T): Promise<Partial<State<T>>> => {
    try {
      await part.write(generation, value)
      return idle
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'placement.concurrent_update') throw error
      return { theirs: await part.read() }
    }
  }
  return {
    ...state,
    begin: () =>
      attempt(async () => {
        const base = await part.read()
        return { base, draft: base.value, theirs: null }
      }),
    set: draft => setState(before => ({ ...before, draft })),
    save: () => attempt(() => write(state.base?.generation as number, state.draft as T)),
    reapply: () =>
      attempt(async () => {
        const theirs = state.theirs as Versioned<T>
        const merged = part.reapply((state.base as Versioned<T>).value, theirs.value, state.draft as T)
        setState(before => ({ ...before, base: theirs, draft: merged, theirs: null }))
        return write(theirs.generation, merged)
      }),
    cancel: () => setState(idle),
  }
}
