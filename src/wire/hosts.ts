import { AMOUNT_MAX, RATIO_MAX } from '../kernel/number-bounds.ts'
import {
  anything,
  byName,
  list,
  number,
  object,
  oneOf,
  orNull,
  type TypeOf,
  text,
  uuid,
  whole,
  yesOrNo,
} from './shape.ts'

const amount = (description: string, minimum: number) => whole(description, { minimum, maximum: AMOUNT_MAX })

const declaredInventoryShape = object(
  'How much there is of one resource class.',
  { total: amount('All of it.', 1) },
  {
    reserved: amount('Amount that consumers cannot take; default: 0.', 0),
    min_unit: amount('The least that one consumer may take; default: 1.', 1),
    max_unit: amount('The most that one consumer may take; default: no limit.', 1),
    step_size: amount('Amounts are multiples of it; default: 1.', 1),
    allocation_ratio: number('Allocation ratio: how far it may be overcommitted; default: 1.', {
      minimum: 0,
      maximum: RATIO_MAX,
    }),
  },
)

/** Settings of a host, new or not. */
export const hostSettings = {
  inventories: byName(declaredInventoryShape, 'All that its root provider has, by resource class.'),
  traits: list(text('A trait.'), 'All traits of its root provider. Custom ones are made if they are new.'),
  capabilities: byName(
    anything('A value.'),
    'What the host says of itself, for filters: `hypervisor_type`, `hypervisor_version`, `cpu_info`, `stats` ...',
  ),
  disabled: yesOrNo('Nothing new goes to it.'),
  disabled_reason: orNull(
    text('Why it is disabled; a reason disables it.', { minLength: 1, maxLength: 255 }),
  ),
  forced_down: yesOrNo('Count it as down.'),
}

export const hostSettingsShape = object('Settings of a host.', {}, hostSettings)
export type HostSettings = TypeOf<typeof hostSettingsShape>

const figure = (what: string) =>
  object(what, {
    total: whole('All of it.'),
    reserved: whole('Amount that consumers cannot take.'),
    used: whole('What is held.'),
    capacity: whole('What may be held: total less reserved, times the ratio.'),
    over: whole('What is held beyond the capacity of a provider, after an inventory shrank.'),
  })

export const hostShape = object('A host.', {
  name: text('Its name, which is that of its root provider.'),
  uuid: uuid('The uuid of its root provider.'),
  zone: text('Its availability zone; that of `default_availability_zone` if it is in none.'),
  status: oneOf('Whether something new may go to it.', 'enabled', 'disabled'),
  disabled_reason: orNull(text('Why not.')),
  state: oneOf('It is up unless it was forced down.', 'up', 'down'),
  declared: yesOrNo('It was declared as a host, so that it is one whatever its inventories are.'),
  applied_by: orNull(text('The set of declarations that made it.')),
  aggregates: list(text('A name.'), 'The host aggregates that it is in.'),
  capabilities: byName(anything('A value.'), 'What it says of itself.'),
  cpu: figure('VCPU and PCPU of its whole tree.'),
  memory_mb: figure('MEMORY_MB of its whole tree.'),
  disk_gb: figure('DISK_GB of its whole tree.'),
  consumers: whole('How many hold something of it.'),
})

export const changedHostShape = object('What was done.', { host: text('The name of the host.') })

export type Host = TypeOf<typeof hostShape>
export type HostFigure = Host['cpu']

export const hostPageShape = object('All.', {
  hosts: list(hostShape, 'The hosts.'),
  truncated: yesOrNo('There are more after the last.'),
})
