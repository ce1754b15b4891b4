import { type CandidateQuery, type Group, without } from './query.ts'

/** The fields of a remedy besides its text. */
interface Told {
  readonly kind: string
  readonly group?: string
  readonly class?: string
  readonly to?: number
  readonly constraint?: {
    readonly kind: string
    readonly group?: string
    readonly class?: string
    readonly anyOf?: readonly string[]
    readonly trait?: string
    readonly aggregate?: string
    readonly groups?: readonly string[]
  }
}

const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every(value => other.includes(value))

/** The request with the remedy applied; null if the remedy changes the cloud. */
export function applied(query: CandidateQuery, change: Told): CandidateQuery | null {
  const inGroup = (suffix: string | undefined, edit: (group: Group) => Group): CandidateQuery => ({
    ...query,
    groups: query.groups.map(group => (group.suffix === (suffix ?? '') ? edit(group) : group)),
  })
  if ((change.kind === 'ask-less' || change.kind === 'ask-more') && change.to !== undefined)
    return inGroup(change.group, group => ({
      ...group,
      resources: group.resources.map(row =>
        row.name === change.class ? { ...row, amount: String(change.to) } : row,
      ),
    }))
  if (change.kind === 'drop-group' && change.group !== undefined) return without(query, change.group)
  const dropped = change.constraint
  if (change.kind !== 'drop' || dropped === undefined) return null
  const anyOf = dropped.anyOf ?? []
  switch (dropped.kind) {
    case 'resource':
      return inGroup(dropped.group, group => ({
        ...group,
        resources: group.resources.filter(({ name }) => name !== dropped.class),
      }))
    case 'trait':
      return inGroup(dropped.group, group => ({
        ...group,
        required: anyOf.length === 1 ? group.required.filter(trait => trait !== anyOf[0]) : group.required,
        anyOf: group.anyOf.filter(list => !same(list, anyOf)),
      }))
    case 'forbidden-trait':
      return inGroup(dropped.group, group => ({
        ...group,
        forbidden: group.forbidden.filter(trait => trait !== dropped.trait),
      }))
    case 'aggregate':
      return inGroup(dropped.group, group => ({
        ...group,
        memberOf: group.memberOf.filter(list => !same(list, anyOf)),
      }))
    case 'forbidden-aggregate':
      return inGroup(dropped.group, group => ({
        ...group,
        notMemberOf: group.notMemberOf.filter(uuid => uuid !== dropped.aggregate),
      }))
    case 'tree':
      return inGroup(dropped.group, group => ({ ...group, inTree: '' }))
    case 'root-trait':
      return anyOf.length === 1
        ? { ...query, rootRequired: query.rootRequired.filter(trait => trait !== anyOf[0]) }
        : { ...query, rootAnyOf: query.rootAnyOf.filter(list => !same(list, anyOf)) }
    case 'root-forbidden-trait':
      return { ...query, rootForbidden: query.rootForbidden.filter(trait => trait !== dropped.trait) }
    case 'subtree':
      return {
        ...query,
        sameSubtrees: query.sameSubtrees.filter(groups => !same(groups, dropped.groups ?? [])),
      }
    case 'isolate':
      return { ...query, policy: 'none' }
    default:
      return null
  }
}
