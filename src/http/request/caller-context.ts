import { AsyncLocalStorage } from 'node:async_hooks'
import type { Credentials } from '../api.ts'

/** Who asks for what, while a request that may change something is at work. */
export interface Caller {
  readonly credentials: Credentials
  readonly requestId: string
  readonly service: string
  readonly operation: string | null
  readonly method: string
  /** Without the query, where secrets may have been written by mistake. */
  readonly path: string
}

/** Carried along so that no command has to say who asked for it, and none can forget. */
export const callerContext = new AsyncLocalStorage<Caller>()

export const pathOf = (url: string): string => (url.split('?', 1)[0] as string).slice(0, PATH_CHARS_MAX)

const PATH_CHARS_MAX = 1024
