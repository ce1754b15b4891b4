import { Semaphore } from '../../kernel/semaphore.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { FIT_FLAVORS_DEFAULT, FIT_FLAVORS_MAX, type Fit, fitShape } from '../../wire/fit.ts'
import { list, object, type TypeOf, text, whole } from '../../wire/shape.ts'
import type { FlavorRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import { makeBusyProblem, Problem } from '../api/problem.ts'
import { type V1Route, v1Route } from '../api/route.ts'
import { countAllFits, type FitQuestion } from './fit.ts'

/** Limits how much counting slows down other requests. */
const AT_ONCE_MAX = 2

const query = object(
  'What to list.',
  {},
  {
    flavor: list(text('An id or a name.'), 'Only this flavor; repeat for several.', {
      maxItems: FIT_FLAVORS_MAX,
    }),
    project_id: text('The project of the servers; default: one that may use the flavor.', {
      maxLength: 255,
    }),
    after: text('Only flavors after the one with this id, in the order of names.'),
    limit: whole(`How many flavors at most; default: ${FIT_FLAVORS_DEFAULT}.`, {
      minimum: 1,
      maximum: FIT_FLAVORS_MAX,
    }),
  },
)

interface FitContext {
  readonly world: World
  readonly setup: () => SchedulingSetup
}

/** How many more servers of every flavor fit, by zone. */
export function fitRoutes(context: FitContext): V1Route[] {
  const counts = new FitCounts(context)
  return [
    v1Route({
      method: 'GET',
      path: '/fit',
      operation: 'berth:simulate',
      summary: 'Count how many more servers of each flavor fit, by zone',
      description:
        'For new servers without image, zone and hints. A zone counts as if all went there, so zones that use the same shared ' +
        'storage may add up to more than fits in all. Counts on the current state without a copy of it, so it is fast: use it ' +
        'for an overview, and `POST /v1/simulate` for one flavor with hosts, changes and what ends it.',
      query,
      answer: { description: 'The counts.', shape: fitShape },
      problems: {
        404: 'There is no such flavor.',
        503: 'Too many such requests are running: try again.',
      },
      handle: ({ query: asked }) => counts.answer(asked),
    }),
  ]
}

/** Counts only once for equal requests on the same state. */
class FitCounts {
  readonly #context: FitContext
  readonly #permits = new Semaphore(AT_ONCE_MAX)
  #last: { readonly key: string; readonly fit: Promise<Fit> } | null = null

  constructor(context: FitContext) {
    this.#context = context
  }

  answer(asked: TypeOf<typeof query>): Promise<Fit> {
    const { world, setup } = this.#context
    const key = JSON.stringify([world.lives, world.revision, asked])
    if (this.#last?.key === key) return this.#last.fit
    const question = toQuestion(world, asked)
    const fit = this.#permits.run(() => countAllFits(world, setup(), question), makeBusy)
    const entry = { key, fit }
    this.#last = entry
    fit.catch(() => {
      if (this.#last === entry) this.#last = null
    })
    return fit
  }
}

const makeBusy = () => makeBusyProblem('fit.busy', AT_ONCE_MAX)

function toQuestion(world: World, asked: TypeOf<typeof query>): FitQuestion {
  const { flavor: names, after, limit = FIT_FLAVORS_DEFAULT, project_id: project = null } = asked
  const all =
    names === undefined ? world.compute.flavors.all() : names.map(name => findFlavorOr404(world, name))
  const sorted = [...new Set(all)].sort((a, b) => (a.name < b.name ? -1 : 1))
  const rest = after === undefined ? sorted : sorted.slice(1 + findPlace(sorted, after))
  return { project, flavors: rest.slice(0, limit), truncated: rest.length > limit }
}

/** By id, then by name. */
function findFlavorOr404({ compute }: World, given: string): FlavorRow {
  const found = compute.flavors.find(given) ?? compute.flavors.all().find(({ name }) => name === given)
  if (found === undefined) throw makeMissing('flavor', given)
  return found
}

function findPlace(sorted: readonly FlavorRow[], after: string): number {
  const at = sorted.findIndex(({ flavorid }) => flavorid === after)
  if (at < 0) throw makeMissing('after', after)
  return at
}

const makeMissing = (field: string, flavor: string): Problem =>
  new Problem(404, 'schedule.flavor-missing', `${field}: there is no flavor ${flavor}.`, { field, flavor })
