import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { userNameOf } from '../api/berth.ts'
import { Icon } from '../controls/icons.tsx'
import { amount } from '../formats.ts'
import { usePicture, useSession } from '../session/session.tsx'
import { destinations, isOffered } from './destinations.ts'
import styles from './shell.module.css'
import { useShortcuts } from './shortcuts.ts'
import { useWanted } from './use-wanted.ts'

const Finder = lazy(() => import('./finder.tsx'))
const MenuDrawer = lazy(() => import('./menu-drawer.tsx'))
const LoadedUserMenu = lazy(() => import('./user-menu.tsx'))
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx'))

export function Shell({ children }: { readonly children: ReactNode }) {
  const { wanted, setWanted, find } = useWanted()
  const [isHelping, setHelping] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const [path] = useLocation()
  const main = useRef<HTMLElement>(null)
  useShortcuts({ find, help: () => setHelping(true) })
  useEffect(() => setOpen(false), [path])
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main" onClick={() => main.current?.focus()}>
        Skip to the content
      </a>
      <div className={styles.side}>
        <Navigation />
      </div>
      <header className={styles.bar}>
        <ActionIcon className={styles.burger ?? ''} aria-label="Open the menu" onClick={() => setOpen(true)}>
          <Icon name="menu" />
        </ActionIcon>
        <button type="button" className={styles.find} onClick={find}>
          <Icon name="search" size={14} />
          <span>Find a server, a host, a flavor …</span>
          <kbd>/</kbd>
        </button>
        <div className={styles.gap} />
        <LiveState />
        <SchemeSwitch />
        <UserMenu onHelp={() => setHelping(true)} />
      </header>
      <main className={styles.main} id="main" ref={main} tabIndex={-1}>
        <LostNotice />
        {children}
      </main>
      <Suspense>
        {isOpen && (
          <MenuDrawer onClose={() => setOpen(false)}>
            <Navigation />
          </MenuDrawer>
        )}
        {wanted !== null && (
          <Finder
            text={wanted}
            onText={setWanted}
            onClose={() => setWanted(null)}
            onHelp={() => setHelping(true)}
          />
        )}
        {isHelping && <ShortcutHelp onClose={() => setHelping(false)} />}
      </Suspense>
    </div>
  )
}

function Navigation() {
  const session = useSession()
  const [path] = useLocation()
  return (
    <nav aria-label="Views" className={styles.views}>
      <Link href="/" className={styles.brand ?? ''}>
        <img src="/favicon.svg" alt="" /> Berth
      </Link>
      {destinations.map(([group, items]) => {
        const shown = items.filter(item => isOffered(item, session))
        if (shown.length === 0) return null
        return (
          <div key={group}>
            <div className={styles.group} id={`group-${group}`}>
              {group}
            </div>
            <ul aria-labelledby={`group-${group}`}>
              {shown.map(({ to, label, icon }) => (
                <li key={to}>
                  <Link
                    href={to}
                    className={styles.item ?? ''}
                    {...(isAt(path, to) ? { 'aria-current': 'page' as const } : {})}
                  >
                    <Icon name={icon} /> {to === '/' && !session.may('berth:fleet') ? 'Home' : label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
      <div className={styles.foot}>Berth {session.server.version}</div>
    </nav>
  )
}

const isAt = (path: string, to: string): boolean =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`)

const PHASES = {
  loading: 'Reading the fleet',
  live: 'Live',
  lost: 'Connection lost',
  refused: 'Not live',
} as const

function LiveState() {
  const { phase, received, fleet } = usePicture()
  const detail =
    phase === 'loading'
      ? `${amount(received)} providers`
      : phase === 'live'
        ? `revision ${fleet.revision}`
        : ''
  return (
    <div className={styles.live} title="What is shown follows every change of the server">
      <span className={styles.dot} data-phase={phase} />
      <span>{PHASES[phase]}</span>
      <span className={`${styles.liveText} number`}>{detail}</span>
    </div>
  )
}

function LostNotice() {
  const { phase, failure, lostAt } = usePicture()
  if (phase !== 'lost') return <div role="status" />
  const since =
    lostAt === null ? '' : ` since ${new Date(lostAt).toLocaleTimeString('en', { hourCycle: 'h23' })}`
  return (
    <div role="status" className={styles.lost}>
      <Icon name="warning" />
      <span>
        <strong>The connection to the server is lost{since}.</strong> What you see is from before. Trying
        again … <span className="soft">{failure?.message}</span>
      </span>
    </div>
  )
}

function SchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme('light') === 'dark'
  return (
    <ActionIcon
      aria-label={dark ? 'Use light colours' : 'Use dark colours'}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      <Icon name={dark ? 'sun' : 'moon'} />
    </ActionIcon>
  )
}

/** The menu is loaded when it is asked for: it brings a third of what the first page needs. */
function UserMenu({ onHelp }: { readonly onHelp: () => void }) {
  const { who } = useSession()
  const [isAsked, setAsked] = useState(false)
  const button = (
    <ActionIcon
      aria-label={`Signed in as ${userNameOf(who)}`}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setAsked(true)}
    >
      <Icon name="user" />
    </ActionIcon>
  )
  if (!isAsked) return button
  return (
    <Suspense fallback={button}>
      <LoadedUserMenu onHelp={onHelp} />
    </Suspense>
  )
}
