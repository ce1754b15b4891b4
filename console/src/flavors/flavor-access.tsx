import { TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeFlavorAccess, type Flavor, readFlavorAccess } from '../api/compute.ts'
import { ActButton } from '../controls/act-button.tsx'
import { ActIcon } from '../controls/act-icon.tsx'
import { Icon } from '../controls/icons.tsx'
import { Chip, FailureNote, Panel, Waiting } from '../controls/page.tsx'
import styles from '../providers/provider-page.module.css'
import { useSession } from '../session/session.tsx'

const RULE = 'os_compute_api:os-flavor-access'

/** Who may order a flavor that is not for everybody. */
export function FlavorAccess({ flavor }: { readonly flavor: Flavor }) {
  const { may, whyNot } = useSession()
  const queries = useQueryClient()
  const [project, setProject] = useState('')
  const query = useQuery({
    queryKey: ['flavors', flavor.id, 'access'],
    queryFn: () => readFlavorAccess(flavor.id),
    enabled: may(RULE),
  })
  const change = useMutation({
    mutationFn: ({ name, isIn }: { readonly name: string; readonly isIn: boolean }) =>
      changeFlavorAccess(flavor.id, name, isIn),
    onSuccess: async () => {
      setProject('')
      await queries.invalidateQueries({ queryKey: ['flavors'] })
    },
  })
  const why = whyNot(RULE)
  if (why !== null)
    return (
      <Panel title="Projects that may order it">
        <p className="soft">Who they are is not shown. {why}</p>
      </Panel>
    )
  return (
    <Panel title="Projects that may order it">
      {query.data === undefined ? (
        <Waiting query={query} what="who has access" />
      ) : (
        <>
          <ul className={styles.chips} aria-label="Projects with access">
            {query.data.length === 0 && <li className="soft">None yet: only admins see it.</li>}
            {query.data.map(name => (
              <li key={name}>
                <Chip>
                  {name}
                  <ActIcon
                    size={16}
                    variant="transparent"
                    label={`Take access from ${name}`}
                    why={whyNot(`${RULE}:remove_tenant_access`)}
                    onClick={() => change.mutate({ name, isIn: false })}
                  >
                    <Icon name="close" size={10} />
                  </ActIcon>
                </Chip>
              </li>
            ))}
          </ul>
          <form
            className={styles.adding}
            onSubmit={event => {
              event.preventDefault()
              change.mutate({ name: project.trim(), isIn: true })
            }}
          >
            <TextInput
              aria-label="Project id"
              placeholder="Project id"
              value={project}
              onChange={event => setProject(event.currentTarget.value)}
            />
            <ActButton
              type="submit"
              variant="default"
              loading={change.isPending}
              why={
                whyNot(`${RULE}:add_tenant_access`) ??
                (project.trim() === '' ? 'Name a project first.' : null)
              }
            >
              Give access
            </ActButton>
          </form>
          {change.error !== null && <FailureNote error={change.error} />}
        </>
      )}
    </Panel>
  )
}
