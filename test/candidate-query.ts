/** Asks a SmallCloud for candidates the way a client would, and tells them by name. */
import { Query } from '../src/http/request/query.ts'
import { parseCandidateRequest } from '../src/placement/candidates/candidates.query.ts'
import {
  expandCandidate,
  type FoundCandidates,
  findCandidates,
} from '../src/placement/candidates/candidates.ts'
import type { SearchSettings } from '../src/placement/candidates/request.ts'
import { featuresOf, type InTreeMeaning } from '../src/placement/versions.ts'
import type { SmallCloud } from './small-cloud.ts'

const ordinarySettings: SearchSettings = {
  strategy: 'breadth-first',
  randomSeed: null,
  candidatesMax: Number.POSITIVE_INFINITY,
  stepsMax: 1_000_000,
}

/** `{name}` in the query stands for the uuid of that provider. */
export function search(
  cloud: SmallCloud,
  minor: number,
  query: string,
  settings: Partial<SearchSettings> = {},
  inTree: InTreeMeaning = 'by-version',
): FoundCandidates {
  const features = featuresOf(minor, inTree)
  const text = query.replaceAll(/\{([^}]+)\}/g, (_, name: string) => cloud.uuid(name))
  const request = parseCandidateRequest(Query.parse(text)!, features, 200)
  const behaviour = { nested: features.nestedCandidates, inTreeTouches: features.inTreeTouches }
  const found = findCandidates(cloud.world, request, behaviour, { ...ordinarySettings, ...settings })
  if (found.kind === 'refused') throw new Error(`refused: ${JSON.stringify(found.refusal)}`)
  return found
}

/** Each candidate as `numa1 VCPU:1 + cn1 DISK_GB:50`, sorted. */
export function candidates(
  cloud: SmallCloud,
  minor: number,
  query: string,
  inTree: InTreeMeaning = 'by-version',
): string[] {
  const found = search(cloud, minor, query, {}, inTree)
  const { plan } = found
  if (plan === null) return []
  return [...found.candidates]
    .map(candidate =>
      [...expandCandidate(plan, candidate).allocations]
        .map(([provider, amounts]) => {
          const parts = [...amounts].map(([id, amount]) => `${cloud.world.classes.name(id)}:${amount}`)
          return `${cloud.name(provider)} ${parts.sort().join(',')}`
        })
        .sort()
        .join(' + '),
    )
    .sort()
}
