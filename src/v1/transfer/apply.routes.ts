import type { ApplyAll } from '../../commands.ts'
import type { ApplyRefusal } from '../../compute/apply/apply.ts'
import type { Declarations } from '../../compute/apply/declarations.ts'
import { makeFlavorView } from '../../compute/flavors/flavor-of-row.ts'
import { findFaults } from '../../compute/flavors/known-specs.ts'
import { AMOUNT_MAX, RATIO_MAX } from '../../kernel/number-bounds.ts'
import {
  listAggregateWarnings,
  listFlavorWarnings,
} from '../../scheduling/hosts/filters/aggregate-instance-type/aggregate-instance-type.ts'
import { isPlacementKey } from '../../scheduling/hosts/query/key-readers.ts'
import { parseBackends, realRootsOf, requireNoHostSettings } from '../../shares/backends/backends.file.ts'
import type { BackendChange } from '../../shares/backends/backends.ts'
import { toApiError as shareRefused } from '../../shares/errors.ts'
import type { ShareRefusal } from '../../shares/refusals.ts'
import { type ApplyReport, applyReportShape } from '../../wire/apply.ts'
import { hostSettings } from '../../wire/hosts.ts'
import {
  anything,
  byName,
  list,
  number,
  object,
  orNull,
  type TypeOf,
  text,
  uuid,
  whole,
  yesOrNo,
} from '../../wire/shape.ts'
import type { World } from '../../world/world.ts'
import { Problem, toCloudOwnedProblem } from '../api/problem.ts'
import { type V1Route, v1Write } from '../api/route.ts'
import { toHostFields } from '../fleet/host-fields.ts'
import { toComputeProblem } from '../fleet/hosts.routes.ts'

const KEY = '^[a-zA-Z0-9-_:. ]{1,255}$'
const OWNER = /^[a-zA-Z0-9._-]{1,64}$/
const INT = { minimum: 0, maximum: AMOUNT_MAX }
const nonZero = { ...INT, minimum: 1 }
const name = (what: string) => text(what, { minLength: 1, maxLength: 255 })
const value = text('A value.', { maxLength: 255 })

const host = object(
  'A host.',
  { name: name('Its name.') },
  { uuid: uuid('The uuid of its provider.'), ...hostSettings },
)

const flavor = object(
  'A flavor.',
  {
    name: name('Its name.'),
    ram: whole('MiB of memory.', nonZero),
    vcpus: whole('Processors.', nonZero),
    disk: whole('GiB of root disk.', INT),
  },
  {
    id: text('Its id; default: a new uuid.', { minLength: 1, maxLength: 255 }),
    ephemeral: whole('GiB of ephemeral disk; default: 0.', INT),
    swap: whole('MiB of swap; default: 0.', INT),
    rxtx_factor: number('Default: 1.', { minimum: 0, maximum: RATIO_MAX }),
    is_public: yesOrNo('Whether every project may use it; default: true.'),
    description: orNull(text('What it is for.', { maxLength: 65_535 })),
    extra_specs: byName(value, 'All extra specs.'),
    access: list(name('A project.'), 'All projects that may use it though it is not public.'),
  },
)

const aggregate = object(
  'A host aggregate.',
  { name: name('Its name.') },
  {
    availability_zone: name('The zone of its hosts.'),
    metadata: byName(value, 'All metadata but the zone.'),
    hosts: list(name('The name of a host.'), 'All its hosts.'),
  },
)

const declarations = object(
  'The declared state. A missing kind is left alone; an empty one removes everything of that kind that was applied.',
  {},
  {
    hosts: list(host, 'Hosts.'),
    flavors: list(flavor, 'Flavors.'),
    aggregates: list(aggregate, 'Host aggregates.'),
    shares: anything('Share back ends and types, as in `backends.json`: see `docs/reference/shares.md`.'),
  },
)

interface ApplyContext {
  readonly world: World
  readonly newUuid: () => string
  readonly ownPaths: () => readonly string[]
}

/** Applies all declarations in one commit. */
export function applyRoutes(context: ApplyContext): V1Route[] {
  return [
    v1Write({
      method: 'POST',
      path: '/apply',
      operation: 'berth:apply',
      bodyLimit: 'max_body_bytes',
      summary: 'Apply declared hosts, flavors, aggregates and share back ends',
      description:
        'Creates what is missing, changes what differs, and removes what an earlier request with the same owner ' +
        'created and this one no longer has: all of it in one commit, or nothing. What others created is changed ' +
        'if it is declared, and never removed. Fields that are not declared stay as they are, ' +
        'except the figures of flavors, which have defaults.',
      query: object(
        'Options.',
        {},
        {
          owner: text('The name of this set of declarations; default: `default`.'),
          dry_run: yesOrNo('Change nothing; only return what would change.'),
        },
      ),
      body: declarations,
      answer: {
        description: 'What was done to each object.',
        shape: applyReportShape,
      },
      problems: {
        400: 'The declarations are malformed, name something twice, or have an extra spec for Placement that cannot be read.',
        409: 'A declaration is refused; `kind`, `name` and `reason` say which and why. Nothing was changed.',
      },
      async write({ query, body, once }) {
        const { owner = 'default', dry_run = false } = query
        if (!OWNER.test(owner))
          throw new Problem(
            400,
            'apply.bad-owner',
            'An owner has 1 to 64 letters, digits, dots, dashes and _.',
          )
        const declared = toDeclarations(context.world, body)
        const count = [body.hosts, body.flavors, body.aggregates].reduce(
          (sum, one) => sum + (one?.length ?? 0),
          0,
        )
        const newUuids = Array.from({ length: count }, () => context.newUuid())
        const compute = { declarations: declared, owner, newUuids }
        const shares = await parseShares(context, owner, body.shares)
        return once.submit({ kind: 'apply', compute, shares, dryRun: dry_run }, outcome => {
          if (!outcome.ok) return toProblem(outcome.refusal)
          const plan = [...outcome.answer.plan, ...outcome.answer.backends.map(backendChangeBody)]
          return { status: 200, body: { dry_run, plan, warnings: listWarnings(context.world, body) } }
        })
      },
    }),
  ]
}

type Body = TypeOf<typeof declarations>

function toDeclarations(world: World, { hosts, flavors, aggregates }: Body): Declarations {
  return {
    ...(hosts && {
      hosts: hosts.map(({ name, uuid, ...settings }) => ({ name, uuid, ...toHostFields(settings) })),
    }),
    ...(flavors && { flavors: flavors.map(one => toFlavor(world, one)) }),
    ...(aggregates && {
      aggregates: aggregates.map(({ name, availability_zone: zone, metadata, hosts }) => {
        requireKeys(`aggregate ${name}`, metadata)
        return { name, zone, metadata, hosts }
      }),
    }),
  }
}

function toFlavor(world: World, given: NonNullable<Body['flavors']>[number]) {
  requireKeys(`flavor ${given.name}`, given.extra_specs)
  requireReadable(world, given)
  const { id, rxtx_factor = 1 } = given
  if (!(rxtx_factor > 0))
    throw new Problem(400, 'request.invalid', `flavor ${given.name}: rxtx_factor is above 0`)
  if (id !== undefined && !/^(?! )[a-zA-Z0-9. _-]+(?<! )$/.test(id))
    throw new Problem(400, 'request.invalid', `flavor ${given.name}: ${id} is not a valid id`)
  return {
    id,
    fields: {
      name: given.name,
      memory_mb: given.ram,
      vcpus: given.vcpus,
      root_gb: given.disk,
      rxtx_factor,
      ephemeral_gb: given.ephemeral ?? 0,
      swap: given.swap ?? 0,
      is_public: given.is_public ?? true,
      description: given.description ?? null,
    },
    extraSpecs: given.extra_specs,
    access: given.access,
  }
}

/** Keys for the Placement query must be valid. Otherwise no server could be placed as the flavor demands. */
function requireReadable(world: World, { name, extra_specs }: NonNullable<Body['flavors']>[number]): void {
  const found = findFaults(extra_specs ?? {}, world.traits).find(({ key }) => isPlacementKey(key))
  if (found === undefined) return
  const { key, requirement: value, fault } = found
  throw new Problem(400, 'apply.bad-extra-spec', `flavor ${name}: ${fault}`, { flavor: name, key, value })
}

const KEY_PATTERN = new RegExp(KEY)

function requireKeys(where: string, texts: Readonly<Record<string, string>> | undefined): void {
  const wrong = Object.keys(texts ?? {}).find(key => !KEY_PATTERN.test(key))
  if (wrong !== undefined)
    throw new Problem(
      400,
      'request.invalid',
      `${where}: '${wrong}' is not a key: use letters, digits and - _ : . only.`,
    )
}

/** Warns about everything that is declared, changed or not. */
function listWarnings(world: World, { flavors = [], aggregates = [] }: Body): string[] {
  const notes = [
    ...flavors.flatMap(one => {
      const fields = toFlavor(world, one)
      const view = makeFlavorView(
        world,
        { ...fields.fields, flavorid: one.name } as never,
        specsOf(one.extra_specs),
      )
      return [
        ...listFlavorWarnings(view).map(({ text }) => text),
        ...findFaults(one.extra_specs ?? {}, world.traits).map(({ fault }) => fault),
      ].map(text => `flavor ${one.name}: ${text}`)
    }),
    ...aggregates.flatMap(({ name, metadata }) =>
      listAggregateWarnings({ id: 0, uuid: name, name, metadata: specsOf(metadata) }).map(({ text }) => text),
    ),
  ]
  return notes
}

const specsOf = (specs: Readonly<Record<string, string>> | undefined): ReadonlyMap<string, string> =>
  new Map(Object.entries(specs ?? {}))

/** As in `backends.json`. */
async function parseShares(
  { newUuid, world, ownPaths }: ApplyContext,
  owner: string,
  given: unknown,
): Promise<ApplyAll['shares']> {
  if (given === undefined) return null
  const refuse = (reason: Error): never => {
    throw new Problem(400, 'request.invalid', `shares: ${reason.message}`)
  }
  const { types, defaultType, ...declared } = await parseBackends(given, ownPaths())
    .then(file => {
      requireNoHostSettings(world, file)
      return file
    })
    .catch(refuse)
  const uuids = (count: number) => Array.from({ length: count }, () => newUuid())
  const places = declared.backends.reduce((sum, { pools }) => sum + 1 + pools.length, 0)
  return {
    backends: { declared, owner, realRoots: await realRootsOf(world, declared), newUuids: uuids(places) },
    types: { types, defaultType, newUuids: uuids(types.length) },
  }
}

const ACTIONS = { added: 'create', changed: 'update', removed: 'remove', kept: 'unchanged' } as const

const backendChangeBody = ({ what, did }: BackendChange): ApplyReport['plan'][number] => ({
  kind: what.includes('#') ? 'share-pool' : 'share-backend',
  name: what,
  action: ACTIONS[did],
  owned: true,
  differences: [],
})

function toProblem(refusal: ApplyRefusal | ShareRefusal): Problem {
  if (refusal.kind === 'cloud-owned') return toCloudOwnedProblem(refusal)
  if (refusal.kind !== 'declared-twice' && refusal.kind !== 'declaration-refused') {
    const { message } = shareRefused(refusal)
    return new Problem(409, 'apply.refused', message, {
      kind: 'shares',
      reason: refusal.kind,
      facts: refusal,
    })
  }
  const { what, name } = refusal
  if (refusal.kind === 'declared-twice')
    return new Problem(400, 'apply.declared-twice', `The ${what} ${name} is declared twice.`, {
      kind: what,
      name,
    })
  const { code, message, facts } = toComputeProblem(refusal.refusal)
  return new Problem(409, 'apply.refused', `The ${what} ${name} is refused: ${message}`, {
    kind: what,
    name,
    reason: code,
    facts,
  })
}
