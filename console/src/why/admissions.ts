import type { ChangeAdvice, HostReport } from '../../../src/wire/schedule-explanation.ts'

/** What would have to change so that any of these hosts passes. */
export interface Admission {
  readonly hosts: readonly { readonly name: string; readonly provider: string }[]
  /** In words, about one of them, which is called `the host`. */
  readonly steps: readonly AdmissionStep[]
}

export interface AdmissionStep {
  readonly code: string
  readonly text: string
  /** The change, for the first of the hosts. */
  readonly command: string | null
  /** The compared values, from the report of the first host. */
  readonly facts: Readonly<Record<string, unknown>>
}

/** With the facts of each step, from the report of the first host. */
export function admissionsOf(
  changes: readonly ChangeAdvice[],
  reports: readonly HostReport[],
): readonly Admission[] {
  return changes.flatMap(({ kind, admits = [], steps = [] }) => {
    if (kind !== 'admit-hosts') return []
    const refusals = reports.find(one => one.provider === admits[0]?.provider)?.refusals ?? []
    const factsOf = (filter: string, code: string) =>
      refusals.find(one => one.filter === filter)?.reasons.find(one => one.code === code)?.facts ?? {}
    return [
      {
        hosts: admits.map(({ host, provider }) => ({ name: host, provider })),
        steps: steps.map(({ filter, code, text, command }) => ({
          code,
          text,
          command,
          facts: factsOf(filter, code),
        })),
      },
    ]
  })
}

interface AggregateRef {
  readonly id: number
  readonly name: string
}

/** Where a remedy can be applied. */
interface RemedyTargets {
  readonly aggregates: readonly AggregateRef[]
  readonly flavor: boolean
  readonly zones: readonly string[]
  readonly host: boolean
}

/** The aggregates in the reason; for a key that no aggregate of the host has, all aggregates with that key. */
export function placeOf(
  { code, facts }: AdmissionStep,
  all: readonly (AggregateRef & { readonly metadata: Readonly<Record<string, string>> })[],
): RemedyTargets {
  const listed = ['found', 'allowed', 'from'].flatMap(
    name => (facts[name] as { aggregate: AggregateRef }[]) ?? [],
  )
  const own = [
    ...listed.map(({ aggregate }) => aggregate),
    ...(code.startsWith('demand.') ? [facts.aggregate as AggregateRef] : []),
  ]
  const having = all.filter(({ metadata }) => Object.hasOwn(metadata, String(facts.name)))
  const aggregates = (code === 'extra-spec.missing' ? having : own).filter(one => one !== undefined)
  return {
    aggregates: [...new Map(aggregates.map(({ id, name }) => [id, { id, name }])).values()],
    flavor: /^(extra-spec|demand|capability)\./.test(code),
    zones: code === 'zone.other' ? ((facts.zones as string[]) ?? []) : [],
    host: /^(host|instances|io-ops)\./.test(code),
  }
}
