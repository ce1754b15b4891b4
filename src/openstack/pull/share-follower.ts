import { inParallel } from '../../client/in-parallel.ts'
import type { CloudService } from '../cloud/cloud-service.ts'
import type { ManilaShare, ManilaShares } from './manila-state.ts'

const PATH = '/shares/detail'
const ALL = { all_tenants: '1', sort_key: 'created_at', sort_dir: 'desc' }
const PAGE = 1_000
const AT_ONCE = 8
/** At most this many shares are read one by one in a round. */
const SINGLE_MAX = 50

/** One page of the list, from the newest to the oldest. */
interface Page {
  readonly shares: readonly ManilaShare[]
  readonly at: number
  readonly count: number
}

/**
 * Follows the shares of a Manila. Manila has no list of changes, so each round reads two pages: the newest shares, and one further page
 * in turn. Shares in a transitional state are read one by one, and so are shares that are missing in their page: they may be deleted.
 */
export class ShareFollower {
  readonly #shares = new Map<string, ManilaShare>()
  readonly #targets = new Map<string, string>()
  #next = 0

  async readAll(manila: CloudService): Promise<ManilaShares> {
    const shares = await manila.list<ManilaShare>(PATH, 'shares', { paging: 'offset', query: ALL })
    this.#shares.clear()
    for (const share of shares) this.#shares.set(share.id, share)
    this.#targets.clear()
    return this.#finish(manila, Number.POSITIVE_INFINITY)
  }

  async readSome(manila: CloudService): Promise<ManilaShares> {
    const newest = await readPage(manila, 0)
    const doubtful = this.#keepPage(newest)
    const { length } = newest.shares
    if (length < newest.count && length > 0) {
      // Pages share one share, so that none can go between two of them unseen.
      const at = this.#next < length || this.#next >= newest.count ? length - 1 : this.#next - 1
      const page = await readPage(manila, at)
      for (const id of this.#keepPage(page)) doubtful.add(id)
      this.#next = at + Math.max(2, page.shares.length)
    }
    const seen = new Set(newest.shares.map(({ id }) => id))
    for (const share of this.#shares.values())
      if (isBusy(share) && !seen.has(share.id)) doubtful.add(share.id)
    await this.#askAbout(manila, [...doubtful].slice(0, SINGLE_MAX))
    return this.#finish(manila, SINGLE_MAX)
  }

  /** The shares that are known and should be on this page. */
  #keepPage({ shares, at, count }: Page): Set<string> {
    const missing = new Set<string>()
    const ids = new Set(shares.map(({ id }) => id))
    const youngest = at === 0 ? null : shares[0]?.created_at
    const oldest = at + shares.length >= count ? null : shares.at(-1)?.created_at
    if (youngest !== undefined && oldest !== undefined)
      for (const { id, created_at } of this.#shares.values()) {
        const isInside =
          (youngest === null || created_at < youngest) && (oldest === null || created_at > oldest)
        if (isInside && !ids.has(id)) missing.add(id)
      }
    for (const share of shares) this.#shares.set(share.id, share)
    return missing
  }

  async #askAbout(manila: CloudService, ids: readonly string[]): Promise<void> {
    const found = await inParallel(ids, AT_ONCE, id =>
      manila.getIfAny<{ share: ManilaShare }>(`/shares/${id}`),
    )
    for (const [at, answer] of found.entries()) {
      const id = ids[at] as string
      if (answer === null) this.#shares.delete(id)
      else this.#shares.set(id, answer.share)
    }
  }

  /** Finds where shares are being moved, which only their instances tell. A target that is known stays. */
  async #finish(manila: CloudService, askedMax: number): Promise<ManilaShares> {
    const isMoving = (id: string) => this.#shares.get(id)?.status === 'migrating'
    for (const id of this.#targets.keys()) if (!isMoving(id)) this.#targets.delete(id)
    const unknown = [...this.#shares.keys()].filter(id => isMoving(id) && !this.#targets.has(id))
    await inParallel(unknown.slice(0, askedMax), AT_ONCE, async id => {
      const answer = await manila.getIfAny<{ share_instances: readonly Instance[] }>(
        `/shares/${id}/instances`,
      )
      const target = answer?.share_instances.find(({ status }) => status === 'migrating_to')?.host
      if (typeof target === 'string') this.#targets.set(id, target)
    })
    return { shares: this.#shares, targets: this.#targets }
  }
}

interface Instance {
  readonly status: string
  readonly host: string | null
}

async function readPage(manila: CloudService, at: number): Promise<Page> {
  const query = { ...ALL, with_count: 'True', limit: String(PAGE), offset: String(at) }
  const { shares, count } = await manila.get<{ shares: ManilaShare[]; count: number }>(PATH, query)
  return { shares, at, count }
}

/** States that end by themselves. */
const BUSY = new Set([
  'creating',
  'creating_from_snapshot',
  'deleting',
  'extending',
  'shrinking',
  'migrating',
  'reverting',
])

const isBusy = ({ status, task_state }: ManilaShare): boolean =>
  BUSY.has(status) ||
  (task_state !== null && task_state !== undefined && !/(success|error|cancelled)$/.test(task_state))
