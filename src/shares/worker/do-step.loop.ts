import { setTimeout as sleep } from 'node:timers/promises'
import type { RefusedRule } from '../access/access-steps.ts'
import {
  type Driver,
  type Leftover,
  type ShareAccess,
  type ShareLocation,
  TooSmall,
} from '../drivers/driver.ts'
import type { Work } from './leases.ts'
import type { StepResult } from './results.ts'

interface Tools {
  readonly driver: Driver
  /** Of the back end that a copy comes from. */
  readonly driverOf: (backend: string) => Driver
  /** The access rules in force on the back end, at the moment of the call. */
  readonly listAccess: () => Iterable<ShareAccess>
  readonly signal: AbortSignal
}

const TRIES_MAX = 3
const PAUSE_MS = 500

const DONE: StepResult = { ok: true }

/** Does one step with the driver of its back end. Throws the reason of a failure. */
export async function doStep(work: Work, tools: Tools): Promise<StepResult> {
  const { driver, signal } = tools
  const { kind, share, pool, facts } = work
  const place: ShareLocation = { pool, share }
  switch (kind) {
    case 'create':
      return create(work, tools)
    case 'delete':
      if (facts.access === true) await driver.updateAccess(tools.listAccess, signal)
      await retryOften(signal, () => driver.remove(place, signal))
      return DONE
    case 'resize':
      return resize(place, facts.size ?? 0, tools)
    case 'copy':
      return { ok: true, ...(await driver.copy(copyOf(work, tools), signal)) }
    case 'switch':
      return { ok: true, ...(await driver.finish(copyOf(work, tools), signal)) }
    case 'drop-copy':
      await retryOften(signal, () => driver.dropCopy(makeLeftover(work, tools), signal))
      return DONE
    case 'drop-source':
      if (facts.access === true) await driver.updateAccess(tools.listAccess, signal)
      await retryOften(signal, () => driver.dropSource(makeLeftover(work, tools), signal))
      return DONE
    case 'snapshot':
      await driver.snapshot({ ...place, snapshot: facts.snapshot ?? '' }, signal)
      return DONE
    case 'drop-snapshot':
      await retryOften(signal, () =>
        driver.dropSnapshot({ ...place, snapshot: facts.snapshot ?? '' }, signal),
      )
      return DONE
    case 'access':
      return applyAccess(share, tools)
    default:
      return kind satisfies never
  }
}

/** Applies the other rules even if the driver cannot apply some. */
async function applyAccess(share: string, { driver, listAccess, signal }: Tools): Promise<StepResult> {
  const refused: RefusedRule[] = []
  for (const one of listAccess())
    if (one.share === share)
      for (const rule of one.rules) {
        const error = driver.findAccessFault(rule, one.protocol)
        if (error !== null) refused.push({ rule: rule.id, error })
      }
  await driver.updateAccess(listAccess, signal)
  return { ok: true, refused }
}

/** Cleans up after a failed creation, if the driver can. */
async function create({ share, pool, facts }: Work, { driver, signal }: Tools): Promise<StepResult> {
  const { from, snapshot } = facts
  const origin =
    from === undefined || snapshot === undefined ? null : { pool: from.pool, share: from.share, snapshot }
  try {
    return {
      ok: true,
      ...(await driver.create({ pool, share, sizeGb: facts.size ?? 0, from: origin }, signal)),
    }
  } catch (error) {
    if (signal.aborted) throw error
    const isGone = await driver.remove({ pool, share }, signal).then(
      () => true,
      () => false,
    )
    return { ok: false, error: (error as Error).message, isHalfMade: !isGone }
  }
}

async function resize(place: ShareLocation, sizeGb: number, { driver, signal }: Tools): Promise<StepResult> {
  try {
    await driver.resize({ ...place, sizeGb }, signal)
    return DONE
  } catch (error) {
    if (!(error instanceof TooSmall)) throw error
    return { ok: false, error: error.message, isRefusal: true }
  }
}

function copyOf({ share, pool, facts }: Work, { driverOf }: Tools) {
  const from = facts.from as NonNullable<typeof facts.from>
  return {
    pool,
    share,
    sizeGb: facts.size ?? 0,
    snapshots: facts.snapshots ?? [],
    otherSnapshots: facts.otherSnapshots ?? [],
    source: { pool: from.pool, share: from.share, driver: driverOf(from.backend) },
  }
}

const makeLeftover = ({ share, pool, keeps }: Work, { driverOf }: Tools): Leftover => ({
  pool,
  share,
  keeps: keeps.map(({ backend, ...place }) => ({ ...place, driver: driverOf(backend) })),
})

/** Cleanup is retried. */
async function retryOften(signal: AbortSignal, deed: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await deed()
      return
    } catch (error) {
      if (tries >= TRIES_MAX || signal.aborted) throw error
      await sleep(PAUSE_MS, undefined, { signal })
    }
}
