/** The first of what was found, and how much there is in all. */
export interface Found<T> {
  readonly items: readonly T[]
  readonly count: number
}

const ITEMS_MAX = 100

/** Collects findings without growing past a limit. */
export class Finder<T> implements Found<T> {
  readonly items: T[] = []
  count = 0

  add(item: T): void {
    this.count++
    if (this.items.length < ITEMS_MAX) this.items.push(item)
  }

  get found(): Found<T> {
    return { items: this.items, count: this.count }
  }
}

/** Something in a world, or in a store, that cannot be. */
export interface Problem {
  readonly kind:
    | 'provider.parent-missing'
    | 'provider.loop'
    | 'provider.root-wrong'
    | 'inventory.provider-missing'
    | 'inventory.class-missing'
    | 'membership.provider-missing'
    | 'membership.other-missing'
    | 'allocation.consumer-missing'
    | 'allocation.inventory-missing'
    | 'allocation.class-missing'
    | 'allocation.provider-missing'
    | 'allocation.amount-wrong'
    | 'usage.wrong'
    | 'consumer.idle'
    | 'index.wrong'
    | 'metadef.namespace-missing'
    | 'metadef.resource-type-missing'
    | 'metadef.not-json'
    | 'flavor.missing'
    | 'host.provider-missing'
    | 'host.not-json'
    | 'host-aggregate.missing'
    | 'host-aggregate.provider-missing'
    | 'host-aggregate.membership-missing'
    | 'server-group.missing'
    | 'server-group.consumer-missing'
    | 'server-request.consumer-missing'
    | 'server-request.not-json'
    | 'user.missing'
    | 'project.missing'
    | 'role.missing'
    | 'share-type.missing'
    | 'share-backend.missing'
    | 'share-backend.provider-missing'
    | 'share-backend.not-json'
    | 'share.missing'
    | 'share.ledger-wrong'
    | 'share.left-behind'
    | 'history.gap'
    | 'history.chain-wrong'
    | 'history.head-wrong'
  readonly what: string
}
