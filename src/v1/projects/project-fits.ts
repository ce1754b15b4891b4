import { BoundedCache } from '../../identity/bounded-cache.ts'
import { Semaphore } from '../../kernel/semaphore.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import { FIT_FLAVORS_DEFAULT, type Fit, type FlavorFit } from '../../wire/fit.ts'
import { PROJECT_FITS_MAX, type ProjectFit } from '../../wire/projects.ts'
import type { FlavorRow } from '../../world/compute.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { countAllFits } from '../schedule/fit.ts'

/** Members can ask as often as they like: equal questions get the same answer for this long. */
const KEPT_MS = 10_000
const KEPT_MAX = 100
const WAIT_MS_MAX = 5_000

interface FitsContext {
  readonly world: World
  readonly setup: () => SchedulingSetup
  readonly nowMs: () => number
}

/** Counts for projects one after the other, so that their members do not slow down the scheduler. */
export class ProjectFits {
  readonly #context: FitsContext
  readonly #permit = new Semaphore(1)
  readonly #kept = new BoundedCache<{ readonly atMs: number; readonly fit: Promise<ProjectFit> }>(KEPT_MAX)

  constructor(context: FitsContext) {
    this.#context = context
  }

  answer(project: string, after: string | undefined): Promise<ProjectFit> {
    const { world, nowMs } = this.#context
    const key = JSON.stringify([world.lives, project, after])
    const kept = this.#kept.get(key)
    if (kept !== undefined && nowMs() - kept.atMs < KEPT_MS) return kept.fit
    const fit = this.#count(project, after)
    this.#kept.set(key, { atMs: nowMs(), fit })
    fit.catch(() => this.#kept.delete(key))
    return fit
  }

  async #count(project: string, after: string | undefined): Promise<ProjectFit> {
    const { world, setup } = this.#context
    const release = await this.#permit.acquire(WAIT_MS_MAX)
    if (release === null)
      throw new Problem(503, 'fit.busy', 'Too many projects ask what fits for them: try again.')
    try {
      const mine = listFlavors(world, project)
      const from = after === undefined ? 0 : 1 + findPlace(mine, after)
      const flavors = mine.slice(from, from + FIT_FLAVORS_DEFAULT)
      const truncated = mine.length > from + FIT_FLAVORS_DEFAULT
      return fitBody(await countAllFits(world, setup(), { project, flavors, truncated }))
    } finally {
      release()
    }
  }
}

/** Public flavors and those that the project has access to, by name. */
function listFlavors({ compute }: World, project: string): FlavorRow[] {
  return compute.flavors
    .all()
    .filter(
      ({ id, is_public }) =>
        is_public === 1 || compute.flavorAccess.list(id).some(({ project_id }) => project_id === project),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function findPlace(flavors: readonly FlavorRow[], after: string): number {
  const at = flavors.findIndex(({ flavorid }) => flavorid === after)
  if (at < 0)
    throw new Problem(404, 'schedule.flavor-missing', `after: there is no flavor ${after}.`, {
      field: 'after',
      flavor: after,
    })
  return at
}

function fitBody({ zones, flavors, truncated }: Fit): ProjectFit {
  return {
    zones: zones.map(({ zone }) => zone),
    flavors: flavors.map(({ id, name, vcpus, ram, disk, reason, zones: counts, ...count }) => ({
      id,
      name,
      vcpus,
      ram,
      disk,
      reason,
      ...limitCount(count),
      zones: counts.map(limitCount),
    })),
    truncated,
  }
}

/** Without the number of hosts. */
const limitCount = ({ fits, exact }: Pick<FlavorFit, 'fits' | 'exact'>) => ({
  fits: Math.min(fits, PROJECT_FITS_MAX),
  more: fits > PROJECT_FITS_MAX,
  exact,
})
