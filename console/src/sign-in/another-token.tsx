import { Button } from '@mantine/core'
import { useEffect } from 'react'
import type { Whoami } from '../api/berth.ts'
import styles from './sign-in.module.css'
import { useEntering, Wrong } from './sign-in.tsx'

/** A link brought a token along, but somebody is signed in already: it is theirs to say who they want to be. */
export default function AnotherToken({
  token,
  onStay,
  onSignedIn,
}: {
  readonly token: string
  readonly onStay: () => void
  readonly onSignedIn: (who: Whoami, token: string) => void
}) {
  const { error, isBusy, enter } = useEntering(onSignedIn)
  useEffect(() => {
    document.title = 'Another token · Berth'
  }, [])
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <h1>The link brought another token</h1>
        <p>
          You are signed in on this tab already, and the link would sign you in as somebody else, or for
          another project. Go on only if you trust where it came from.
        </p>
        {error !== null && <Wrong error={error} by="token" />}
        <Button size="sm" data-autofocus onClick={onStay}>
          Stay as I am
        </Button>
        <Button
          variant="default"
          size="sm"
          loading={isBusy}
          onClick={() => void enter(async () => ({ token, isOwn: false }))}
        >
          Use the token of the link
        </Button>
      </div>
    </main>
  )
}
