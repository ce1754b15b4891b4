import type { HostFields } from '../../compute/hosts/host-changes.ts'
import { AMOUNT_MAX, RATIO_MAX } from '../../kernel/number-bounds.ts'
import { type InventoryBody, recordFromBody } from '../../placement/inventories/inventory-body.ts'
import {
  anything,
  byName,
  list,
  number,
  object,
  orNull,
  type TypeOf,
  text,
  whole,
  yesOrNo,
} from '../api/shape.ts'

const amount = (description: string, minimum: number) => whole(description, { minimum, maximum: AMOUNT_MAX })

const inventory = object(
  'How much there is of one resource class.',
  { total: amount('All of it.', 1) },
  {
    reserved: amount('What is not to be given out; 0 unless said otherwise.', 0),
    min_unit: amount('The least that is given out at once; 1 unless said otherwise.', 1),
    max_unit: amount('The most that is given out at once; no limit unless said otherwise.', 1),
    step_size: amount('What is given out is a multiple of this; 1 unless said otherwise.', 1),
    allocation_ratio: number('How many times over it may be given out; 1 unless said otherwise.', {
      minimum: 0,
      maximum: RATIO_MAX,
    }),
  },
)

/** What may be said about a host, new or not. */
export const hostSettings = {
  inventories: byName(inventory, 'All that its root provider has, by resource class.'),
  traits: list(text('A trait.'), 'All traits of its root provider. Custom ones are made if they are new.'),
  capabilities: byName(
    anything('A value.'),
    'What the host says of itself, for filters: `hypervisor_type`, `hypervisor_version`, `cpu_info`, `stats` ...',
  ),
  disabled: yesOrNo('Nothing new goes to it.'),
  disabled_reason: orNull(
    text('Why it is disabled; a reason disables it.', { minLength: 1, maxLength: 255 }),
  ),
  forced_down: yesOrNo('It counts as down.'),
}

const settings = object('What is said about a host.', {}, hostSettings)
export type HostSettings = TypeOf<typeof settings>

/** With what the command wants to be told; a reason says that the host is disabled. */
export function hostFieldsOf(given: HostSettings): HostFields {
  const { inventories, traits, capabilities, disabled, disabled_reason: reason, forced_down } = given
  const isDisabled = disabled ?? (typeof reason === 'string' ? true : undefined)
  return {
    ...(inventories === undefined
      ? {}
      : {
          inventories: Object.entries(inventories).map(
            ([name, one]) => [name, recordFromBody(one as InventoryBody)] as const,
          ),
        }),
    ...(traits === undefined ? {} : { traits }),
    ...(capabilities === undefined ? {} : { capabilities: JSON.stringify(capabilities) }),
    ...(isDisabled === undefined ? {} : { isDisabled }),
    ...(isDisabled === false
      ? { disabledReason: null }
      : reason === undefined
        ? {}
        : { disabledReason: reason }),
    ...(forced_down === undefined ? {} : { isForcedDown: forced_down }),
  }
}
