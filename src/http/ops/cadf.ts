import { randomUUID } from 'node:crypto'
import { ownValue } from '../../kernel/records.ts'
import type { CommitRecorder } from '../../store/sequencer/batch-decider.ts'
import type { SequencerObserver } from '../../store/sequencer/observer.ts'
import type { Change } from '../../world/change.ts'
import { type Caller, callerContext } from '../request/caller-context.ts'
import { listGenerations } from './audit.ts'

const EVENT_TYPE = 'http://schemas.dmtf.org/cloud/audit/1.0/event'

/** The CADF action of each HTTP method. */
const ACTIONS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
}

/** An event as pycadf and keystonemiddleware write it. */
export type CadfEvent = Readonly<Record<string, unknown>>

interface Done {
  readonly kind: string
  readonly change: Change
  readonly revision: number
}

function makeEvent(caller: Caller, { kind, change, revision }: Done, nowMs: number): CadfEvent {
  const { userId, projectId, roles, names } = caller.credentials
  return {
    typeURI: EVENT_TYPE,
    id: randomUUID(),
    eventType: 'activity',
    // pycadf has microseconds, and the offset without a colon.
    eventTime: new Date(nowMs).toISOString().replace('Z', '000+0000'),
    action: ownValue(ACTIONS, caller.method) ?? 'unknown',
    outcome: 'success',
    initiator: {
      typeURI: 'service/security/account/user',
      id: userId,
      name: names?.user ?? userId,
      project_id: projectId,
      host: { address: caller.address },
      credential: { token: '***', identity_status: 'Confirmed', roles },
    },
    target: {
      typeURI: `service/${caller.service}${routePath(caller)}`,
      id: caller.path,
      name: caller.service,
    },
    // The service itself is the target: CADF allows nothing beside the reference.
    observer: { id: 'target' },
    reason: { policyType: 'oslo.policy', policyId: caller.operation ?? 'none' },
    requestPath: caller.path,
    tags: [`correlation_id?value=${caller.requestId}`],
    attachments: [
      {
        typeURI: 'application/json',
        name: 'change',
        content: {
          command: kind,
          revision,
          rows: change.ops.length,
          generations: listGenerations(change.ops),
        },
      },
    ],
  }
}

/** The first part of the path that is not an id, such as `/resource_providers`: the type of the target. */
function routePath({ path, service }: Caller): string {
  const parts = path.split('/').filter(part => part !== '' && part !== service && !/^v\d/.test(part))
  return parts[0] === undefined ? '' : `/${parts[0]}`
}

/**
 * Makes an event of each change that the audit log would record, and passes it on once the change is durable. A command may
 * be decided more than once: only the stored change becomes an event.
 */
export class CadfEvents implements CommitRecorder, SequencerObserver {
  readonly #log: CommitRecorder | undefined
  readonly #emit: (event: CadfEvent) => void
  readonly #pending = new WeakMap<
    Change,
    { readonly caller: Caller; readonly done: Done; readonly nowMs: number }
  >()

  /** `log` writes the audit log, if that is on. */
  constructor(log: CommitRecorder | undefined, emit: (event: CadfEvent) => void) {
    this.#log = log
    this.#emit = emit
  }

  seen(): Caller | null {
    return callerContext.getStore() ?? null
  }

  record(seen: unknown, done: Done, nowMs: number) {
    const caller = seen as Caller | null
    if (caller !== null) this.#pending.set(done.change, { caller, done, nowMs })
    return this.#log?.record(seen, done, nowMs) ?? []
  }

  applied({ change }: { readonly change: Change }): void {
    const found = this.#pending.get(change)
    if (found === undefined) return
    this.#pending.delete(change)
    this.#emit(makeEvent(found.caller, found.done, found.nowMs))
  }
}
