import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Whoami } from '../../../src/wire/admin.ts'
import { projectNameOf, readOwner, userNameOf } from '../api/berth.ts'
import { keptToken } from '../session/kept-token.ts'
import styles from './sign-in.module.css'
import { useEntering, Wrong } from './sign-in.tsx'

/**
 * A link carries a token. The author of the link chose the user, and would see what is done as that user: so
 * the page names the user, and the person decides.
 */
export default function BroughtToken({
  token,
  onStay,
  onSignedIn,
}: {
  readonly token: string
  readonly onStay: () => void
  readonly onSignedIn: (who: Whoami, token: string) => void
}) {
  const isSignedIn = keptToken() !== null
  const safe = useRef<HTMLButtonElement>(null)
  const owner = useQuery({
    queryKey: ['owner of a brought token', token],
    queryFn: () => readOwner(token),
    retry: false,
    gcTime: 0,
  })
  const { error, isBusy, enter } = useEntering(onSignedIn)
  const wrong = error ?? owner.error
  useEffect(() => {
    document.title = 'A token from a link · Berth'
    safe.current?.focus()
  }, [])
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <h1>{isSignedIn ? 'The link brought another token' : 'The link brought a token'}</h1>
        <p>
          {isSignedIn
            ? 'You are signed in on this tab already, and the link would sign you in as another user, or for another project. '
            : 'It would sign you in without a password. '}
          Go on only if you trust where it came from: whoever gave you the link may be signed in as the same
          user, and see what you do.
        </p>
        {owner.data !== undefined && <Owner who={owner.data} />}
        {wrong !== null && <Wrong error={wrong} by="token" />}
        <Button ref={safe} size="sm" onClick={onStay}>
          {isSignedIn ? 'Stay as I am' : 'Sign in another way'}
        </Button>
        <Button
          variant="default"
          size="sm"
          loading={isBusy}
          disabled={owner.data === undefined}
          onClick={() => void enter(async () => ({ token, isOwn: false }))}
        >
          Use the token of the link
        </Button>
      </div>
    </main>
  )
}

function Owner({ who }: { readonly who: Whoami }) {
  return (
    <p role="status">
      You would be user <strong title={who.user_id}>{userNameOf(who)}</strong>
      {who.project_id === null ? ' in no project' : ' in project '}
      {who.project_id !== null && <strong title={who.project_id}>{projectNameOf(who)}</strong>}, with{' '}
      {who.roles.length === 0 ? 'no role' : `the roles ${who.roles.join(', ')}`}.
    </p>
  )
}
