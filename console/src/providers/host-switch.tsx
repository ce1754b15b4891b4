import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { setHost } from '../api/berth.ts'
import { ActButton } from '../controls/act-button.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { Chip, FailureNote } from '../controls/page.tsx'
import { useFlavors } from '../flavors/flavors.tsx'
import type { Provider } from '../fleet/fleet.ts'
import { useSurroundings } from '../map/capacity-map.tsx'
import { useSession } from '../session/session.tsx'

/** Nothing new goes to a disabled host. */
export function HostSwitch({ root }: { readonly root: Provider }) {
  const { hosts } = useSurroundings()
  const { whyNot, may } = useSession()
  const flavors = useFlavors()
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const [reason, setReason] = useState('')
  const done = () => {
    setAsking(false)
    return queries.invalidateQueries({ queryKey: ['hosts'] })
  }
  const enable = useMutation({ mutationFn: () => setHost(root.name, { disabled: false }), onSuccess: done })
  const host = hosts.get(root.uuid)
  if (host === undefined) return null
  const why = whyNot('berth:hosts:write')
  if (host.status === 'disabled')
    return (
      <>
        <Chip tone="warm">disabled{host.disabled_reason !== null && `: ${host.disabled_reason}`}</Chip>
        <ActButton why={why} variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
          Enable the host
        </ActButton>
        {enable.error !== null && <FailureNote error={enable.error} />}
      </>
    )
  return (
    <>
      {may('berth:simulate') && (
        <Link
          href={`/what-if?flavor=${encodeURIComponent(flavors.data?.[0]?.name ?? '')}&drain=${encodeURIComponent(root.name)}`}
        >
          What if it were drained?
        </Link>
      )}
      <Chip tone="good">enabled</Chip>
      <ActButton why={why} variant="default" onClick={() => setAsking(true)}>
        Disable the host
      </ActButton>
      {isAsking && (
        <FormDialog
          title={`Disable ${host.name}`}
          submit="Disable"
          act={() => setHost(root.name, { disabled: true, disabled_reason: reason === '' ? null : reason })}
          onDone={done}
          onClose={() => setAsking(false)}
        >
          <TextInput
            data-autofocus
            label="Reason"
            description="What is there stays there; nothing new comes. Others will read the reason."
            value={reason}
            onChange={event => setReason(event.currentTarget.value)}
          />
        </FormDialog>
      )}
    </>
  )
}
