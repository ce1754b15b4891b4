import { setTimeout as sleep } from 'node:timers/promises'
import type { Driver, DriverParts, Exported, ShareLocation } from './driver.ts'

type Deed =
  | 'create'
  | 'remove'
  | 'resize'
  | 'snapshot'
  | 'drop-snapshot'
  | 'copy'
  | 'finish'
  | 'drop-copy'
  | 'drop-source'
  | 'access'

/**
 * For tests and demos: only delays and failures. Settings: `delay_s` for everything, `delays_s` by operation, `fail` by
 * operation with its error text.
 */
export function makeSimulatedDriver({ backend, settings }: DriverParts): Driver {
  const delays = settings.delays_s as Partial<Record<Deed, number>> | undefined
  const failures = settings.fail as Partial<Record<Deed, string>> | undefined
  const pass = async (deed: Deed, signal: AbortSignal): Promise<void> => {
    const delay = delays?.[deed] ?? (settings.delay_s as number | undefined) ?? 0
    if (delay > 0) await sleep(delay * 1000, undefined, { signal })
    const failure = failures?.[deed]
    if (failure !== undefined) throw new Error(failure)
  }
  const makeExport = ({ pool, share }: ShareLocation): Exported => ({
    exportPath: `${backend.replace('@', '.')}:/${pool}/${share}`,
  })
  const driver: Driver = {
    kind: 'simulated',
    adopt: async () => driver,
    async create(request, signal) {
      await pass('create', signal)
      return makeExport(request)
    },
    remove: (_place, signal) => pass('remove', signal),
    resize: (_request, signal) => pass('resize', signal),
    snapshot: (_request, signal) => pass('snapshot', signal),
    dropSnapshot: (_request, signal) => pass('drop-snapshot', signal),
    async copy(request, signal) {
      await pass('copy', signal)
      return makeExport(request)
    },
    async finish(request, signal) {
      await pass('finish', signal)
      return makeExport(request)
    },
    dropCopy: (_place, signal) => pass('drop-copy', signal),
    dropSource: (_place, signal) => pass('drop-source', signal),
    findAccessFault: () => null,
    updateAccess: (_list, signal) => pass('access', signal),
  }
  return driver
}
