import type { ClassId, ConsumerSlot, ProviderSlot } from '../../kernel/ids.ts'
import { insert, type RowOp, remove, update } from '../../world/change.ts'
import type { Row } from '../../world/tables.ts'
import type { ImportDraft } from './import-draft.ts'
import type { ConsumerFields } from './lines.ts'

export type ConsumerRefusal =
  | { readonly kind: 'provider-missing'; readonly uuid: string }
  | { readonly kind: 'class-missing'; readonly name: string }
  | { readonly kind: 'no-inventory'; readonly provider: string; readonly class: string }

interface Holding {
  readonly provider: ProviderSlot
  readonly class: ClassId
  readonly used: number
}

/** Does not raise the generations of its providers: an export has them as they were after the claims. */
export function importConsumer(
  draft: ImportDraft,
  line: ConsumerFields,
): 'created' | 'updated' | 'unchanged' | ConsumerRefusal {
  const wanted = wantedOf(draft, line)
  if (!Array.isArray(wanted)) return wanted
  const known = draft.world.consumers.find(line.uuid)
  const slot = known ?? (draft.newConsumerSlot() as ConsumerSlot)
  const ops = holdingOps(draft, known, slot, wanted)
  const row = rowOp(draft, line, known, slot, ops.length > 0)
  if (row === null) return 'unchanged'
  draft.ops.push(row, ...ops)
  return known === undefined ? 'created' : 'updated'
}

function wantedOf(draft: ImportDraft, line: ConsumerFields): Holding[] | ConsumerRefusal {
  const wanted: Holding[] = []
  for (const [uuid, { resources }] of Object.entries(line.allocations)) {
    const provider = draft.provider(uuid)
    if (provider === undefined) return { kind: 'provider-missing', uuid }
    for (const [name, used] of Object.entries(resources)) {
      const id = draft.class(name)
      if (id === undefined) return { kind: 'class-missing', name }
      if (!draft.hasInventory(provider, id)) return { kind: 'no-inventory', provider: uuid, class: name }
      wanted.push({ provider, class: id, used })
    }
  }
  return wanted
}

/** Releases come first, so that usage never counts twice. */
function holdingOps(
  draft: ImportDraft,
  known: ConsumerSlot | undefined,
  consumer_id: ConsumerSlot,
  wanted: readonly Holding[],
): RowOp[] {
  const row = ({ provider, class: class_id, used }: Holding): Row<'allocations'> => ({
    consumer_id,
    provider_id: provider,
    class_id,
    used,
  })
  const key = ({ provider, class: id }: Holding) => `${provider} ${id}`
  const held = known === undefined ? [] : draft.world.consumers.holdings(known)
  const old = new Map(held.map(holding => [key(holding), holding]))
  const kept = new Set(wanted.map(key))
  const ops: RowOp[] = []
  for (const holding of held) {
    if (kept.has(key(holding))) continue
    ops.push(remove('allocations', row(holding)))
    draft.use(holding.provider, holding.class, -holding.used)
  }
  for (const holding of wanted) {
    const before = old.get(key(holding))
    if (before?.used === holding.used) continue
    ops.push(
      before === undefined
        ? insert('allocations', row(holding))
        : update('allocations', row(before), row(holding)),
    )
    draft.use(holding.provider, holding.class, holding.used - (before?.used ?? 0))
  }
  return ops
}

function rowOp(
  draft: ImportDraft,
  line: ConsumerFields,
  known: ConsumerSlot | undefined,
  slot: ConsumerSlot,
  hasOthers: boolean,
): RowOp | null {
  const { uuid, generation, project_id, user_id, consumer_type } = line
  const owner = { project_id, user_id, consumer_type }
  if (known === undefined)
    return insert('consumers', { id: slot, uuid, generation, ...owner, updated_at: draft.nowMs })
  const before = draft.world.consumers.row(known)
  const isSame =
    before.project_id === project_id && before.user_id === user_id && before.consumer_type === consumer_type
  const nextGeneration = draft.exactGenerations ? generation : before.generation + 1
  const isKept = !draft.exactGenerations || before.generation === generation
  if (isKept && isSame && !hasOthers) return null
  const after = { ...before, ...owner, generation: nextGeneration, updated_at: draft.nowMs }
  return update('consumers', before, after)
}
