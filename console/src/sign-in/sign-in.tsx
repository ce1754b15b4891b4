import { Button, PasswordInput, SegmentedControl, Select, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import type { ServerFacts, Whoami } from '../api/berth.ts'
import { Failure } from '../api/http.ts'
import { type Project, signInByPassword } from '../api/identity.ts'
import { FailureNote, Note } from '../controls/page.tsx'
import { signIn } from '../session/session.tsx'
import styles from './sign-in.module.css'

export default function SignIn({
  server,
  hint,
  onSignedIn,
}: {
  readonly server: ServerFacts
  readonly hint: string | null
  readonly onSignedIn: (who: Whoami, token: string) => void
}) {
  const hasUsers = server.services.some(({ name }) => name === 'identity')
  const [by, setBy] = useState<'password' | 'token'>(hasUsers ? 'password' : 'token')
  const entering = useEntering(onSignedIn)
  useEffect(() => {
    document.title = 'Sign in · Berth'
  }, [])
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
        {hint !== null && entering.error === null && <Note tone="warm">{hint}</Note>}
        {entering.error !== null && <Wrong error={entering.error} by={by} />}
        {hasUsers && (
          <SegmentedControl
            aria-label="Sign in by"
            value={by}
            onChange={value => setBy(value as 'password' | 'token')}
            data={[
              { value: 'password', label: 'Password' },
              { value: 'token', label: 'Token' },
            ]}
          />
        )}
        {by === 'password' ? (
          <PasswordForm isKeystone={server.auth === 'keystone'} {...entering} />
        ) : (
          <TokenForm auth={server.auth} {...entering} />
        )}
      </div>
    </main>
  )
}

type Entering = ReturnType<typeof useEntering>

function TokenForm({ auth, isBusy, enter }: Entering & { readonly auth: string }) {
  const believes = auth === 'noauth2'
  const [token, setToken] = useState(believes ? 'admin' : '')
  return (
    <>
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          void enter(async () => token.trim())
        }}
      >
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
      <p className={styles.help}>{HELP[auth] ?? HELP.token}</p>
    </>
  )
}

const HELP: Readonly<Record<string, ReactNode>> = {
  noauth2: 'This server believes whatever callers say. That is for trying things out.',
  keystone: (
    <>
      This server asks Keystone about tokens. Get one with <code>openstack token issue -f value -c id</code>,
      or use the admin token of the server.
    </>
  ),
  token: (
    <>
      The first start of the server printed the admin token. It is kept in <code>admin-token</code> in the
      data directory:
      <br />
      <code>cat berth-data/admin-token</code>
    </>
  ),
}

/** With a user of this server, or of the Keystone that it asks. Whoever is in several projects is asked which. */
function PasswordForm({ isKeystone, isBusy, enter }: Entering & { readonly isKeystone: boolean }) {
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [domain, setDomain] = useState('Default')
  const [project, setProject] = useState('')
  const [projects, setProjects] = useState<readonly Project[]>([])
  const submit = () =>
    enter(async () => {
      const answer = await signInByPassword({ user: user.trim(), password, domain: domain.trim(), project })
      if (answer.project !== null) return answer.token
      setProjects(answer.projects)
      if (answer.projects.length === 0)
        throw new Failure(403, `${user} is in no project, and may do nothing here.`)
      return null
    })
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <TextInput
        label="User"
        size="sm"
        autoComplete="username"
        value={user}
        onChange={event => setUser(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        size="sm"
        autoComplete="current-password"
        value={password}
        onChange={event => setPassword(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
      {isKeystone && (
        <TextInput
          label="Domain"
          size="sm"
          value={domain}
          onChange={event => setDomain(event.currentTarget.value)}
        />
      )}
      {(isKeystone || projects.length > 1) && (
        <ProjectField projects={projects} project={project} onChange={setProject} />
      )}
      <Button
        type="submit"
        size="sm"
        loading={isBusy}
        disabled={user.trim() === '' || password === '' || domain.trim() === ''}
      >
        Sign in
      </Button>
      <p className={styles.help}>
        {isKeystone ? (
          'The users are those of the Keystone behind this server, which passes your password on to it and keeps nothing.'
        ) : (
          <>
            The first user is <code>admin</code>; the password is in <code>admin-password</code> in the data
            directory.
          </>
        )}
      </p>
    </form>
  )
}

function ProjectField({
  projects,
  project,
  onChange,
}: {
  /** To choose from; none until it is known who signs in. */
  readonly projects: readonly Project[]
  readonly project: string
  readonly onChange: (project: string) => void
}) {
  return projects.length > 1 ? (
    <Select
      label="Project"
      description="You are in several."
      size="sm"
      data={[...new Set(projects.map(({ name }) => name))]}
      value={project === '' ? null : project}
      onChange={value => onChange(value ?? '')}
    />
  ) : (
    <TextInput
      label="Project"
      description="May be left out: then you are asked."
      size="sm"
      value={project}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}

function Wrong({ error, by }: { readonly error: unknown; readonly by: 'password' | 'token' }) {
  if (error instanceof Failure && error.status === 401 && by === 'password')
    return (
      <Note tone="hot">
        <strong>User, password and project do not fit together.</strong>
      </Note>
    )
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
  /** Null: there is no token yet, something more has to be said. */
  const enter = async (get: () => Promise<string | null>) => {
    setBusy(true)
    setError(null)
    try {
      const token = await get()
      if (token !== null) return onSignedIn(await signIn(token), token)
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  return { error, isBusy, enter }
}
