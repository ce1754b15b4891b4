import { ActionIcon, NumberInput, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../controls/icons.tsx'
import styles from './candidates.module.css'
import { AddButton, AddMenu, AggregateField, Lists, type Offers, Traits } from './fields.tsx'
import type { Group, ResourceRow } from './query.ts'

export function GroupFields({
  group,
  offers,
  isAlone,
  onChange,
  onRemove,
  faultOf,
  onRename,
}: {
  readonly group: Group
  readonly offers: Offers
  /** The only group must request something. */
  readonly isAlone: boolean
  readonly onChange: (group: Group) => void
  readonly onRemove: () => void
  readonly faultOf: (suffix: string) => string | null
  readonly onRename: (suffix: string) => void
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
          <SuffixField suffix={group.suffix} faultOf={faultOf} onRename={onRename} />
        )}
        {group.suffix !== '' && (
          <ActionIcon aria-label={`Remove group ${group.suffix}`} onClick={onRemove}>
            <Icon name="trash" />
          </ActionIcon>
        )}
      </div>
      <Resources
        name={name}
        rows={group.resources}
        isNeeded={isAlone || group.suffix !== ''}
        classes={offers.classes}
        onChange={resources => set({ resources })}
      />
      <Constraints group={group} offers={offers} set={set} />
    </fieldset>
  )
}

/** While typing, the group keeps its suffix: a part of the new one may be that of another group. */
function SuffixField({
  suffix,
  faultOf,
  onRename,
}: {
  readonly suffix: string
  readonly faultOf: (suffix: string) => string | null
  readonly onRename: (suffix: string) => void
}) {
  const [typed, setTyped] = useState({ of: suffix, text: suffix })
  const text = typed.of === suffix ? typed.text : suffix
  const fault = faultOf(text)
  const commit = () => {
    if (fault === null && text !== suffix) onRename(text)
  }
  return (
    <TextInput
      aria-label="Suffix of the group"
      description="From one provider"
      value={text}
      error={fault === null ? null : `${fault} It stays ${suffix}.`}
      w={190}
      onChange={event => setTyped({ of: suffix, text: event.currentTarget.value.trim() })}
      onBlur={commit}
      onKeyDown={event => {
        if (event.key === 'Enter') commit()
        if (event.key === 'Escape') setTyped({ of: suffix, text: suffix })
      }}
    />
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

/** Shows only the constraints of the group; a menu adds others. */
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
  return (
    <>
      {isShown('required') && (
        <Traits
          label={PARTS.required}
          offers={offers}
          value={[...group.required]}
          onChange={required => set({ required })}
        />
      )}
      {isShown('anyOf') && (
        <Lists
          label={PARTS.anyOf}
          another="And any of these traits"
          lists={group.anyOf}
          onChange={anyOf => set({ anyOf })}
          field={props => <Traits {...props} offers={offers} />}
        />
      )}
      {isShown('forbidden') && (
        <Traits
          label={PARTS.forbidden}
          offers={offers}
          value={[...group.forbidden]}
          onChange={forbidden => set({ forbidden })}
        />
      )}
      {isShown('memberOf') && (
        <Lists
          label={PARTS.memberOf}
          another="And in one of these aggregates"
          lists={group.memberOf}
          onChange={memberOf => set({ memberOf })}
          field={props => <AggregateField {...props} offers={offers} />}
        />
      )}
      {isShown('notMemberOf') && (
        <AggregateField
          label={PARTS.notMemberOf}
          offers={offers}
          value={[...group.notMemberOf]}
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

function Resources({
  name,
  rows,
  isNeeded,
  classes,
  onChange,
}: {
  readonly name: string
  readonly rows: readonly ResourceRow[]
  readonly isNeeded: boolean
  readonly classes: readonly string[]
  readonly onChange: (rows: readonly ResourceRow[]) => void
}) {
  const shown = rows.length === 0 && isNeeded ? [{ name: '', amount: '' }] : rows
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
      <AddButton
        label={shown.length === 0 ? 'Add a resource' : 'Another resource'}
        onClick={() => {
          const unused = classes.find(one => !shown.some(row => row.name === one)) ?? 'VCPU'
          onChange([...rows, { name: unused, amount: '1' }])
        }}
      />
    </>
  )
}
