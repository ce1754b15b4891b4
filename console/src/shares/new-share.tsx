import { Checkbox, NumberInput, Select, Textarea, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useLocation } from 'wouter'
import type { ShareSnapshot, ShareType } from '../../../src/wire/openstack-shares.ts'
import type { ShareAsk } from '../../../src/wire/share-explanation.ts'
import { createShare, explainWish, readLimits, readSnapshots } from '../api/shares.ts'
import { ActButton } from '../controls/act-button.tsx'
import { NotForYou } from '../controls/not-for-you.tsx'
import { FailureNote, Note, Page, Panel, Waiting } from '../controls/page.tsx'
import { amount, ofClass, plural } from '../formats.ts'
import { useSession } from '../session/session.tsx'
import { useUrlState } from '../url-state.ts'
import { WhatIsMissing } from './no-shares.tsx'
import { PickWarnings } from './pick-warnings.tsx'
import { PlaceVerdict } from './place-verdict.tsx'
import { SharePicker } from './share-picker.tsx'
import styles from './shares.module.css'
import { nameOf, useIsAdmin, useKnownShares, useRefresh, useTypes, useZones } from './use-shares.ts'

export default function NewShare() {
  const { may } = useSession()
  if (!may('share:create')) return <NotForYou title="New share" operation="share:create" />
  return (
    <Page
      title="New share"
      trail={[['Shares', '/shares']]}
      text="Say what it has to be, and which shares it has to be near or away from. The scheduler finds the place."
    >
      <WhatIsMissingIn fallback={<Form />} />
    </Page>
  )
}

/** The introduction is in a panel; the form has its own panels. */
function WhatIsMissingIn({ fallback }: { readonly fallback: React.ReactNode }) {
  const zones = useZones()
  const types = useTypes()
  const isThere = (zones.data?.length ?? 0) > 0 && (types.data?.length ?? 0) > 0
  if (isThere) return fallback
  return (
    <Panel>
      <WhatIsMissing fallback={<Waiting query={zones.error === null ? types : zones} what="share types" />} />
    </Panel>
  )
}

/** The request, as in the address. */
function useWanted() {
  const [params, change] = useUrlState()
  // An empty field is not in the address, where absent means the default size.
  const [isSizeless, setSizeless] = useState(false)
  const types = useTypes().data ?? []
  const snapshots = useSnapshots().data ?? []
  const known = useKnownShares()
  const ids = (name: string) => (params.get(name) ?? '').split(',').filter(id => id !== '')
  const snapshot = snapshots.find(({ id }) => id === params.get('snapshot')) ?? null
  const parent = snapshot === null ? undefined : known.get(snapshot.share_id)
  const type =
    types.find(({ name }) => name === (params.get('type') ?? parent?.share_type_name)) ??
    types.find(one => one.is_default) ??
    null
  return {
    change,
    types,
    snapshots,
    snapshot,
    type,
    near: ids('near'),
    away: ids('away'),
    name: params.get('name') ?? '',
    size: isSizeless ? Number.NaN : Number(params.get('size') ?? snapshot?.size ?? 10),
    setSize(text: string) {
      setSizeless(text === '')
      change({ size: text })
    },
    takeUsualSize: () => setSizeless(false),
    protocol: params.get('proto') ?? 'NFS',
    zone: params.get('zone'),
  }
}

type Wanted = ReturnType<typeof useWanted>

const useSnapshots = () => {
  const isAdmin = useIsAdmin()
  return useQuery({ queryKey: ['shares', 'snapshots'], queryFn: () => readSnapshots(isAdmin) })
}

function Form() {
  const wanted = useWanted()
  const { size, type, snapshot, near, away } = wanted
  const about = useAbout()
  const [, navigate] = useLocation()
  const refresh = useRefresh()
  const sizeFault = faultOfSize(size, type, snapshot)
  const make = useMutation({
    mutationFn: () =>
      createShare({
        name: wanted.name.trim() || null,
        description: about.description.trim() || null,
        size,
        share_proto: wanted.protocol,
        share_type: (type as ShareType).id,
        ...(wanted.zone === null ? {} : { availability_zone: wanted.zone }),
        ...(snapshot === null ? {} : { snapshot_id: snapshot.id }),
        ...(about.isPublic ? { is_public: true } : {}),
        scheduler_hints: { same_host: near, different_host: away },
      }),
    onSuccess: async ({ id }) => {
      navigate(`/shares/${id}`)
      await refresh()
    },
  })
  return (
    <form
      className={styles.two}
      onSubmit={event => {
        event.preventDefault()
        make.mutate()
      }}
    >
      <div className={styles.column}>
        <Panel title="What">
          <What wanted={wanted} sizeFault={sizeFault} />
          <About {...about} />
        </Panel>
        <Panel title="Where it has to be">
          <Where wanted={wanted} />
        </Panel>
        {make.error !== null && <FailureNote error={make.error} />}
        <div className={styles.buttons}>
          <ActButton
            type="submit"
            loading={make.isPending}
            why={sizeFault ?? (type === null ? 'Choose a type: none is the default.' : null)}
          >
            Create the share
          </ActButton>
          <Quota size={size} />
        </div>
      </div>
      <Panel title="Dry run" aside={<span className="soft">nothing is made</span>}>
        <DryRun wanted={wanted} isReady={sizeFault === null && type !== null} />
      </Panel>
    </form>
  )
}

/** What is said about the share, without effect on where it goes. */
function useAbout() {
  const [description, setDescription] = useState('')
  const [isPublic, setPublic] = useState(false)
  return { description, setDescription, isPublic, setPublic }
}

function About({ description, setDescription, isPublic, setPublic }: ReturnType<typeof useAbout>) {
  const { may } = useSession()
  return (
    <>
      <Textarea
        mt="sm"
        label="Description"
        autosize
        minRows={1}
        value={description}
        onChange={event => setDescription(event.currentTarget.value)}
      />
      {may('share:create_public_share') && (
        <Checkbox
          mt="sm"
          label="All projects may see it"
          checked={isPublic}
          onChange={event => setPublic(event.currentTarget.checked)}
        />
      )}
    </>
  )
}

function faultOfSize(size: number, type: ShareType | null, snapshot: ShareSnapshot | null): string | null {
  if (!Number.isInteger(size) || size < 1) return 'The size has to be a whole number of GB, at least 1.'
  if (snapshot !== null && size < snapshot.size)
    return `What is in the snapshot needs ${snapshot.size} GB at least.`
  const least = Number(type?.extra_specs['provisioning:min_share_size'] ?? 1)
  const most = Number(type?.extra_specs['provisioning:max_share_size'] ?? Number.POSITIVE_INFINITY)
  if (size < least) return `The type ${type?.name} is for shares of ${least} GB and more.`
  return size > most ? `The type ${type?.name} is for shares of up to ${most} GB.` : null
}

/** Aligns the fields of a row. */
const BELOW: ('label' | 'input' | 'description' | 'error')[] = ['label', 'input', 'description', 'error']

function What({ wanted, sizeFault }: { readonly wanted: Wanted; readonly sizeFault: string | null }) {
  const { change, types, snapshots, snapshot, type } = wanted
  const known = useKnownShares()
  const usable = snapshots.filter(({ status }) => status === 'available')
  return (
    <div className={styles.form}>
      <TextInput
        label="Name"
        placeholder="Optional"
        value={wanted.name}
        onChange={event => change({ name: event.currentTarget.value })}
      />
      <NumberInput
        label="Size in GB"
        required
        min={1}
        allowDecimal={false}
        value={Number.isNaN(wanted.size) ? '' : wanted.size}
        error={sizeFault}
        onChange={value => wanted.setSize(String(value))}
      />
      <Select
        label="Type"
        required
        description={type?.description ?? ''}
        inputWrapperOrder={BELOW}
        data={types.map(({ name, is_default }) => ({
          value: name,
          label: is_default ? `${name} (default)` : name,
        }))}
        value={type?.name ?? null}
        onChange={value => change({ type: value })}
      />
      <Select
        label="Protocol"
        data={['NFS', 'CIFS']}
        value={wanted.protocol}
        onChange={value => change({ proto: value === 'NFS' ? null : value })}
      />
      <Select
        label="From a snapshot"
        description={snapshot === null ? '' : 'It goes to the back end of the snapshot.'}
        inputWrapperOrder={BELOW}
        placeholder={usable.length === 0 ? 'There is none' : 'Empty'}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'From no snapshot' }}
        data={usable.map(one => {
          const parent = known.get(one.share_id)
          return { value: one.id, label: `${nameOf(one)} of ${parent ? nameOf(parent) : 'a share'}` }
        })}
        value={snapshot?.id ?? null}
        onChange={value => {
          wanted.takeUsualSize()
          change({ snapshot: value, size: null, type: null })
        }}
      />
    </div>
  )
}

function Where({ wanted }: { readonly wanted: Wanted }) {
  const { change, near, away } = wanted
  const zones = useZones().data ?? []
  return (
    <>
      <div className={styles.picks}>
        <SharePicker
          label="Keep near"
          description="On the same back end as all of these."
          picked={near}
          onPick={ids => change({ near: ids.join(',') })}
        />
        <SharePicker
          label="Keep away"
          description="On none of the back ends that these are on."
          picked={away}
          onPick={ids => change({ away: ids.join(',') })}
        />
        <Select
          label="Zone"
          placeholder="Any"
          clearable
          clearButtonProps={{ 'aria-label': 'Any zone' }}
          data={[...zones]}
          value={wanted.zone}
          onChange={value => change({ zone: value })}
        />
      </div>
      <PickWarnings near={near} away={away} />
    </>
  )
}

function DryRun({ wanted, isReady }: { readonly wanted: Wanted; readonly isReady: boolean }) {
  const { size, type, zone, snapshot, near, away } = wanted
  const typeId = type?.id
  const wish = useMemo(
    (): ShareAsk => ({
      size,
      same_host: near,
      different_host: away,
      ...(typeId === undefined ? {} : { share_type: typeId }),
      ...(zone === null ? {} : { availability_zone: zone }),
      ...(snapshot === null ? {} : { snapshot_id: snapshot.id }),
    }),
    // Lists are new objects each time; the text has their content.
    [size, typeId, zone, snapshot, near.join(), away.join()],
  )
  const [settled] = useDebouncedValue(wish, 300)
  const query = useQuery({
    queryKey: ['shares', 'dry-run', settled],
    queryFn: () => explainWish(settled),
    enabled: isReady && settled.size >= 1,
    placeholderData: before => before,
  })
  if (!isReady)
    return <p className="soft">As soon as size and type are good, it says here where it would go.</p>
  if (query.data === undefined || query.error !== null) return <Waiting query={query} what="the pools" />
  const isOld = query.isPlaceholderData || settled !== wish
  return (
    <div className={styles.column} aria-busy={isOld}>
      <p className="soft">{isOld ? 'Asking again …' : 'As it is just now:'}</p>
      <PlaceVerdict explanation={query.data} goes="It would go to" />
    </div>
  )
}

function Quota({ size }: { readonly size: number }) {
  const { who } = useSession()
  const { data: limits } = useQuery({ queryKey: ['shares', 'limits'], queryFn: readLimits })
  if (limits === undefined || limits === null) return null
  const { maxTotalShares = -1, totalSharesUsed = 0 } = limits
  const { maxTotalShareGigabytes = -1, totalShareGigabytesUsed = 0 } = limits
  const isOver =
    (maxTotalShares >= 0 && totalSharesUsed >= maxTotalShares) ||
    (maxTotalShareGigabytes >= 0 && totalShareGigabytesUsed + size > maxTotalShareGigabytes)
  const of = (used: string, max: number, most: string) => (max < 0 ? used : `${used} of ${most}`)
  const text =
    `${of(amount(totalSharesUsed), maxTotalShares, plural(maxTotalShares, 'share'))} and ` +
    `${of(
      ofClass('CUSTOM_SHARE_GB', totalShareGigabytesUsed),
      maxTotalShareGigabytes,
      ofClass('CUSTOM_SHARE_GB', maxTotalShareGigabytes),
    )} of the project ${who.project_id} are used.`
  return isOver ? (
    <Note tone="warm">
      <strong>This is more than the quota.</strong>
      <p>{text}</p>
    </Note>
  ) : (
    <span className="soft">{text}</span>
  )
}
