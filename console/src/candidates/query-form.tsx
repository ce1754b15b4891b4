import { Button, NumberInput, Select, TagsInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { readClassNames, readTraitNames } from '../api/placement.ts'
import { Icon } from '../controls/icons.tsx'
import { Chip } from '../controls/page.tsx'
import { byImportance } from '../formats.ts'
import { useSurroundings } from '../map/capacity-map.tsx'
import { usePicture } from '../session/session.tsx'
import styles from './candidates.module.css'
import { Lists, type Offers, Traits } from './fields.tsx'
import { GroupFields } from './group-fields.tsx'
import { type CandidateQuery, emptyGroup, faultOfSuffix, type Group, renamed, without } from './query.ts'

export function QueryForm({
  query,
  onChange,
}: {
  readonly query: CandidateQuery
  readonly onChange: (query: CandidateQuery) => void
}) {
  const offers = useOffers()
  const setGroup = (group: Group) =>
    onChange({ ...query, groups: query.groups.map(one => (one.suffix === group.suffix ? group : one)) })
  const suffixes = query.groups.map(({ suffix }) => suffix).filter(suffix => suffix !== '')
  return (
    <div>
      {query.groups.map((group, at) => (
        <GroupFields
          // The suffix is what is edited, so it cannot be the key.
          key={at}
          group={group}
          offers={offers}
          isAlone={suffixes.length === 0}
          onChange={setGroup}
          onRemove={() => onChange(without(query, group.suffix))}
          faultOf={wanted => faultOfSuffix(query, group.suffix, wanted)}
          onRename={wanted => onChange(renamed(query, group.suffix, wanted))}
        />
      ))}
      <WholeFields query={query} offers={offers} suffixes={suffixes} onChange={onChange} />
    </div>
  )
}

/** Parameters of all groups together. */
function WholeFields({
  query,
  offers,
  suffixes,
  onChange,
}: {
  readonly query: CandidateQuery
  readonly offers: Offers
  readonly suffixes: readonly string[]
  readonly onChange: (query: CandidateQuery) => void
}) {
  return (
    <div className={styles.group}>
      <div className={styles.buttons}>
        <Button
          variant="default"
          leftSection={<Icon name="plus" size={13} />}
          onClick={() => onChange({ ...query, groups: [...query.groups, newGroup(freeSuffix(suffixes))] })}
        >
          Add a group
        </Button>
        <Select
          aria-label="Group policy"
          w={190}
          value={query.policy}
          onChange={policy => onChange({ ...query, policy: (policy ?? '') as CandidateQuery['policy'] })}
          data={[
            { value: '', label: 'No group policy' },
            { value: 'none', label: 'Groups may share' },
            { value: 'isolate', label: 'Each its own provider' },
          ]}
        />
      </div>
      {suffixes.length + query.sameSubtrees.length > 1 && (
        <Lists
          label="Same subtree"
          another="Another same subtree"
          lists={query.sameSubtrees}
          onChange={sameSubtrees => onChange({ ...query, sameSubtrees })}
          field={props => (
            <TagsInput
              {...props}
              description="Groups whose providers have one of them above all"
              data={[...suffixes]}
            />
          )}
        />
      )}
      <RootFields query={query} offers={offers} onChange={onChange} />
      <NumberInput
        label="Limit"
        placeholder="50"
        min={1}
        value={query.limit}
        onChange={limit => onChange({ ...query, limit: String(limit) })}
      />
      {query.others.length > 0 && (
        <p className="soft">
          Also in the query, without a field here:{' '}
          {query.others.map(([name, value], at) => (
            <Chip key={at}>
              {name}={value}
            </Chip>
          ))}
        </p>
      )}
    </div>
  )
}

/** What the root of the tree must have, or must not. */
function RootFields({
  query,
  offers,
  onChange,
}: {
  readonly query: CandidateQuery
  readonly offers: Offers
  readonly onChange: (query: CandidateQuery) => void
}) {
  return (
    <>
      <Traits
        label="Root has"
        offers={offers}
        value={[...query.rootRequired]}
        onChange={rootRequired => onChange({ ...query, rootRequired })}
      />
      {query.rootAnyOf.length > 0 && (
        <Lists
          label="Root has any of"
          another="And any of these traits"
          lists={query.rootAnyOf}
          onChange={rootAnyOf => onChange({ ...query, rootAnyOf })}
          field={props => <Traits {...props} offers={offers} />}
        />
      )}
      <Traits
        label="Root has not"
        offers={offers}
        value={[...query.rootForbidden]}
        onChange={rootForbidden => onChange({ ...query, rootForbidden })}
      />
    </>
  )
}

function useOffers(): Offers {
  const classes = useQuery({ queryKey: ['classes'], queryFn: readClassNames })
  const traits = useQuery({ queryKey: ['traits'], queryFn: readTraitNames })
  const { aggregates } = useSurroundings()
  const { fleet } = usePicture()
  return useMemo(() => {
    const inUse = new Set([...fleet.providers.values()].flatMap(provider => [...provider.inventories.keys()]))
    return {
      classes: [...(classes.data ?? [])].sort(
        (one, other) => Number(inUse.has(other)) - Number(inUse.has(one)) || byImportance(one, other),
      ),
      traits: traits.data ?? [],
      aggregates: new Map(aggregates.map(({ name, uuid }) => [name, uuid])),
      roots: fleet.roots.map(({ uuid, name }) => ({ value: uuid, label: name })),
    }
  }, [classes.data, traits.data, aggregates, fleet])
}

/** Starts with a request: an empty group is not in the query. */
const newGroup = (suffix: string): Group => ({
  ...emptyGroup(suffix),
  resources: [{ name: 'VCPU', amount: '1' }],
})

function freeSuffix(taken: readonly string[]): string {
  let number = 1
  while (taken.includes(String(number))) number++
  return String(number)
}
