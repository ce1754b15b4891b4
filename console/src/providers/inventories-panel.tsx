import { ActionIcon, Button, NumberInput, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Fragment } from 'react'
import type { Inventory } from '../../../src/wire/fleet.ts'
import { readClassNames, readInventories, writeInventories } from '../api/placement.ts'
import { ActButton } from '../controls/act-button.tsx'
import { Icon } from '../controls/icons.tsx'
import { Empty, FailureNote, Panel } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import { changesBetween, collisionsOf, reapplied } from '../controls/three-way.ts'
import { levelWord, UsageBar } from '../controls/usage-bar.tsx'
import { capacityOf, figuresOf, type Provider, shareOf } from '../fleet/fleet.ts'
import { amount, byImportance, ofClass, percent } from '../formats.ts'
import { Conflict, EditButton, FieldChanges, whyNotYet } from './conflict.tsx'
import styles from './provider-page.module.css'
import { type Edit, useEdit } from './use-edit.ts'

type Inventories = Readonly<Record<string, Inventory>>

const FIELDS = ['total', 'reserved', 'min_unit', 'max_unit', 'step_size', 'allocation_ratio'] as const

const TITLES: Readonly<Record<(typeof FIELDS)[number], string>> = {
  total: 'Total',
  reserved: 'Reserved',
  min_unit: 'Min unit',
  max_unit: 'Max unit',
  step_size: 'Step',
  allocation_ratio: 'Ratio',
}

export function InventoriesPanel({ provider }: { readonly provider: Provider }) {
  const edit = useEdit<Inventories>({
    read: async () => {
      const { inventories, resource_provider_generation } = await readInventories(provider.uuid)
      return { value: inventories, generation: resource_provider_generation }
    },
    write: (generation, value) => writeInventories(provider.uuid, generation, value),
    reapply: (base, theirs, mine) => reapplied(base, theirs, mine),
  })
  return (
    <Panel
      title="Inventories"
      aside={
        <EditButton edit={edit} operation="placement:resource_providers:inventories:update">
          Edit inventories
        </EditButton>
      }
      flush
    >
      {edit.draft === null ? (
        <Shown provider={provider} />
      ) : (
        <Editor provider={provider} edit={edit} draft={edit.draft} />
      )}
      {edit.error !== null && <FailureNote error={edit.error} />}
    </Panel>
  )
}

function Shown({ provider }: { readonly provider: Provider }) {
  if (provider.inventories.size === 0)
    return (
      <Empty title="It has nothing to give">
        A provider without inventories holds a tree together, or carries traits. Edit to give it a resource
        class.
      </Empty>
    )
  const rows = [...provider.inventories].sort(([one], [other]) => byImportance(one, other))
  return (
    <Sideways label="Inventories in numbers">
      <table className={`${styles.table} ${styles.tight}`}>
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col">In use</th>
            <th scope="col">Used</th>
            <th scope="col">Capacity</th>
            {FIELDS.map(field => (
              <th key={field} scope="col">
                {TITLES[field]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, inventory]) => {
            const figures = figuresOf(inventory, provider.usages.get(name) ?? 0)
            return (
              <tr key={name}>
                <th scope="row">{breakable(name)}</th>
                <td title={levelWord(shareOf(figures))}>
                  {percent(shareOf(figures))}
                  <UsageBar name={name} figures={figures} />
                </td>
                <td title={amount(figures.used)}>{ofClass(name, figures.used)}</td>
                <td title={amount(figures.capacity)}>{ofClass(name, figures.capacity)}</td>
                {FIELDS.map(field => (
                  <td key={field}>
                    {inventory[field] === 2147483647 ? 'no limit' : amount(inventory[field])}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </Sideways>
  )
}

/** A long name of a class may go on in the next line. */
const breakable = (name: string) =>
  name.split(/(?<=_)/).map((part, at) => (
    <Fragment key={at}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))

function Editor({
  provider,
  edit,
  draft,
}: {
  readonly provider: Provider
  readonly edit: Edit<Inventories>
  readonly draft: Inventories
}) {
  const set = (name: string, field: (typeof FIELDS)[number], value: number) =>
    edit.set({ ...draft, [name]: { ...(draft[name] as Inventory), [field]: value } })
  const remove = (name: string) =>
    edit.set(Object.fromEntries(Object.entries(draft).filter(([one]) => one !== name)))
  return (
    <form
      aria-label="Edit inventories"
      onSubmit={event => {
        event.preventDefault()
        void edit.save()
      }}
    >
      <Sideways label="Inventories to edit">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Class</th>
              {FIELDS.map(field => (
                <th key={field} scope="col">
                  {TITLES[field]}
                </th>
              ))}
              <th scope="col">Capacity, used</th>
              <th scope="col">
                <span className="hidden">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {Object.entries(draft)
              .sort(([one], [other]) => byImportance(one, other))
              .map(([name, inventory]) => (
                <EditedRow
                  key={name}
                  name={name}
                  inventory={inventory}
                  used={provider.usages.get(name) ?? 0}
                  onSet={(field, value) => set(name, field, value)}
                  onRemove={() => remove(name)}
                />
              ))}
          </tbody>
        </table>
      </Sideways>
      <div className={styles.buttons}>
        <AddClass taken={Object.keys(draft)} onAdd={name => edit.set({ ...draft, [name]: FRESH })} />
        <ActButton type="submit" loading={edit.isBusy} why={whyNotYet(edit)} ml="auto">
          Save inventories
        </ActButton>
        <Button variant="default" onClick={edit.cancel}>
          Cancel
        </Button>
      </div>
      <Conflict edit={edit}>
        {(base, theirs) => (
          <FieldChanges
            theirs={changesBetween(base, theirs)}
            collisions={collisionsOf(base, theirs, draft)}
          />
        )}
      </Conflict>
    </form>
  )
}

function EditedRow({
  name,
  inventory,
  used,
  onSet,
  onRemove,
}: {
  readonly name: string
  readonly inventory: Inventory
  readonly used: number
  readonly onSet: (field: (typeof FIELDS)[number], value: number) => void
  readonly onRemove: () => void
}) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {FIELDS.map(field => (
        <td key={field}>
          <NumberInput
            aria-label={`${TITLES[field]} of ${name}`}
            w={92}
            ml="auto"
            min={0}
            allowDecimal={field === 'allocation_ratio'}
            value={inventory[field]}
            onChange={value => onSet(field, Number(value))}
          />
        </td>
      ))}
      <td>
        {amount(capacityOf(inventory))}, {amount(used)}
      </td>
      <td>
        <ActionIcon aria-label={`Remove ${name}`} onClick={onRemove}>
          <Icon name="trash" />
        </ActionIcon>
      </td>
    </tr>
  )
}

const FRESH: Inventory = {
  total: 1,
  reserved: 0,
  min_unit: 1,
  max_unit: 2147483647,
  step_size: 1,
  allocation_ratio: 1,
}

function AddClass({
  taken,
  onAdd,
}: {
  readonly taken: readonly string[]
  readonly onAdd: (name: string) => void
}) {
  const classes = useQuery({ queryKey: ['classes'], queryFn: readClassNames })
  const data = (classes.data ?? []).filter(name => !taken.includes(name)).sort(byImportance)
  return (
    <Select
      aria-label="Add a resource class"
      placeholder="Add a class"
      searchable
      w={220}
      data={data}
      value={null}
      onChange={name => name !== null && onAdd(name)}
    />
  )
}
