import { Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { createUser, grantRole } from '../api/access.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { generateSecret } from './secret.ts'
import { useReread, useRoles, useStoredProjects } from './use-access.ts'

/** Makes a user with a new password, and gives it a role in a project. */
export function NewUserDialog({
  onMade,
  onClose,
}: {
  readonly onMade: (made: { id: string; name: string; password: string }) => void
  readonly onClose: () => void
}) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [project, setProject] = useState<string | null>(null)
  const [role, setRole] = useState<string | null>(null)
  const projects = useStoredProjects()
  const roles = useRoles()
  const reread = useReread()
  const make = async () => {
    const password = generateSecret()
    const user = await createUser({
      name: name.trim(),
      password,
      ...(email.trim() === '' ? {} : { email: email.trim() }),
      ...(project === null ? {} : { default_project_id: project }),
    })
    if (project !== null && role !== null) await grantRole('PUT', { user: user.id, project, role })
    return { id: user.id, name: user.name, password }
  }
  return (
    <FormDialog
      title="New user"
      submit="Create the user"
      why={whyNotYet(name, project, role)}
      act={make}
      onDone={async made => {
        await reread()
        onMade(made)
      }}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label="Name"
        required
        value={name}
        onChange={event => setName(event.currentTarget.value)}
      />
      <TextInput
        label="E-mail"
        type="email"
        value={email}
        onChange={event => setEmail(event.currentTarget.value)}
      />
      <Select
        label="Project"
        description="It becomes the default project"
        placeholder="None"
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'No project' }}
        data={(projects.data ?? []).map(one => ({ value: one.id, label: one.name }))}
        value={project}
        onChange={setProject}
      />
      <Select
        label="Role in that project"
        placeholder="None"
        clearable
        clearButtonProps={{ 'aria-label': 'No role' }}
        data={(roles.data ?? []).map(one => ({ value: one.id, label: one.name }))}
        value={role}
        onChange={setRole}
      />
      <p className="soft">The password is made here and shown once.</p>
    </FormDialog>
  )
}

function whyNotYet(name: string, project: string | null, role: string | null): string | null {
  if (name.trim() === '') return 'It needs a name.'
  return (project === null) === (role === null)
    ? null
    : 'A role belongs to a project: choose both or neither.'
}
