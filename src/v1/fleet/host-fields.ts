import type { HostFields } from '../../compute/hosts/hosts.ts'
import { type InventoryBody, recordFromBody } from '../../placement/inventories/inventory-body.ts'
import type { HostSettings } from '../../wire/hosts.ts'

/** A reason for disabling implies that the host is disabled. */
export function toHostFields(given: HostSettings): HostFields {
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
