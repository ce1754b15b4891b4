import { Button, PasswordInput, SegmentedControl, Select, TextInput } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ownValue } from '../../../src/kernel/records.ts'
import type { Whoami } from '../../../src/wire/admin.ts'
import type { Project } from '../../../src/wire/openstack-identity.ts'
import type { ServerFacts } from '../../../src/wire/server-facts.ts'
import { Failure } from '../api/http.ts'
import { enterProject, signInByPassword } from '../api/identity.ts'
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
  const field = useFirstFocus()
  return (
    <>
      <form
        className={styles.form}
        onSubmit={event => {
          event.preventDefault()
          void enter(async () => ({ token: token.trim(), isOwn: false }))
        }}
      >
        {believes ? (
          <TextInput
            ref={field}
            label="Who are you?"
            description="USER, USER:PROJECT or USER:PROJECT:ROLE,ROLE"
            size="sm"
            value={token}
            onChange={event => setToken(event.currentTarget.value)}
          />
        ) : (
          <PasswordInput
            ref={field}
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
      <p className={styles.help}>{ownValue(HELP, auth) ?? HELP.token}</p>
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
      The first start of the server made the admin token. It is kept in <code>admin-token</code> in the data
      directory:
      <br />
      <code>cat berth-data/admin-token</code>
    </>
  ),
}

/** The user is authenticated and only chooses a project. */
interface Choice {
  readonly token: string
  readonly projects: readonly Project[]
}

/** With a user of this server or of its Keystone. A user of several projects chooses one. */
function PasswordForm({ isKeystone, isBusy, enter }: Entering & { readonly isKeystone: boolean }) {
  const [user, setUser] = useState('')
  const [password, setPassword] = useState('')
  const [domain, setDomain] = useState('Default')
  const [project, setProject] = useState('')
  const [choice, setChoice] = useState<Choice | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const field = useFirstFocus()
  /** A change of the user makes the shown answer stale. */
  const changing = (set: (value: string) => void) => (event: { currentTarget: HTMLInputElement }) => {
    set(event.currentTarget.value)
    setChoice(null)
    setChosen(null)
  }
  const submit = () =>
    enter(async () => {
      if (choice !== null && chosen !== null)
        return { token: await enterProject(choice.token, chosen), isOwn: true }
      const asked = { user: user.trim(), password, domain: domain.trim(), project: project.trim() }
      const answer = await signInByPassword(asked)
      if (answer.kind === 'entered') return { token: answer.token, isOwn: true }
      setChoice(answer)
      return null
    })
  const isReady =
    user.trim() !== '' && password !== '' && domain.trim() !== '' && (choice === null || chosen !== null)
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        if (isReady) void submit()
      }}
    >
      <TextInput
        ref={field}
        label="User"
        size="sm"
        autoComplete="username"
        value={user}
        onChange={changing(setUser)}
      />
      <PasswordInput
        label="Password"
        size="sm"
        autoComplete="current-password"
        value={password}
        onChange={changing(setPassword)}
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
      />
      {isKeystone && <TextInput label="Domain" size="sm" value={domain} onChange={changing(setDomain)} />}
      {isKeystone && choice === null && (
        <TextInput
          label="Project"
          description="Its name or its id. May be left out: then you are asked."
          size="sm"
          value={project}
          onChange={changing(setProject)}
        />
      )}
      <ProjectChoice choice={choice} chosen={chosen} onChange={setChosen} />
      <Button type="submit" size="sm" loading={isBusy} disabled={!isReady}>
        Sign in
      </Button>
      <p className={styles.help}>{isKeystone ? KEYSTONE_USERS : OWN_USERS}</p>
    </form>
  )
}

const KEYSTONE_USERS =
  'The users are those of the Keystone behind this server, which passes your password on to it and keeps nothing.'
const OWN_USERS = (
  <>
    The first user is <code>admin</code>; the password is in <code>admin-password</code> in the data
    directory.
  </>
)

interface Chosen {
  readonly chosen: string | null
  readonly onChange: (project: string | null) => void
}

function ProjectChoice({ choice, ...chosen }: Chosen & { readonly choice: Choice | null }) {
  return (
    <>
      <div role="status" className="hidden">
        {choice !== null && `You are in ${choice.projects.length} projects. Choose one.`}
      </div>
      {choice !== null && <ProjectSelect projects={choice.projects} {...chosen} />}
    </>
  )
}

/** By id: names belong to a domain, and a user may be in several. */
function ProjectSelect({ projects, chosen, onChange }: Chosen & { readonly projects: Choice['projects'] }) {
  const field = useFirstFocus()
  const isNamedTwice = (name: string) => projects.filter(one => one.name === name).length > 1
  return (
    <Select
      ref={field}
      label="Project"
      description="You are in several."
      size="sm"
      data={projects.map(({ id, name, domain_id }) => ({
        value: id,
        label: isNamedTwice(name) ? `${name} (domain ${domain_id ?? 'unknown'})` : name,
      }))}
      value={chosen}
      onChange={onChange}
    />
  )
}

export function Wrong({ error, by }: { readonly error: unknown; readonly by: 'password' | 'token' }) {
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

/** The first field gets the focus. */
function useFirstFocus() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return field
}

interface Got {
  readonly token: string
  /** Made for this console, for a password. */
  readonly isOwn: boolean
}

export function useEntering(onSignedIn: (who: Whoami, token: string) => void) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  /** Null: there is no token yet, more input is needed. */
  const enter = async (get: () => Promise<Got | null>) => {
    setBusy(true)
    setError(null)
    try {
      const got = await get()
      if (got !== null) return onSignedIn(await signIn(got.token, got.isOwn), got.token)
    } catch (caught) {
      setError(caught)
    }
    setBusy(false)
  }
  return { error, isBusy, enter }
}
