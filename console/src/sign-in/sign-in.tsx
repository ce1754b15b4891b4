import { Button, PasswordInput, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import type { ServerFacts, Whoami } from '../api/berth.ts'
import { Failure } from '../api/http.ts'
import { FailureNote, Note } from '../controls/page.tsx'
import { signIn } from '../session/session.tsx'
import styles from './sign-in.module.css'

export function SignIn({
  server,
  hint,
  onSignedIn,
}: {
  readonly server: ServerFacts
  readonly hint: string | null
  readonly onSignedIn: (who: Whoami, token: string) => void
}) {
  const believes = server.auth === 'noauth2'
  const [token, setToken] = useState(believes ? 'admin' : '')
  const { error, isBusy, enter } = useEntering(onSignedIn)
  useEffect(() => {
    document.title = 'Sign in · Berth'
  }, [])
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    void enter(token.trim())
  }
  return (
    <main className={styles.screen}>
      <div className={styles.card}>
        <div className={styles.brand}>
          <img src="/favicon.svg" alt="" />
          <div>
            <h1>Berth</h1>
            <p>Where things go, what is where, and why</p>
          </div>
        </div>
        {hint !== null && error === null && <Note tone="warm">{hint}</Note>}
        {error !== null && <Wrong error={error} />}
        <form onSubmit={onSubmit} className={styles.form}>
          {believes ? (
            <TextInput
              label="Who are you?"
              description="USER, USER:PROJECT or USER:PROJECT:ROLE,ROLE"
              size="sm"
              value={token}
              onChange={event => setToken(event.currentTarget.value)}
            />
          ) : (
            <PasswordInput
              label="Token"
              size="sm"
              autoComplete="current-password"
              value={token}
              onChange={event => setToken(event.currentTarget.value)}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the token' }}
            />
          )}
          <Button type="submit" size="sm" loading={isBusy} disabled={token.trim() === ''}>
            Sign in
          </Button>
        </form>
        <p className={styles.help}>
          {believes ? (
            'This server believes whatever callers say. That is for trying things out.'
          ) : (
            <>
              The first start of the server printed the admin token. It is kept in <code>admin-token</code> in
              the data directory:
              <br />
              <code>cat berth-data/admin-token</code>
            </>
          )}
        </p>
      </div>
    </main>
  )
}

function Wrong({ error }: { readonly error: unknown }) {
  if (error instanceof Failure && error.status === 401)
    return (
      <Note tone="hot">
        <strong>The server does not know this token.</strong>
        <p>Is it from another server, or was it cut when it was copied?</p>
      </Note>
    )
  return <FailureNote error={error} />
}

function useEntering(onSignedIn: (who: Whoami, token: string) => void) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const enter = async (token: string) => {
    setBusy(true)
    setError(null)
    try {
      onSignedIn(await signIn(token), token)
    } catch (caught) {
      setError(caught)
      setBusy(false)
    }
  }
  return { error, isBusy, enter }
}
