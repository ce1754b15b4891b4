import { Modal, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import { findConsumers } from '../api/berth.ts'
import { readAggregates, readFlavors } from '../api/compute.ts'
import { readShares } from '../api/shares.ts'
import { Icon, type IconName } from '../controls/icons.tsx'
import type { Fleet } from '../fleet/fleet.ts'
import { usePicture, useSession } from '../session/session.tsx'
import { allDestinations } from './destinations.ts'
import { sharePlaces } from './share-places.ts'
import styles from './shell.module.css'

interface Found {
  readonly to: string
  readonly label: string
  readonly kind: string
  readonly icon: IconName
}

const SHOWN_MAX = 40

/** Finds every page by a part of its name. */
export default function Finder({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const [, navigate] = useLocation()
  const found = useFound(text)
  // The keyboard is in the field above: the list does not follow by itself.
  useEffect(() => {
    // Some browsers return a promise, which cannot be the cleanup of an effect.
    document.getElementById(`found-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const go = ({ to }: Found) => {
    onClose()
    navigate(to)
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
            aria-label="Find a host, a flavor or a page"
            placeholder="Name, or uuid"
            role="combobox"
            aria-expanded={found.length > 0}
            aria-controls="found"
            aria-activedescendant={found.length > 0 ? `found-${at}` : ''}
            leftSection={<Icon name="search" />}
            value={text}
            onChange={event => {
              setText(event.currentTarget.value)
              setAt(0)
            }}
            onKeyDown={onKeyDown}
          />
          {found.length === 0 ? (
            <div className={styles.nothing}>Nothing has a name like this.</div>
          ) : (
            <ul id="found" role="listbox" aria-label="Found" className={styles.results}>
              {found.map((one, index) => (
                <li
                  key={one.to}
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

function useFound(text: string): readonly Found[] {
  const { fleet } = usePicture()
  const { may, has } = useSession()
  const flavors = useQuery({
    queryKey: ['flavors'],
    queryFn: () => readFlavors(may('context_is_admin')),
    enabled: has('compute'),
  })
  const aggregates = useQuery({
    queryKey: ['aggregates'],
    queryFn: readAggregates,
    enabled: has('compute') && may('os_compute_api:os-aggregates:index'),
  })
  const shares = useQuery({
    queryKey: ['shares', 'all', false],
    queryFn: () => readShares(may('context_is_admin'), false),
    enabled: has('share'),
  })
  const wantedUuid = uuidStartOf(text)
  const consumers = useQuery({
    queryKey: ['consumers', 'found', wantedUuid],
    queryFn: () => findConsumers(wantedUuid ?? ''),
    enabled: wantedUuid !== null && may('berth:fleet'),
  })
  return useMemo(() => {
    const wanted = text.trim().toLowerCase()
    const fits = (...names: string[]) => names.some(name => name.toLowerCase().includes(wanted))
    const pages = allDestinations
      .filter(({ label, service }) => fits(label) && (service === undefined || has(service)))
      .map(({ to, label, icon }): Found => ({ to, label, icon, kind: 'page' }))
    if (wanted === '') return pages
    return sharePlaces(
      [
        pages,
        (flavors.data ?? [])
          .filter(({ id, name }) => fits(name, id))
          .map(({ id, name }): Found => {
            return { to: `/flavors/${encodeURIComponent(id)}`, label: name, kind: 'flavor', icon: 'flavor' }
          }),
        (aggregates.data ?? [])
          .filter(({ name, uuid }) => fits(name, uuid))
          .map(({ id, name }): Found => {
            return { to: `/aggregates/${id}`, label: name, kind: 'aggregate', icon: 'group' }
          }),
        (shares.data ?? [])
          .filter(({ id, name }) => fits(name ?? '', id))
          .map(({ id, name }): Found => {
            return { to: `/shares/${id}`, label: name || id, kind: 'share', icon: 'share' }
          }),
        (consumers.data ?? []).map(({ uuid, type, hosts }): Found => {
          const kind = `${(type ?? 'consumer').toLowerCase()} on ${hosts.join(', ') || 'no host'}`
          return { to: `/servers/${uuid}`, label: uuid, kind, icon: 'flavor' }
        }),
        providersOf(fleet, true, fits),
        providersOf(fleet, false, fits),
      ],
      SHOWN_MAX,
    )
  }, [text, fleet, flavors.data, aggregates.data, shares.data, consumers.data, has])
}

/** Consumers have only uuids: from four digits on there are few enough. */
function uuidStartOf(text: string): string | null {
  const typed = text.trim().toLowerCase()
  return /^[0-9a-f-]{4,36}$/.test(typed) ? typed : null
}

/** There are fewer roots, and hosts are roots, than providers inside of them. */
function providersOf(fleet: Fleet, isRoot: boolean, fits: (...names: string[]) => boolean): Found[] {
  return fleet.providers
    .values()
    .filter(({ name, uuid, parent }) => (parent === null) === isRoot && fits(name, uuid))
    .take(SHOWN_MAX)
    .map(({ uuid, name }): Found => {
      const kind = isRoot ? 'root provider' : 'provider'
      return { to: `/providers/${uuid}`, label: name, kind, icon: 'tree' }
    })
    .toArray()
}
