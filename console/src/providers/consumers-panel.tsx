import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { readConsumer, readProviderAllocations } from '../api/placement.ts'
import { ConsumerLink } from '../consumers/consumer-link.tsx'
import { Chip, Panel, Waiting } from '../controls/page.tsx'
import { Sideways } from '../controls/sideways.tsx'
import type { Fleet, Provider } from '../fleet/fleet.ts'
import { byImportance, ofClass, plural } from '../formats.ts'
import { usePicture } from '../session/session.tsx'
import styles from './provider-page.module.css'

/** Each costs a request, so not all are loaded. */
const SHOWN_MAX = 50

export function ConsumersPanel({ provider }: { readonly provider: Provider }) {
  const query = useQuery({
    queryKey: ['consumers', provider.uuid],
    queryFn: () => readProviderAllocations(provider.uuid),
  })
  if (query.data === undefined)
    return (
      <Panel title="Consumers">
        <Waiting query={query} what="its consumers" />
      </Panel>
    )
  const all = Object.entries(query.data.allocations)
  if (all.length === 0)
    return (
      <Panel title="Consumers">
        <p className="soft">Nobody holds anything of this provider.</p>
      </Panel>
    )
  return (
    <Panel
      title="Consumers"
      aside={<span className="soft number">{plural(all.length, 'consumer')}</span>}
      flush
    >
      <ConsumerTable here={provider.uuid} consumers={all.slice(0, SHOWN_MAX)} />
      {all.length > SHOWN_MAX && (
        <p className={styles.buttons}>
          The first {SHOWN_MAX} of {all.length}. The rest:{' '}
          <code>openstack resource provider show --allocations {provider.uuid}</code>
        </p>
      )}
    </Panel>
  )
}

function ConsumerTable({
  here,
  consumers,
}: {
  readonly here: string
  readonly consumers: readonly (readonly [string, { readonly resources: Readonly<Record<string, number>> }])[]
}) {
  const { fleet } = usePicture()
  const details = useQueries({
    queries: consumers.map(([uuid]) => ({
      queryKey: ['consumers', 'one', uuid],
      queryFn: () => readConsumer(uuid),
    })),
  })
  return (
    <Sideways label="Consumers and what they hold">
      <table className={`${styles.table} ${styles.words} ${styles.tight}`}>
        <thead>
          <tr>
            <th scope="col">Consumer</th>
            <th scope="col">Type</th>
            <th scope="col">Project</th>
            <th scope="col">Holds here</th>
            <th scope="col">And elsewhere</th>
          </tr>
        </thead>
        <tbody>
          {consumers.map(([uuid, { resources }], at) => {
            const detail = details[at]?.data
            const others = Object.keys(detail?.allocations ?? {}).filter(other => other !== here)
            return (
              <tr key={uuid}>
                <td>
                  <ConsumerLink uuid={uuid} />
                </td>
                <td>{detail?.consumer_type === undefined ? '…' : <Chip>{detail.consumer_type}</Chip>}</td>
                <td>{detail?.project_id ?? '…'}</td>
                <td>{resourcesText(resources)}</td>
                <td className={styles.wrapped}>
                  {others.map(other => (
                    <Link key={other} href={`/providers/${other}`}>
                      {nameBeside(fleet, here, other)}
                    </Link>
                  ))}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Sideways>
  )
}

/** Within the same tree, without the common prefix of its names. */
export function nameBeside(fleet: Fleet, here: string, other: string): string {
  const provider = fleet.providers.get(other)
  if (provider === undefined) return other.slice(0, 8)
  const root = fleet.providers.get(provider.root)
  const isNear = fleet.providers.get(here)?.root === provider.root && root !== provider
  return isNear && provider.name.startsWith(`${root?.name}_`)
    ? provider.name.slice((root?.name.length ?? 0) + 1)
    : provider.name
}

export const resourcesText = (resources: Readonly<Record<string, number>>): string =>
  Object.entries(resources)
    .sort(([one], [other]) => byImportance(one, other))
    .map(([name, used]) => `${ofClass(name, used)}${/[a-z]/i.test(ofClass(name, used)) ? '' : ` ${name}`}`)
    .join(', ')
