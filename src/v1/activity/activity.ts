import type { ChangeFeed } from '../../store/sequencer/change-feed.ts'
import type { Applied } from '../../store/sequencer/observer.ts'
import type { Store } from '../../store/store.ts'
import type { PlainRow } from '../../store/tables/plain-tables.ts'
import type { Activity, ActivityEntry } from '../../wire/activity.ts'
import type { RecordedChange } from '../../wire/changes.ts'
import { renderOps } from '../../world/naming.ts'
import type { World } from '../../world/world.ts'
import type { Turns } from '../api/in-turns.ts'
import type { VisibleTables } from '../fleet/feed-rights.ts'
import { changeText } from './change-text.ts'
import { listSubjects, makeNames } from './names.ts'

interface ActivityAsk {
  /** Only what is older than this revision. */
  readonly before: number | null
  /** Only what is newer than this revision. */
  readonly after: number
  readonly limit: number
  readonly user: string | null
  /** In lower case: only entries with this in their words. */
  readonly about: string | null
}

interface ActivitySources {
  readonly world: World
  readonly feed: Pick<ChangeFeed, 'revision' | 'readAfter'>
  readonly store: Pick<Store, 'plainRows'>
  readonly sight: VisibleTables
  readonly nowMs: number
  readonly turns: Turns
}

type AuditRow = PlainRow<'audit_log'>

const CHANGES_PER_PAGE = 200
/** With filters, a request looks at so many changes at most; `next` goes on from there. */
const LOOKED_AT_MAX = 2_000
/** Of the same kind by the same caller in a row: further ones begin a new entry. */
const TOGETHER_MS_MAX = 10 * 60_000

/** The latest changes in words, each with who asked for it. */
export async function readActivity(sources: ActivitySources, asked: ActivityAsk): Promise<Activity> {
  const { feed } = sources
  const { revision } = feed
  const entries: ActivityEntry[] = []
  let at = asked.before ?? revision + 1
  for (let looked = 0; looked < LOOKED_AT_MAX && at > asked.after + 1; ) {
    const changes = await readBefore(feed, at, asked.after)
    if (changes.length === 0) return { entries, revision, next: null }
    const callers = await readCallers(sources, changes)
    for (const change of changes.reverse()) {
      const entry = renderEntry(sources, change, callers.get(change.revision))
      const isWanted = isAsked(entry, asked)
      const last = entries.at(-1)
      if (isWanted && last !== undefined && isSameKind(last, entry))
        entries[entries.length - 1] = join(last, entry)
      else if (isWanted && entries.length === asked.limit) return { entries, revision, next: String(at) }
      else if (isWanted) entries.push(entry)
      at = change.revision
      looked++
      await sources.turns.give()
    }
  }
  return { entries, revision, next: at > asked.after + 1 ? String(at) : null }
}

const isAsked = (entry: ActivityEntry, { user, about }: ActivityAsk): boolean =>
  (user === null || entry.user === user) && (about === null || entry.text.toLowerCase().includes(about))

/** The last changes before a revision, oldest first; fewer or none where they are no longer kept. */
async function readBefore(feed: ActivitySources['feed'], before: number, after: number): Promise<Applied[]> {
  const found: Applied[] = []
  let from = Math.max(after, before - 1 - CHANGES_PER_PAGE)
  // A page has fewer changes if they are large.
  while (from < before - 1) {
    const page = await feed.readAfter(from, before - 1 - from)
    if (!page.kept) {
      if (page.oldestKept >= before || page.oldestKept <= from + 1) return []
      from = page.oldestKept - 1
      continue
    }
    if (page.changes.length === 0) break
    found.push(...page.changes)
    from = (page.changes.at(-1) as Applied).revision
  }
  return found
}

/**
 * The rows of the audit log of some changes, by revision. They have the times of their changes, which need not rise with the revision: each
 * process has its own clock.
 */
async function readCallers(
  { store, nowMs }: ActivitySources,
  changes: readonly Applied[],
): Promise<Map<number, AuditRow>> {
  const wanted = new Set(changes.map(({ revision }) => revision))
  const times = changes.map(({ atMs }) => atMs)
  const oldestMs = Math.min(...times)
  const callers = new Map<number, AuditRow>()
  let after: readonly (string | number)[] = [Math.max(...times) + 1, '']
  for (;;) {
    const rows = await store.plainRows('audit_log', { after, limit: CHANGES_PER_PAGE }, nowMs)
    for (const row of rows) if (wanted.has(row.revision)) callers.set(row.revision, row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < CHANGES_PER_PAGE || last.at_ms < oldestMs) return callers
    after = [last.at_ms, last.id]
  }
}

function renderEntry(
  { world, sight }: ActivitySources,
  change: Applied,
  caller: AuditRow | undefined,
): ActivityEntry {
  const at = new Date(change.atMs).toISOString()
  const ops = renderOps(change).filter(({ table }) => sight.shows(table)) as RecordedChange['ops']
  const isHidden = ops.length === 0 && change.change.ops.length > 0
  return {
    at,
    since: at,
    revision: change.revision,
    first_revision: change.revision,
    count: 1,
    user: caller?.user ?? null,
    user_name: caller === undefined ? null : findUserName(world, caller.user),
    request_id: caller?.request_id ?? null,
    command: caller?.command ?? null,
    text: isHidden
      ? 'something that you may not see'
      : changeText({ revision: change.revision, at, ops }, makeNames(world, ops)),
    subjects: listSubjects(world, ops),
  }
}

const findUserName = ({ identity }: World, id: string): string | null => identity.users.find(id)?.name ?? null

/** What the server does itself has no command: each such change is an entry. */
const isSameKind = (later: ActivityEntry, earlier: ActivityEntry): boolean =>
  later.command !== null &&
  later.command === earlier.command &&
  later.user === earlier.user &&
  Date.parse(later.since) - Date.parse(earlier.at) <= TOGETHER_MS_MAX

const join = (later: ActivityEntry, earlier: ActivityEntry): ActivityEntry => ({
  ...later,
  since: earlier.since,
  first_revision: earlier.first_revision,
  count: later.count + 1,
})
