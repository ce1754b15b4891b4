import type { KeptManilaRequest } from '../../scheduling/decisions/manila.rows.ts'
import type { KeptNovaRequest, KeptReason } from '../../scheduling/decisions/nova.rows.ts'
import type {
  KeptClaim,
  KeptClaimRefusal,
  KeptSearch,
  SearchRefusal,
  Unexplained,
} from '../../scheduling/decisions/refused.rows.ts'
import type { DecisionRow, DecisionSummary } from '../../scheduling/decisions/rows.ts'
import { reasonText } from '../../scheduling/framework/refusal-text.ts'
import type { ScheduleOrder, ScheduleRefusal } from '../../scheduling/hosts/place-servers.ts'
import type { RebuildCommand, RebuildRefusal } from '../../scheduling/hosts/rebuild.ts'
import type { ServerAsk } from '../../scheduling/hosts/server-spec.ts'
import { toApiError } from '../../shares/errors.ts'
import type { ShareRefusal } from '../../shares/refusals.ts'
import type { KeptMove, KeptShare, ShareSummary } from '../../shares/share/decisions.rows.ts'
import type { Explanation } from '../../wire/explanation.ts'
import type { World } from '../../world/world.ts'
import { rebuildProblem, scheduleProblem } from './schedule-answers.ts'

/** The request of a decision, for people. */
interface DecisionAsk {
  /** The servers, or the share. */
  readonly instances: readonly string[]
  /** Their names in the request. */
  readonly names: Readonly<Record<string, string>>
  /** The flavor or the share type. */
  readonly flavor: string | null
  readonly zone: string | null
  /** The only allowed host or pool, or the preferred one. */
  readonly host: string | null
  readonly server_group: string | null
  /** Empty hints are left out. */
  readonly hints: Readonly<Record<string, unknown>>
  /** Properties of the image. */
  readonly image: Readonly<Record<string, unknown>> | null
  readonly volume_backed: boolean
  readonly gigabytes: number | null
  /** For candidates. */
  readonly query: string | null
}

const NOTHING: Omit<DecisionAsk, 'instances'> = {
  names: {},
  flavor: null,
  zone: null,
  host: null,
  server_group: null,
  hints: {},
  image: null,
  volume_backed: false,
  gigabytes: null,
  query: null,
}

export function describeAsk(world: World, { kind, request }: DecisionRow): DecisionAsk {
  const kept = JSON.parse(request) as unknown
  switch (kind) {
    case 'rebuild':
      return { ...NOTHING, instances: [(kept as RebuildCommand).instance] }
    case 'nova-filter': {
      const { instance, flavor, zone, group, hints } = kept as KeptNovaRequest
      return {
        ...NOTHING,
        instances: instance === null ? [] : [instance],
        flavor: flavor.name,
        zone,
        server_group: group?.uuid ?? null,
        hints,
      }
    }
    case 'manila-filter':
    case 'manila-place': {
      const { share, type, zone, hints, size } = kept as KeptManilaRequest
      return {
        ...NOTHING,
        instances: [share],
        flavor: type,
        zone,
        hints: dropEmpty({ ...hints }),
        gigabytes: size,
      }
    }
    case 'candidates':
      return { ...NOTHING, instances: [], query: writeQuery((kept as KeptSearch).query) }
    case 'claim':
      return { ...NOTHING, instances: (kept as KeptClaim).consumers }
    case 'share': {
      const { uuid, type, zone, onlyHost, hints, size } = kept as KeptShare
      return {
        ...NOTHING,
        instances: [uuid],
        flavor: findTypeName(world, type),
        zone,
        host: onlyHost,
        hints: dropEmpty({ ...hints }),
        gigabytes: size,
      }
    }
    case 'share-move': {
      const { share, target, newType } = kept as KeptMove
      return {
        ...NOTHING,
        instances: [share],
        flavor: newType === null ? null : findTypeName(world, newType),
        host: target,
      }
    }
    default:
      return describeServerAsk(world, (kept as ScheduleOrder).ask)
  }
}

function describeServerAsk(world: World, ask: ServerAsk): DecisionAsk {
  const { flavor, zone, hints, groups, image, volume_backed } = ask.spec
  return {
    ...NOTHING,
    instances: ask.instances,
    names: namesOf(ask),
    flavor: groups === null && flavor.name !== '' ? flavor.name : null,
    zone,
    host: ask.host === null ? null : findHostName(world, ask.host),
    server_group: ask.group,
    hints: dropEmpty({ ...hints }),
    image: image === null || Object.keys(image.properties).length === 0 ? null : image.properties,
    volume_backed,
  }
}

const namesOf = ({ instances, names = [] }: ServerAsk): Record<string, string> =>
  Object.fromEntries(names.map((name, nth) => [instances[nth] as string, name] as const))

/** The user, for the kinds of requests that keep it. */
export function findUser({ kind, request }: DecisionRow): string | null {
  const kept = JSON.parse(request) as { readonly user?: string; readonly ask?: { readonly user: string } }
  if (kind === 'candidates' || kind === 'claim' || kind === 'share') return kept.user ?? null
  return kept.ask?.user ?? null
}

/** Undoes percent-encoding that clients add without need, for readability. */
export const writeQuery = (query: string | null): string | null =>
  query?.replaceAll('%3A', ':').replaceAll('%2C', ',').replaceAll('%21', '!') ?? null

/** The uuid if the type was deleted. */
const findTypeName = (world: World, uuid: string): string => world.shares.types.find(uuid)?.name ?? uuid

/** The uuid if the host was deleted. */
function findHostName(world: World, uuid: string): string {
  const slot = world.providers.find(uuid)
  return slot === undefined ? uuid : world.providers.name(slot)
}

const dropEmpty = (hints: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(hints).filter(
      ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
    ),
  )

/** In words; null if it was not refused. */
export const describeNoPlace = ({ kind, summary }: DecisionRow): string | null =>
  renderRefusal(kind, JSON.parse(summary) as DecisionSummary)

export function renderRefusal(
  kind: DecisionRow['kind'],
  { refusal, choice }: Pick<DecisionSummary, 'refusal' | 'choice'>,
): string | null {
  if (refusal === null) return null
  if (kind === 'share' || kind === 'share-move') return describeShareRefusal(refusal as ShareDecisionRefusal)
  if (kind === 'manila-filter' || kind === 'manila-place') return describeNoPool(refusal)
  if (kind === 'candidates') return describeNoCandidates(refusal as SearchRefusal<Explanation>)
  if (kind === 'claim') return (refusal as KeptClaimRefusal).text
  if (kind === 'rebuild') return rebuildProblem(refusal as RebuildRefusal, '').message
  return scheduleProblem({ ...refusal, choice } as ScheduleRefusal, null).message
}

function describeNoPool({ reasons }: NonNullable<DecisionSummary['refusal']>): string {
  const texts = (reasons as KeptReason[]).map(
    ({ filter, hosts, text }) => `${filter} removed ${hosts}: ${text}`,
  )
  return `No pool passes. ${texts.join(' ')}`
}

const UNEXPLAINED_TEXTS: Readonly<Record<Unexplained, string>> = {
  'too-costly': 'the query is too complex to explain',
  restless: 'the cloud changed too fast to explain it',
  busy: 'too many were refused at once to explain each',
  stopped: 'the server stopped before it was explained',
}

function describeNoCandidates({ explained, unexplained }: SearchRefusal<Explanation>): string {
  const none = 'Placement found no candidate'
  if (explained === null) return `${none}; ${unexplained === null ? '' : UNEXPLAINED_TEXTS[unexplained]}.`
  const { candidates, revision, funnel } = explained
  if (candidates > 0) return `${none}; there were ${candidates} at revision ${revision}, a moment later.`
  const blocks = funnel.filter(({ verdict }) => verdict === 'blocks').map(({ text }) => text)
  if (blocks.length > 0) return `${none}; blocked by ${blocks.join(', or by ')}.`
  const last = funnel.find(({ trees_after }) => trees_after === 0)
  return last === undefined
    ? `${none}: no single part of the query is to blame.`
    : `${none}: none is left after ${last.text}, and no single part of the query is to blame.`
}

/** A replay can also be refused because the request is invalid. */
type ShareDecisionRefusal = NonNullable<ShareSummary['refusal']> | ShareRefusal

function describeShareRefusal(refusal: ShareDecisionRefusal): string {
  if (refusal.kind === 'not-moved') return refusal.text
  if (refusal.kind === 'no-pool') return `${refusal.filter}: ${reasonText(refusal.reason)}`
  return toApiError(refusal).message
}
