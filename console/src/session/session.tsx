import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { Whoami } from '../../../src/wire/admin.ts'
import type { ServerFacts } from '../../../src/wire/server-facts.ts'
import { readWhoami, userNameOf } from '../api/berth.ts'
import { carryToken } from '../api/http.ts'
import { revokeToken } from '../api/identity.ts'
import { LiveFleet, type Picture } from '../fleet/live.ts'
import { forgetToken, isKeptOwn, keepToken, keptSession, keptToken } from './kept-token.ts'
import { OtherTabs } from './other-tabs.ts'
import { StaleAnswers } from './stale-answers.ts'

interface Session {
  readonly who: Whoami
  readonly server: ServerFacts
  may(operation: string): boolean
  /** The reason, for a disabled control; null if allowed. */
  whyNot(operation: string): string | null
  has(service: string): boolean
  signOut(): void
}

const SessionContext = createContext<Session | null>(null)
const LiveContext = createContext<LiveFleet | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('no user is signed in')
  return session
}

/** The current fleet; the view renders again whenever it changes. */
export function usePicture(): Picture {
  const live = useContext(LiveContext)
  if (live === null) throw new Error('there is no fleet outside a session')
  return useSyncExternalStore(live.subscribe, live.picture)
}

/** Signs in with a token, and looks up its user. */
export async function signIn(token: string, isOwn?: boolean): Promise<Whoami> {
  carryToken(token)
  try {
    const who = await readWhoami()
    keepToken(token, isOwn)
    return who
  } catch (error) {
    carryToken(null)
    throw error
  }
}

export function SessionProvider({
  who,
  server,
  onSignOut,
  children,
}: {
  readonly who: Whoami
  readonly server: ServerFacts
  /** With a message for the sign-in page, if any. */
  readonly onSignOut: (hint: string | null) => void
  readonly children: ReactNode
}) {
  const queries = useQueryClient()
  const tabs = useRef<OtherTabs>(null)
  const session = useMemo(() => {
    const allowed = new Set(who.allowed)
    const leave = (hint: string | null) => {
      endToken(server)
      forgetToken()
      carryToken(null)
      queries.clear()
      onSignOut(hint)
    }
    const roles = who.roles.length === 0 ? 'no role' : who.roles.join(', ')
    return {
      who,
      server,
      may: (operation: string) => allowed.has(operation),
      whyNot: (operation: string) =>
        allowed.has(operation)
          ? null
          : `The policy does not allow ${operation} to ${userNameOf(who)} (${roles}).`,
      has: (service: string) =>
        service === 'shadow' ? server.shadow === true : server.services.some(({ name }) => name === service),
      signOut: () => {
        tabs.current?.signOut()
        leave(null)
      },
      leave,
    }
  }, [who, server, queries, onSignOut])
  useEffect(() => {
    tabs.current = new OtherTabs(keptSession, () => session.leave('You signed out in another tab.'))
    return () => tabs.current?.close()
  }, [session])
  const live = useLiveFleet()
  if (live === null) return null
  return (
    <SessionContext value={session}>
      <LiveContext value={live}>{children}</LiveContext>
    </SessionContext>
  )
}

/** Only the console uses a token that it got for a password. Keystone revokes its own. */
function endToken({ auth }: ServerFacts): void {
  const token = keptToken()
  if (auth === 'token' && token !== null && isKeptOwn()) revokeToken(token).catch(() => undefined)
}

function useLiveFleet(): LiveFleet | null {
  const queries = useQueryClient()
  const [live, setLive] = useState<LiveFleet | null>(null)
  useEffect(() => {
    const answers = new StaleAnswers(queries)
    const made = new LiveFleet(answers)
    setLive(made)
    made.run()
    return () => {
      made.stop()
      answers.stop()
    }
  }, [queries])
  return live
}
