import { Select, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createStaticToken } from '../api/access.ts'
import { berthCommands } from '../berth-commands.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { canHash, generateSecret, sha256 } from './secret.ts'
import { useProjects, useReread, useRoles } from './use-access.ts'

const DAY_S = 86_400
const LIFETIMES = [
  { value: String(DAY_S), label: 'a day' },
  { value: String(30 * DAY_S), label: '30 days' },
  { value: String(90 * DAY_S), label: '90 days' },
  { value: String(365 * DAY_S), label: 'a year' },
  { value: '', label: 'until it is revoked' },
]

/** Makes the token in the browser and sends its hash only. */
export function NewTokenDialog({
  onMade,
  onClose,
}: {
  readonly onMade: (made: { readonly name: string; readonly token: string }) => void
  readonly onClose: () => void
}) {
  const [name, setName] = useState('')
  const [roles, setRoles] = useState<readonly string[]>([])
  const [project, setProject] = useState<string | null>(null)
  const [lifetime, setLifetime] = useState(String(90 * DAY_S))
  const known = useRoles()
  const projects = useProjects()
  const reread = useReread()
  const make = async () => {
    const token = generateSecret()
    await createStaticToken({
      name: name.trim(),
      token_sha256: await sha256(token),
      roles,
      ...(project === null ? {} : { project }),
      ...(lifetime === '' ? {} : { expires_in_s: Number(lifetime) }),
    })
    return { name: name.trim(), token }
  }
  return (
    <FormDialog
      title="New static token"
      submit="Create the token"
      why={whyNotYet(name, roles)}
      act={make}
      onDone={async one => {
        await reread()
        onMade(one)
      }}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        description="The machine or the program that uses it"
        required
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
      <TagsInput
        label="Roles"
        description="Such as service or reader"
        data={(known.data ?? []).map(one => one.name).sort()}
        value={[...roles]}
        onChange={setRoles}
      />
      <Select
        label="Project"
        placeholder="None"
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'No project' }}
        data={(projects.data?.entries ?? []).map(one => ({ value: one.id, label: one.name ?? one.id }))}
        value={project}
        onChange={setProject}
      />
      <Select
        label="Valid for"
        data={LIFETIMES}
        value={lifetime}
        onChange={value => setLifetime(value ?? '')}
      />
    </FormDialog>
  )
}

function whyNotYet(name: string, roles: readonly string[]): string | null {
  if (!canHash()) return `Browsers hash on HTTPS pages only. Run ${berthCommands.createToken()}.`
  if (name.trim() === '') return 'It needs a name.'
  return roles.length === 0 ? 'It needs a role.' : null
}
