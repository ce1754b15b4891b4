import type { DecisionRow, DecisionSummary } from '../../scheduling/decisions/rows.ts'
import { reasonText } from '../../scheduling/framework/refusal-text.ts'
import type { ScheduleOrder, ScheduleRefusal } from '../../scheduling/hosts/place-servers.ts'
import type { RebuildCommand, RebuildRefusal } from '../../scheduling/hosts/rebuild.ts'
import { refused } from '../../shares/errors.ts'
import type { ShareRefusal } from '../../shares/refusals.ts'
import type { KeptMove, KeptShare, ShareSummary } from '../../shares/share/decisions.rows.ts'
import type { World } from '../../world/world.ts'
import { rebuildProblem, scheduleProblem } from './schedule-answers.ts'

/** What a decision was asked, of all that its request holds, for people. */
interface DecisionAsk {
  /** The servers, or the share. */
  readonly instances: readonly string[]
  /** The flavor or the share type. */
  readonly flavor: string | null
  readonly zone: string | null
  /** The only host or pool that would do, or the one that was named. */
  readonly host: string | null
  readonly server_group: string | null
  /** Without those that say nothing. */
  readonly hints: Readonly<Record<string, unknown>>
  readonly gigabytes: number | null
}

const NOTHING: Omit<DecisionAsk, 'instances'> = {
  flavor: null,
  zone: null,
  host: null,
  server_group: null,
  hints: {},
  gigabytes: null,
}

export function askedOf(world: World, { kind, request }: DecisionRow): DecisionAsk {
  const kept = JSON.parse(request) as unknown
  switch (kind) {
    case 'rebuild':
      return { ...NOTHING, instances: [(kept as RebuildCommand).instance] }
    case 'share': {
      const { uuid, type, zone, onlyHost, hints, size } = kept as KeptShare
      return {
        ...NOTHING,
        instances: [uuid],
        flavor: typeName(world, type),
        zone,
        host: onlyHost,
        hints: spoken({ ...hints }),
        gigabytes: size,
      }
    }
    case 'share-move': {
      const { share, target, newType } = kept as KeptMove
      return {
        ...NOTHING,
        instances: [share],
        flavor: newType === null ? null : typeName(world, newType),
        host: target,
      }
    }
    default: {
      const { ask } = kept as ScheduleOrder
      const { flavor, zone, hints, groups } = ask.spec
      return {
        ...NOTHING,
        instances: ask.instances,
        flavor: groups === null && flavor.name !== '' ? flavor.name : null,
        zone,
        host: ask.host === null ? null : hostName(world, ask.host),
        server_group: ask.group,
        hints: spoken({ ...hints }),
      }
    }
  }
}

/** Of a type that is gone, its uuid. */
const typeName = (world: World, uuid: string): string => world.shares.types.find(uuid)?.name ?? uuid

/** Of a host that is gone, its uuid. */
function hostName(world: World, uuid: string): string {
  const slot = world.providers.find(uuid)
  return slot === undefined ? uuid : world.providers.name(slot)
}

const spoken = (hints: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(hints).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  )

/** Why it was refused, in words; null where it was not. */
export const reasonOf = ({ kind, summary }: DecisionRow): string | null =>
  refusalWords(kind, JSON.parse(summary) as DecisionSummary)

export function refusalWords(
  kind: DecisionRow['kind'],
  { refusal, choice }: Pick<DecisionSummary, 'refusal' | 'choice'>,
): string | null {
  if (refusal === null) return null
  if (kind === 'share' || kind === 'share-move') return shareReason(refusal as ShareDecisionRefusal)
  if (kind === 'rebuild') return rebuildProblem(refusal as RebuildRefusal, '').message
  return scheduleProblem({ ...refusal, choice } as ScheduleRefusal, null).message
}

/** One that is decided again can also be refused as a request. */
type ShareDecisionRefusal = NonNullable<ShareSummary['refusal']> | ShareRefusal

function shareReason(refusal: ShareDecisionRefusal): string {
  if (refusal.kind === 'not-moved') return refusal.text
  if (refusal.kind === 'no-pool') return `${refusal.filter}: ${reasonText(refusal.reason)}`
  return refused(refusal).message
}
