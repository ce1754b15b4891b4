/**
 * Tabs of this server in one browser share a session. The token stays in the memory of tabs: a new tab asks the
 * open ones, and nothing is stored where it would outlive them. Only pages of the same origin hear each other.
 */

export interface TabSession {
  readonly token: string
  /** The console got it for a password, so it may revoke it. */
  readonly isOwn: boolean
}

type Message =
  | { readonly kind: 'ask'; readonly id: string }
  | ({ readonly kind: 'answer'; readonly id: string } & TabSession)
  | { readonly kind: 'sign-out' }

const CHANNEL = 'berth-session'
/** Tabs in the background answer within a few milliseconds; one that is frozen never does. */
const ANSWER_MS = 250

/** The session of another tab; null if there is none. */
export function askOtherTabs(): Promise<TabSession | null> {
  const channel = new BroadcastChannel(CHANNEL)
  const id = String(Math.random())
  return new Promise<TabSession | null>(resolve => {
    const timer = setTimeout(resolve, ANSWER_MS, null)
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind !== 'answer' || data.id !== id) return
      clearTimeout(timer)
      resolve({ token: data.token, isOwn: data.isOwn })
    }
    channel.postMessage({ kind: 'ask', id } satisfies Message)
  }).finally(() => channel.close())
}

/** Answers new tabs, and notices when another tab signs out. */
export class OtherTabs {
  readonly #channel = new BroadcastChannel(CHANNEL)

  constructor(session: () => TabSession | null, onSignOut: () => void) {
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'sign-out') onSignOut()
      const mine = data.kind === 'ask' ? session() : null
      if (data.kind === 'ask' && mine !== null)
        this.#channel.postMessage({ kind: 'answer', id: data.id, ...mine } satisfies Message)
    }
  }

  signOut(): void {
    this.#channel.postMessage({ kind: 'sign-out' } satisfies Message)
  }

  close(): void {
    this.#channel.close()
  }
}
