import { type ConsumerSlot, type ProviderSlot, providerSlot } from '../kernel/ids.ts'
import { jsonText } from '../kernel/records.ts'
import { type Finding, isJsonObject, type Report } from '../world/findings.ts'
import type { ShareRow, StepRow } from '../world/shares.ts'
import type { World } from '../world/world.ts'

type ShareFinding = Finding<
  | 'share-type.missing'
  | 'share-backend.missing'
  | 'share-backend.provider-missing'
  | 'share-backend.not-json'
  | 'share.missing'
  | 'share.ledger-wrong'
  | 'share.left-behind'
  | 'share.access-stuck'
>

/** Every row refers to something that exists, and the ledger agrees with the shares. */
export function checkShares(world: World, report: Report<ShareFinding>): void {
  checkTypes(world, report)
  checkBackends(world, report)
  checkParts(world, report)
  for (const share of world.shares.shares.rows()) checkShare(world, share, report)
  checkHolders(world, report)
}

function checkTypes({ shares }: World, report: Report<ShareFinding>): void {
  const check = (what: string, id: number) => {
    if (shares.types.get(id) === undefined)
      report.add({ kind: 'share-type.missing', what: `${what} is of share type ${id}` })
  }
  for (const { type_id, key } of shares.extraSpecs.rows()) check(`extra spec ${key}`, type_id)
  for (const { type_id, project_id } of shares.typeAccess.rows()) check(`access of ${project_id}`, type_id)
  for (const { uuid, type_id } of shares.shares.rows()) check(`share ${uuid}`, type_id)
}

function checkBackends({ shares, providers }: World, report: Report<ShareFinding>): void {
  const json = (what: string, ...texts: string[]) => {
    if (!texts.every(isJsonObject)) report.add({ kind: 'share-backend.not-json', what })
  }
  for (const row of shares.backends.rows()) {
    const what = `back end of provider ${row.provider_id}`
    if (!providers.exists(row.provider_id)) report.add({ kind: 'share-backend.provider-missing', what })
    json(what, row.settings, row.capabilities)
  }
  for (const row of shares.pools.rows()) {
    const what = `pool of provider ${row.provider_id}`
    const isThere = providers.exists(row.provider_id) && shares.backends.get(row.backend_id) !== undefined
    if (!isThere || providers.parentOf(providerSlot(row.provider_id)) !== row.backend_id)
      report.add({ kind: 'share-backend.provider-missing', what })
    json(what, row.capabilities)
  }
  for (const { backend_id } of shares.leases.rows())
    if (shares.backends.get(backend_id) === undefined)
      report.add({ kind: 'share-backend.missing', what: `a lease is of back end ${backend_id}` })
}

function checkParts({ shares }: World, report: Report<ShareFinding>): void {
  const check = (what: string, id: number) => {
    if (shares.shares.get(id) === undefined)
      report.add({ kind: 'share.missing', what: `${what} is of share ${id}` })
  }
  for (const { share_id, key } of shares.metadata.rows()) check(`metadata ${key}`, share_id)
  for (const { share_id, other } of shares.hints.rows()) check(`the hint on ${other}`, share_id)
  for (const { share_id, uuid } of shares.snapshots.rows()) check(`snapshot ${uuid}`, share_id)
  for (const { share_id, uuid, metadata } of shares.accessRules.rows()) {
    const what = `access rule ${uuid}`
    check(what, share_id)
    if (!isJsonObject(metadata)) report.add({ kind: 'share-backend.not-json', what })
  }
  for (const step of shares.steps.rows()) {
    const what = `step ${step.uuid}`
    if (shares.findBackend(step.pool_id) !== step.backend_id)
      report.add({ kind: 'share-backend.missing', what: `${what} is of back end ${step.backend_id}` })
    if (!isJsonObject(step.facts)) report.add({ kind: 'share-backend.not-json', what })
    else checkLeft(step, shares.parseColumn(step.facts), report)
  }
}

const FAILURES_MAX = 4

/** This takes space that is not booked, or gives access that was removed: an operator has to act. */
function checkLeft(
  { kind, share }: StepRow,
  facts: Readonly<Record<string, unknown>>,
  report: Report<ShareFinding>,
): void {
  if (typeof facts.failures !== 'number' || facts.failures <= FAILURES_MAX) return
  const error = jsonText(facts.error)
  report.add(
    kind === 'access'
      ? { kind: 'share.access-stuck', what: `access to share ${share} cannot be changed: ${error}` }
      : {
          kind: 'share.left-behind',
          what: `the old copy of migrated share ${share} cannot be deleted: ${error}`,
        },
  )
}

/** A share holds its size in its pool, and during a move also in the target; nothing else. */
function checkShare(world: World, share: ShareRow, report: Report<ShareFinding>): void {
  const wanted = new Map<number, number>()
  if (share.pool_id !== null) wanted.set(share.pool_id, Math.max(share.size, share.target_size ?? 0))
  if (share.target_pool_id !== null) wanted.set(share.target_pool_id, share.size)
  const slot = world.consumers.find(share.uuid)
  const held = slot === undefined ? [] : world.consumers.holdings(slot)
  const isSame =
    held.length === wanted.size && held.every(({ provider, used }) => wanted.get(provider) === used)
  if (!isSame) {
    const say = (pairs: Iterable<readonly [number, number]>) =>
      [...pairs].map(([pool, gb]) => `${gb} GB in ${pool}`).join(', ') || 'nothing'
    const holds = say(held.map(({ provider, used }) => [provider, used] as const))
    report.add({
      kind: 'share.ledger-wrong',
      what: `share ${share.uuid} is of ${say(wanted)} and holds ${holds}`,
    })
  }
}

/** Only shares have allocations in pools. */
function checkHolders({ shares, consumers }: World, report: Report<ShareFinding>): void {
  for (const { provider_id } of shares.pools.rows())
    for (const slot of consumers.onProvider(provider_id as ProviderSlot)) {
      const { uuid } = consumers.row(slot as ConsumerSlot)
      if (shares.findShare(uuid) === undefined)
        report.add({
          kind: 'share.ledger-wrong',
          what: `consumer ${uuid} of pool ${provider_id} is not a share`,
        })
    }
}
