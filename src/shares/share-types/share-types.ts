import { insert, type RowOp, remove, update } from '../../world/change.ts'
import { accept, NO_CHANGE, refuse } from '../../world/decision.ts'
import { decideInSequence, type Step } from '../../world/rehearsal.ts'
import type { ShareTypeRow } from '../../world/shares.ts'
import type { World } from '../../world/world.ts'
import type { DeclaredType } from '../backends/declared-backends.ts'
import type { ShareDecision, ShareRefusal } from '../refusals.ts'

interface CreateType {
  readonly uuid: string
  readonly name: string
  readonly description: string | null
  readonly isPublic: boolean
  readonly extraSpecs: Readonly<Record<string, string>>
  readonly appliedBy?: string | null
}

export function createType(world: World, command: CreateType, nowMs: number): ShareDecision<ShareTypeRow> {
  const { types } = world.shares
  if (world.shares.findTypeByName(command.name) !== undefined)
    return refuse({ kind: 'type-exists', name: command.name })
  const row: ShareTypeRow = {
    id: types.nextId(),
    uuid: command.uuid,
    name: command.name,
    description: command.description,
    is_public: Number(command.isPublic),
    is_default: 0,
    applied_by: command.appliedBy ?? null,
    created_at: nowMs,
    updated_at: null,
  }
  const specs = Object.entries(command.extraSpecs).map(([key, value]) =>
    insert('share_type_extra_specs', { type_id: row.id, key, value }),
  )
  return accept({ ops: [insert('share_types', row), ...specs] }, row)
}

/** By uuid or name. */
export const findType = ({ shares }: World, idOrName: string): ShareTypeRow | undefined =>
  shares.types.find(idOrName) ?? shares.findTypeByName(idOrName)

interface UpdateType {
  readonly type: string
  readonly name?: string | undefined
  readonly description?: string | null | undefined
  readonly isPublic?: boolean | undefined
}

export function updateType(world: World, command: UpdateType, nowMs: number): ShareDecision<ShareTypeRow> {
  const before = world.shares.types.find(command.type)
  if (before === undefined) return refuse({ kind: 'type-missing', type: command.type })
  const namesake = command.name === undefined ? undefined : world.shares.findTypeByName(command.name)
  if (namesake !== undefined && namesake.id !== before.id)
    return refuse({ kind: 'type-exists', name: namesake.name })
  const after: ShareTypeRow = {
    ...before,
    name: command.name ?? before.name,
    description: command.description === undefined ? before.description : command.description,
    is_public: command.isPublic === undefined ? before.is_public : Number(command.isPublic),
    updated_at: nowMs,
  }
  return accept({ ops: [update('share_types', before, after)] }, after)
}

export function deleteType(world: World, command: { readonly type: string }): ShareDecision<null> {
  const { types, extraSpecs, typeAccess } = world.shares
  const row = types.find(command.type)
  if (row === undefined) return refuse({ kind: 'type-missing', type: command.type })
  const shares = world.shares.listOfType(row.id).length
  if (shares > 0) return refuse({ kind: 'type-in-use', type: row.name, shares })
  const quotas = [...world.shares.quotas.rows()].filter(({ scope }) => scope.endsWith(`:${row.uuid}`))
  const ops: RowOp[] = [
    ...extraSpecs.list(row.id).map(one => remove('share_type_extra_specs', one)),
    ...typeAccess.list(row.id).map(one => remove('share_type_access', one)),
    ...quotas.map(one => remove('share_quotas', one)),
    remove('share_types', row),
  ]
  return accept({ ops }, null)
}

export function setTypeSpecs(
  world: World,
  command: { readonly type: string; readonly specs: Readonly<Record<string, string>> },
): ShareDecision<null> {
  const { types, extraSpecs } = world.shares
  const row = types.find(command.type)
  if (row === undefined) return refuse({ kind: 'type-missing', type: command.type })
  const ops: RowOp[] = []
  for (const [key, value] of Object.entries(command.specs)) {
    const before = extraSpecs.find(row.id, key)
    const after = { type_id: row.id, key, value }
    if (before === undefined) ops.push(insert('share_type_extra_specs', after))
    else if (before.value !== value) ops.push(update('share_type_extra_specs', before, after))
  }
  return accept(ops.length === 0 ? NO_CHANGE : { ops }, null)
}

export function deleteTypeSpec(
  world: World,
  command: { readonly type: string; readonly key: string },
): ShareDecision<null> {
  const row = world.shares.types.find(command.type)
  if (row === undefined) return refuse({ kind: 'type-missing', type: command.type })
  const spec = world.shares.extraSpecs.find(row.id, command.key)
  if (spec === undefined) return refuse({ kind: 'type-spec-missing', type: row.uuid, key: command.key })
  return accept({ ops: [remove('share_type_extra_specs', spec)] }, null)
}

interface ChangeTypeAccess {
  readonly type: string
  readonly project: string
  readonly allow: boolean
}

export function updateTypeAccess(world: World, command: ChangeTypeAccess): ShareDecision<null> {
  const { type, project, allow } = command
  const { types, typeAccess } = world.shares
  const row = types.find(type)
  if (row === undefined) return refuse({ kind: 'type-missing', type })
  if (allow && row.is_public === 1) return refuse({ kind: 'type-public', type })
  const access = typeAccess.find(row.id, project)
  if (allow)
    return access === undefined
      ? accept({ ops: [insert('share_type_access', { type_id: row.id, project_id: project })] }, null)
      : refuse({ kind: 'type-access-exists', type, project })
  if (access === undefined) return refuse({ kind: 'type-access-missing', type, project })
  return accept({ ops: [remove('share_type_access', access)] }, null)
}

export interface DeclareTypes {
  readonly types: readonly DeclaredType[]
  /** The type of shares that name none; null: unchanged. */
  readonly defaultType: string | null
  readonly newUuids: readonly string[]
}

/** Creates missing types; existing ones stay as they are. */
export function declareTypes(world: World, command: DeclareTypes, nowMs: number): ShareDecision<number> {
  const missing = command.types.filter(({ name }) => world.shares.findTypeByName(name) === undefined)
  const steps = missing.map(
    (type, at): Step<unknown, ShareRefusal> =>
      world =>
        createType(world, { ...type, uuid: command.newUuids[at] as string }, nowMs),
  )
  const decision = decideInSequence(world, [...steps, at => setDefault(at, command.defaultType)])
  return decision.ok ? accept(decision.change, missing.length) : decision
}

function setDefault(world: World, name: string | null): ShareDecision<null> {
  if (name === null) return accept(NO_CHANGE, null)
  const ops = world.shares.types.all().flatMap(row => {
    const is_default = Number(row.name === name)
    return row.is_default === is_default ? [] : [update('share_types', row, { ...row, is_default })]
  })
  return accept(ops.length === 0 ? NO_CHANGE : { ops }, null)
}

export const findDefaultType = ({ shares }: World): ShareTypeRow | undefined =>
  shares.types.all().find(row => row.is_default === 1)

/** Public ones, and those that the project has access to. */
export const mayUseType = ({ shares }: World, row: ShareTypeRow, project: string | null): boolean =>
  row.is_public === 1 || (project !== null && shares.typeAccess.find(row.id, project) !== undefined)
