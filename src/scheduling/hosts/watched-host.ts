import { assert } from '../../kernel/assert.ts'
import { CHANGED_BY_CLAIMS } from './host-view.ts'
import { WorldHost } from './world-host.ts'

/** Records whether a filter read a part of the host that a further claim changes. */
export class WatchedHost extends WorldHost {
  readsUsage = false
}

for (const [member, isChanged] of Object.entries(CHANGED_BY_CLAIMS)) if (isChanged) watch(member)

/** The same member, which records that it was read. */
function watch(member: string): void {
  const plain = Object.getOwnPropertyDescriptor(WorldHost.prototype, member)
  assert(plain !== undefined, () => `WorldHost has ${member}`)
  const read: (this: WatchedHost, ...args: unknown[]) => unknown = plain.get ?? plain.value
  function noting(this: WatchedHost, ...args: unknown[]): unknown {
    this.readsUsage = true
    return read.call(this, ...args)
  }
  Object.defineProperty(
    WatchedHost.prototype,
    member,
    plain.get === undefined ? { value: noting } : { get: noting },
  )
}
