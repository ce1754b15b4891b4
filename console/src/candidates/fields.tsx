import { Button, Menu, TagsInput } from '@mantine/core'
import { type ReactNode, useMemo, useState } from 'react'
import { Icon } from '../controls/icons.tsx'

/** Suggestions for fields; names instead of uuids where there are any. */
export interface Offers {
  readonly classes: readonly string[]
  readonly traits: readonly string[]
  readonly aggregates: ReadonlyMap<string, string>
  readonly roots: readonly { readonly value: string; readonly label: string }[]
}

interface ListProps {
  readonly label: string
  readonly value: string[]
  readonly onChange: (value: readonly string[]) => void
}

/** A field for each list, and a button for another. Empty lists are not in the query. */
export function Lists({
  label,
  another,
  lists,
  field,
  onChange,
}: {
  readonly label: string
  readonly another: string
  readonly lists: readonly (readonly string[])[]
  readonly field: (props: ListProps) => ReactNode
  readonly onChange: (lists: readonly (readonly string[])[]) => void
}) {
  const [isAdding, setAdding] = useState(false)
  const shown = lists.length === 0 || isAdding ? [...lists, []] : lists
  return (
    <>
      {shown.map((list, at) => (
        <div key={at}>
          {field({
            label: at === 0 ? label : `${label}, list ${at + 1}`,
            value: [...list],
            onChange: next => {
              if (at === lists.length && next.length > 0) setAdding(false)
              onChange(shown.map((one, index) => (index === at ? next : one)).filter(one => one.length > 0))
            },
          })}
        </div>
      ))}
      {lists.length > 0 && !isAdding && <AddButton label={another} onClick={() => setAdding(true)} />}
    </>
  )
}

export function AddButton({ label, onClick }: { readonly label: string; readonly onClick: () => void }) {
  return (
    <Button
      size="compact-xs"
      variant="subtle"
      style={{ alignSelf: 'start' }}
      leftSection={<Icon name="plus" size={12} />}
      onClick={onClick}
    >
      {label}
    </Button>
  )
}

export function AddMenu({
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

export function Traits({ offers, label, value, onChange }: ListProps & { readonly offers: Offers }) {
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

export function AggregateField({ offers, label, value, onChange }: ListProps & { readonly offers: Offers }) {
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
