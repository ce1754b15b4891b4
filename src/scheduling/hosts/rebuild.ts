import type { ProviderSlot } from '../../kernel/ids.ts'
import { update } from '../../world/change.ts'
import { accept, type Decision, NO_CHANGE, refuse } from '../../world/decision.ts'
import type { World } from '../../world/world.ts'
import { isList, toText } from '../framework/json-value.ts'
import { FilterPipeline, type FilterRefusal } from '../framework/pipeline.ts'
import { partsOf, type SchedulingSetup } from '../framework/setup.ts'
import { isServer } from '../hosts/host-figures.ts'
import { listHostsOfServer, makeSpecOfServer } from './known-server.ts'
import { type ImageSpec, makeRequest } from './server-spec.ts'
import { WorldHost } from './world-host.ts'

export interface RebuildCommand {
  readonly instance: string
  readonly image: ImageSpec
  readonly setup: SchedulingSetup
  readonly decision: string
}

export interface Rebuilt {
  readonly instance: string
  readonly host: string
  readonly provider: string
}

export type RebuildRefusal =
  | { readonly kind: 'server-missing'; readonly instance: string; readonly type: string | null }
  | {
      readonly kind: 'traits-missing'
      readonly instance: string
      readonly host: string
      readonly traits: readonly string[]
    }
  | {
      readonly kind: 'rebuild-refused'
      readonly instance: string
      readonly host: string
      readonly refusals: readonly FilterRefusal[]
    }

/** Whether a server may stay on its host with another image. Only filters that read the image run. */
export function rebuildServer(world: World, command: RebuildCommand): Decision<Rebuilt, RebuildRefusal> {
  const { instance, image, setup, decision } = command
  const server = world.consumers.find(instance)
  const [slot] = server === undefined ? [] : listHostsOfServer(world, server)
  if (server === undefined || slot === undefined || !isServer(world, server)) {
    const type = server === undefined ? null : world.consumers.row(server).consumer_type
    return refuse({ kind: 'server-missing', instance, type })
  }
  const spec = { ...makeSpecOfServer(world, server), image }
  const { project_id: project, user_id: user } = world.consumers.row(server)
  const ask = {
    spec,
    project,
    user,
    instances: [instance],
    generation: null,
    host: null,
    not_hosts: [],
    group: null,
  }
  const request = {
    ...makeRequest(world, { ...ask, operation: 'move' }, instance),
    operation: 'rebuild' as const,
  }
  const host = new WorldHost(world, slot)
  const traits = findMissingTraits(world, slot, image)
  if (traits.length > 0) return refuse({ kind: 'traits-missing', instance, host: host.name, traits })
  const { refusals } = new FilterPipeline(partsOf(setup).filters, request, setup.settings).explain(host)
  if (refusals.length > 0) return refuse({ kind: 'rebuild-refused', instance, host: host.name, refusals })
  const before = world.compute.getRequest(server)
  const answer = { instance, host: host.name, provider: host.uuid }
  if (before === undefined) return accept(NO_CHANGE, answer)
  const after = { ...before, decision, request: JSON.stringify(spec) }
  return accept({ ops: [update('server_requests', before, after)] }, answer)
}

/** Required traits of the image that the host's tree lacks; of a list, one is enough. */
function findMissingTraits(world: World, host: ProviderSlot, { properties }: ImageSpec): string[] {
  const { traits_required: required } = properties
  const tree = world.providers.listSubtree(host)
  const isThere = (name: string): boolean => {
    const trait = world.traits.id(name)
    return trait !== undefined && tree.some(provider => world.providerTraits.has(provider, trait))
  }
  return (isList(required) ? required : [])
    .map(one => (isList(one) ? one : [one]).map(toText))
    .filter(anyOf => !anyOf.some(isThere))
    .map(anyOf => anyOf.join(' or '))
}
