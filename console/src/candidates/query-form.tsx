import { ActionIcon, Button, Menu, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { readClassNames, readTraitNames } from '../api/placement.ts'
import { Icon } from '../controls/icons.tsx'
import { Chip } from '../controls/page.tsx'
import { byImportance } from '../formats.ts'
import { useSurroundings } from '../map/capacity-map.tsx'
import { usePicture } from '../session/session.tsx'
import styles from './candidates.module.css'
import { type CandidateQuery, emptyGroup, type Group, type ResourceRow } from './query.ts'

/** What fields offer; names stand for uuids where there are any. */
interface Offers {
  readonly classes: readonly string[]
  readonly traits: readonly string[]
  readonly aggregates: ReadonlyMap<string, string>
  readonly roots: readonly { readonly value: string; readonly label: string }[]
}

export function QueryForm({
  query,
  onChange,
}: {
  readonly query: CandidateQuery
  readonly onChange: (query: CandidateQuery) => void
}) {
  const offers = useOffers()
  const setGroup = (suffix: string, group: Group | null) =>
    onChange({
      ...query,
      groups: query.groups.flatMap(one => (one.suffix !== suffix ? [one] : group === null ? [] : [group])),
    })
  const suffixes = query.groups.map(({ suffix }) => suffix).filter(suffix => suffix !== '')
  return (
    <div>
      {query.groups.map((group, at) => (
        <GroupFields
          // The suffix is what is edited, so it cannot be the key.
          key={at}
          group={group}
          offers={offers}
          onChange={next => setGroup(group.suffix, next)}
        />
      ))}
      <WholeFields query={query} offers={offers} suffixes={suffixes} onChange={onChange} />
    </div>
  )
}

/** What is said of all groups together. */
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
      {suffixes.length > 1 && (
        <TagsInput
          label="Same subtree"
          description="Groups whose providers have one of them above all"
          data={[...suffixes]}
          value={[...(query.sameSubtrees[0] ?? [])]}
          onChange={groups =>
            onChange({
              ...query,
              sameSubtrees: [groups, ...query.sameSubtrees.slice(1)].filter(one => one.length > 0),
            })
          }
        />
      )}
      <Traits
        label="Root has"
        offers={offers}
        value={query.rootRequired}
        onChange={rootRequired => onChange({ ...query, rootRequired })}
      />
      <Traits
        label="Root has not"
        offers={offers}
        value={query.rootForbidden}
        onChange={rootForbidden => onChange({ ...query, rootForbidden })}
      />
      <NumberInput
        label="Limit"
        placeholder="50"
        min={1}
        value={query.limit}
        onChange={limit => onChange({ ...query, limit: String(limit) })}
      />
      {query.others.length > 0 && (
        <p className="soft">
          Also in the query:{' '}
          {query.others.map(([name]) => (
            <Chip key={name}>{name}</Chip>
          ))}
        </p>
      )}
    </div>
  )
}

function GroupFields({
  group,
  offers,
  onChange,
}: {
  readonly group: Group
  readonly offers: Offers
  readonly onChange: (group: Group | null) => void
}) {
  const set = (change: Partial<Group>) => onChange({ ...group, ...change })
  const name = group.suffix === '' ? 'Together' : `Group ${group.suffix}`
  return (
    <fieldset className={styles.group}>
      <legend className="hidden">{name}</legend>
      <div className={styles.legend}>
        {group.suffix === '' ? (
          <h3>Spread over the tree as it fits</h3>
        ) : (
          <TextInput
            aria-label="Suffix of the group"
            description="From one provider"
            value={group.suffix}
            w={130}
            onChange={event => set({ suffix: event.currentTarget.value.replaceAll(/[^\w-]/g, '') || '1' })}
          />
        )}
        {group.suffix !== '' && (
          <ActionIcon aria-label={`Remove group ${group.suffix}`} onClick={() => onChange(null)}>
            <Icon name="trash" />
          </ActionIcon>
        )}
      </div>
      <Resources
        name={name}
        rows={group.resources}
        classes={offers.classes}
        onChange={resources => set({ resources })}
      />
      <Constraints group={group} offers={offers} set={set} />
      {group.anyOf.length + group.memberOf.length > 2 && (
        <p className="soft">
          There is more than one list of the same kind; the others are in the query string.
        </p>
      )}
    </fieldset>
  )
}

type GroupPart = 'required' | 'anyOf' | 'forbidden' | 'memberOf' | 'notMemberOf' | 'inTree'

const PARTS: Readonly<Record<GroupPart, string>> = {
  required: 'All of these traits',
  anyOf: 'Any of these traits',
  forbidden: 'None of these traits',
  memberOf: 'In one of these aggregates',
  notMemberOf: 'In none of these aggregates',
  inTree: 'In the tree of',
}

/** Only what the group asks for; the rest is a menu away. */
function Constraints({
  group,
  offers,
  set,
}: {
  readonly group: Group
  readonly offers: Offers
  readonly set: (change: Partial<Group>) => void
}) {
  const [opened, setOpened] = useState<readonly GroupPart[]>([])
  const isShown = (part: GroupPart) => group[part].length > 0 || opened.includes(part)
  const hidden = (Object.keys(PARTS) as GroupPart[]).filter(part => !isShown(part))
  const firstOf = (part: 'anyOf' | 'memberOf') => ({
    value: group[part][0] ?? [],
    onChange: (list: readonly string[]) =>
      set({ [part]: [list, ...group[part].slice(1)].filter(one => one.length > 0) }),
  })
  return (
    <>
      {isShown('required') && (
        <Traits
          label={PARTS.required}
          offers={offers}
          value={group.required}
          onChange={required => set({ required })}
        />
      )}
      {isShown('anyOf') && <Traits label={PARTS.anyOf} offers={offers} {...firstOf('anyOf')} />}
      {isShown('forbidden') && (
        <Traits
          label={PARTS.forbidden}
          offers={offers}
          value={group.forbidden}
          onChange={forbidden => set({ forbidden })}
        />
      )}
      {isShown('memberOf') && (
        <AggregateField label={PARTS.memberOf} offers={offers} {...firstOf('memberOf')} />
      )}
      {isShown('notMemberOf') && (
        <AggregateField
          label={PARTS.notMemberOf}
          offers={offers}
          value={group.notMemberOf}
          onChange={notMemberOf => set({ notMemberOf })}
        />
      )}
      {isShown('inTree') && (
        <Select
          label={PARTS.inTree}
          placeholder="Any"
          searchable
          clearable
          limit={50}
          clearButtonProps={{ 'aria-label': 'Any tree' }}
          data={[...offers.roots]}
          value={group.inTree === '' ? null : group.inTree}
          onChange={inTree => set({ inTree: inTree ?? '' })}
        />
      )}
      {hidden.length > 0 && (
        <AddMenu
          label={group.suffix === '' ? 'Add a constraint' : `Add a constraint to ${group.suffix}`}
          offers={hidden.map(part => [PARTS[part], () => setOpened([...opened, part])])}
        />
      )}
    </>
  )
}

function AddMenu({
  label,
  offers,
}: {
  readonly label: string
  readonly offers: readonly (readonly [text: string, act: () => void])[]
}) {
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          size="compact-xs"
          variant="subtle"
          style={{ alignSelf: 'start' }}
          leftSection={<Icon name="plus" size={12} />}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {offers.map(([text, act]) => (
          <Menu.Item key={text} onClick={act}>
            {text}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Resources({
  name,
  rows,
  classes,
  onChange,
}: {
  readonly name: string
  readonly rows: readonly ResourceRow[]
  readonly classes: readonly string[]
  readonly onChange: (rows: readonly ResourceRow[]) => void
}) {
  const shown = rows.length === 0 ? [{ name: '', amount: '' }] : rows
  const set = (at: number, row: ResourceRow) =>
    onChange(shown.map((one, index) => (index === at ? row : one)))
  return (
    <>
      {shown.map((row, at) => (
        <div key={at} className={styles.resource}>
          <Select
            aria-label={`Resource class ${at + 1} of ${name}`}
            placeholder="Resource class"
            searchable
            data={[...new Set([...classes, ...(row.name === '' ? [] : [row.name])])]}
            value={row.name === '' ? null : row.name}
            onChange={chosen => set(at, { name: chosen ?? '', amount: row.amount === '' ? '1' : row.amount })}
          />
          <NumberInput
            aria-label={`Amount ${at + 1} of ${name}`}
            placeholder="Amount"
            min={1}
            value={row.amount}
            onChange={amount => set(at, { ...row, amount: String(amount) })}
          />
          <ActionIcon
            aria-label={`Remove resource ${at + 1} of ${name}`}
            onClick={() => onChange(shown.filter((_, index) => index !== at))}
          >
            <Icon name="close" size={13} />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<Icon name="plus" size={12} />}
          onClick={() => {
            const unused = classes.find(one => !shown.some(row => row.name === one)) ?? 'VCPU'
            onChange([...rows, { name: unused, amount: '1' }])
          }}
        >
          Another resource
        </Button>
      </div>
    </>
  )
}

function Traits({
  label,
  offers,
  value,
  onChange,
}: {
  readonly label: string
  readonly offers: Offers
  readonly value: readonly string[]
  readonly onChange: (value: readonly string[]) => void
}) {
  return (
    <TagsInput
      label={label}
      data={[...offers.traits]}
      limit={40}
      value={[...value]}
      onChange={onChange}
      splitChars={[',', ' ']}
      acceptValueOnBlur
    />
  )
}

function AggregateField({
  label,
  offers,
  value,
  onChange,
}: {
  readonly label: string
  readonly offers: Offers
  readonly value: readonly string[]
  readonly onChange: (value: readonly string[]) => void
}) {
  const names = useMemo(() => new Map([...offers.aggregates].map(([name, uuid]) => [uuid, name])), [offers])
  return (
    <TagsInput
      label={label}
      data={[...offers.aggregates.keys()]}
      value={value.map(uuid => names.get(uuid) ?? uuid)}
      onChange={list => onChange(list.map(name => offers.aggregates.get(name) ?? name))}
    />
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

/** It asks for something from the start: what asks for nothing is not in a query. */
const newGroup = (suffix: string): Group => ({
  ...emptyGroup(suffix),
  resources: [{ name: 'VCPU', amount: '1' }],
})

function freeSuffix(taken: readonly string[]): string {
  let number = 1
  while (taken.includes(String(number))) number++
  return String(number)
}
