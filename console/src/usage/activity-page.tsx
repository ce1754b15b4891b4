import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { ActivityEntry } from '../../../src/wire/activity.ts'
import { readActivity } from '../api/usage.ts'
import { NotForYou } from '../controls/not-for-you.tsx'
import { Empty, Page, Panel, Waiting } from '../controls/page.tsx'
import { momentText, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import styles from './usage.module.css'

const LIMIT = 50
/** Changes of others come at any time. */
const AGAIN_MS = 5_000

/** What changed, by whom, in words. */
export default function ActivityPage() {
  const { may } = useSession()
  const [params, change] = useUrlState()
  const about = params.get('about') ?? ''
  const [wanted] = useDebouncedValue(about.trim(), 250)
  const query = useInfiniteQuery({
    queryKey: ['activity', wanted],
    queryFn: ({ pageParam }) =>
      readActivity({
        limit: LIMIT,
        ...(wanted.length < 2 ? {} : { about: wanted }),
        ...(pageParam === null ? {} : { before: pageParam }),
      }),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.next,
    enabled: may('berth:activity'),
    // Once somebody reads on, what is above must not move.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : AGAIN_MS),
  })
  if (!may('berth:activity')) return <NotForYou title="Activity" operation="berth:activity" />
  const entries = query.data?.pages.flatMap(page => page.entries)
  return (
    <Page title="Activity" text="What changed, and who asked for it. New changes appear by themselves.">
      <Panel
        title="Latest changes"
        aside={
          <TextInput
            size="xs"
            aria-label="Only changes with this in their words"
            placeholder="Host, server, flavor …"
            value={about}
            onChange={event => change({ about: event.currentTarget.value })}
          />
        }
        flush
      >
        {entries === undefined ? (
          <Waiting query={query} what="the latest changes" />
        ) : entries.length === 0 && !query.hasNextPage ? (
          <Empty title="No change is like this">Changes are shown as long as the server keeps them.</Empty>
        ) : (
          <ol className={styles.feed}>
            {entries.map(entry => (
              <Entry key={entry.first_revision} entry={entry} />
            ))}
          </ol>
        )}
        {query.hasNextPage && (
          <button
            type="button"
            className={styles.more}
            disabled={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show older
          </button>
        )}
      </Panel>
    </Page>
  )
}

function Entry({ entry }: { readonly entry: ActivityEntry }) {
  const { at, user, user_name, text, count, subjects, revision } = entry
  return (
    <li>
      <span className={styles.who}>
        <b>{user_name ?? user ?? 'Berth'}</b> <time dateTime={at}>{momentText(at)}</time>
      </span>
      <span className={styles.what}>
        {text}
        {count > 1 && <span className="soft">; and {plural(count - 1, 'more', 'more')} of this kind</span>}
      </span>
      <span className={styles.links}>
        {subjects.map(({ name, link }) => (
          <Link key={link} href={link}>
            {shorten(name)}
          </Link>
        ))}
        <span className="soft number">#{revision}</span>
      </span>
    </li>
  )
}

/** Ids are cut: the page behind the link has them whole. */
const shorten = (name: string): string =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(name) ? `${name.slice(0, 8)}…` : name
