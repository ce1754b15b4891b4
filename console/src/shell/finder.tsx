import { Modal, TextInput, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { type KeyboardEvent, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { Icon } from '../controls/icons.tsx'
import { useReturnFocus } from '../controls/use-return-focus.ts'
import { type Found, useFound } from './found.ts'
import styles from './shell.module.css'

/** Finds every page and action by a part of its name. */
export default function Finder({
  text,
  onText,
  onClose,
  onHelp,
}: {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onClose: () => void
  readonly onHelp: () => void
}) {
  useReturnFocus()
  const [at, setAt] = useState(0)
  const [, navigate] = useLocation()
  const found = useFound(text)
  // The keyboard is in the field above: the list does not follow by itself.
  useEffect(() => {
    // Some browsers return a promise, which cannot be the cleanup of an effect.
    document.getElementById(`found-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const run = useRun(onHelp)
  const go = ({ to, act }: Found) => {
    onClose()
    if (act === undefined) navigate(to)
    else run(act)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else if (event.key === 'Enter' && found[at] !== undefined) go(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Modal.Root opened onClose={onClose}>
      <Modal.Overlay />
      <Modal.Content aria-label="Find">
        <Modal.Body p="xs">
          <TextInput
            data-autofocus
            size="sm"
            aria-label="Find a server, a host, a flavor, a page or an action"
            placeholder="Name, uuid, req-… or trait; > for actions"
            role="combobox"
            aria-expanded={found.length > 0}
            aria-controls="found"
            aria-activedescendant={found.length > 0 ? `found-${at}` : ''}
            leftSection={<Icon name="search" />}
            value={text}
            onChange={event => {
              onText(event.currentTarget.value)
              setAt(0)
            }}
            onKeyDown={onKeyDown}
          />
          {found.length === 0 ? (
            <div className={styles.nothing}>Nothing is called like this.</div>
          ) : (
            <ul id="found" role="listbox" aria-label="Found" className={styles.results}>
              {found.map((one, index) => (
                <li
                  key={`${one.kind} ${one.to} ${one.label}`}
                  id={`found-${index}`}
                  role="option"
                  aria-selected={index === at}
                  className={styles.result}
                  onClick={() => go(one)}
                >
                  <Icon name={one.icon} /> {one.label} <small>{one.kind}</small>
                </li>
              ))}
            </ul>
          )}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** Actions that are no page. */
function useRun(onHelp: () => void): (act: NonNullable<Found['act']>) => void {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  return act => {
    if (act === 'help') onHelp()
    else if (act === 'copy-link') void navigator.clipboard.writeText(location.href)
    else setColorScheme(scheme === 'dark' ? 'light' : 'dark')
  }
}
