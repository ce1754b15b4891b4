import { AsyncLocalStorage } from 'node:async_hooks'
import type { Credentials } from '../api.ts'

/** The caller of a request that may change something. */
export interface Caller {
  readonly credentials: Credentials
  readonly requestId: string
  readonly service: string
  readonly operation: string | null
  readonly method: string
  /** Where the request came from. */
  readonly address: string
  /** Without the query, which may contain secrets by mistake. */
  readonly path: string
}

/** Carried implicitly, so that no command can forget its caller. */
export const callerContext = new AsyncLocalStorage<Caller>()

export const extractPath = (url: string): string => (url.split('?', 1)[0] as string).slice(0, PATH_CHARS_MAX)

const PATH_CHARS_MAX = 1024
