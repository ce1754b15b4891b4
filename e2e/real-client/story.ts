import type { Claims } from '../claims.ts'
import { Openstack, type Server } from './openstack.ts'

/** What a story works with. */
export interface Stage {
  readonly server: Server
  /** The client with this `--os-placement-api-version`. */
  at(version: string): Openstack
  /** A claim; if it fails, the next one still runs. */
  claim(what: string, check: () => Promise<void>): Promise<void>
}

export type Story = (stage: Stage) => Promise<void>

/** Runs the stories one after the other. */
export async function tell(
  stories: Readonly<Record<string, Story>>,
  server: Server,
  claims: Claims,
): Promise<void> {
  const clients = new Map<string, Openstack>()
  const at = (version: string): Openstack => {
    const known = clients.get(version)
    if (known !== undefined) return known
    const client = new Openstack(server, version)
    clients.set(version, client)
    return client
  }
  const claim: Stage['claim'] = (what, check) => claims.claim(what, check)
  for (const [name, story] of Object.entries(stories)) {
    claims.print(name)
    await claim('ends without an error', () => story({ server, at, claim }))
  }
  await Promise.all([...clients.values()].map(client => client.close()))
}

/** A uuid that is easy to recognize. */
export const uuid = (number: number): string => `e2e00000-0000-4000-8000-${String(number).padStart(12, '0')}`
