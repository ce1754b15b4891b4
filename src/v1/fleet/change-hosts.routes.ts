import type { HostsChange } from '../../compute/hosts/change-hosts.ts'
import { type Credentials, LIST_BODY_BYTES } from '../../http/api.ts'
import { forbiddenText, type Policy } from '../../http/policy.ts'
import { CHANGED_HOSTS_MAX } from '../../kernel/number-bounds.ts'
import type { SchedulingSetup } from '../../scheduling/framework/setup.ts'
import type { Store } from '../../store/store.ts'
import {
  type ChangeHostsBody,
  changedHostsShape,
  changeHostsBody,
  hostsPreviewShape,
  previewHostsBody,
  undoHostsBody,
  undoneHostsShape,
} from '../../wire/host-changes.ts'
import type { World } from '../../world/world.ts'
import { Problem } from '../api/problem.ts'
import { type V1Route, v1Route, v1Write } from '../api/route.ts'
import { findAggregate } from '../schedule/simulated-changes.ts'
import type { WorldCopyPool } from '../schedule/world-copies.ts'
import { toComputeProblem } from './hosts.routes.ts'
import { previewHosts } from './preview-hosts.ts'

interface ChangeContext {
  readonly world: World
  readonly policy: Policy
  readonly store: () => Store
  readonly setup: () => SchedulingSetup
  readonly newUuid: () => string
  readonly nowMs: () => number
  readonly privateWorld: WorldCopyPool
}

const OPERATION = 'berth:hosts:write'

/** Previews, makes and undoes changes to many hosts, each in one commit. */
export function changeHostsRoutes(context: ChangeContext): V1Route[] {
  return [previewRoute(context), changeRoute(context), undoRoute(context)]
}

function previewRoute(context: ChangeContext): V1Route {
  return v1Route({
    method: 'POST',
    changesNothing: true,
    path: '/hosts/preview',
    operation: 'berth:simulate',
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Preview a change to many hosts',
    description:
      'What `POST /v1/hosts/change` would do: which hosts change, how many servers of each flavor fit before and after, what would ' +
      'be over its capacity, which servers would break a rule, and with `drain` where their servers would go. Runs on a copy of ' +
      'the state: nothing is written. One preview, replay or simulation at a time.',
    body: previewHostsBody,
    answer: { description: 'The effects.', shape: hostsPreviewShape },
    problems: {
      400: 'Nothing is to change, or too many servers would have to move.',
      404: 'There is no such host or host aggregate.',
      409: 'The change would be refused: `code` and the facts give the reason.',
      503: 'Another preview, replay or simulation is running: try again.',
    },
    async handle({ body }) {
      if (body.drain === true && body.disabled === false)
        throw makeBad('drain', 'the hosts would be enabled, so servers could stay.')
      if (body.drain !== true) requireChange(body)
      // A host whose servers leave takes no new ones.
      const change = toChange(context.world, body.drain === true ? { ...body, disabled: true } : body)
      return context.privateWorld.lend(copy => previewHosts(copy, body, change, context))
    },
  })
}

function changeRoute({ world, policy }: ChangeContext): V1Route {
  return v1Write({
    method: 'POST',
    path: '/hosts/change',
    operation: OPERATION,
    bodyLimit: LIST_BODY_BYTES,
    summary: 'Change many hosts in one commit',
    description:
      `Disables, enables, sets allocation ratios, joins and leaves host aggregates, for at most ${CHANGED_HOSTS_MAX} hosts. All of ` +
      'them or none: the first host that refuses is named and nothing is written. Joining and leaving need the policy ' +
      'operations of host aggregates as well.',
    body: changeHostsBody,
    answer: { description: 'The changed hosts.', shape: changedHostsShape },
    problems: {
      400: 'Nothing is to change, or the request contradicts itself.',
      403: 'The policy does not allow to add hosts to aggregates, or to remove them.',
      404: 'There is no such host or host aggregate.',
      409: 'The change is refused: `code` and the facts give the reason.',
    },
    async write({ body, credentials, once }) {
      requireChange(body)
      requireAggregateRights(policy, credentials, body)
      const { hosts, generations = {} } = body
      const command = { ...toChange(world, body), hosts, generations }
      return once.submit({ kind: 'compute:change-hosts', ...command }, (outcome, revision) => {
        if (!outcome.ok) return toComputeProblem(outcome.refusal)
        const isChanged = outcome.answer.changed.length > 0
        return { status: 200, body: { revision: isChanged ? revision : null, ...outcome.answer } }
      })
    },
  })
}

function undoRoute({ store, policy }: ChangeContext): V1Route {
  return v1Write({
    method: 'POST',
    path: '/hosts/undo',
    operation: OPERATION,
    summary: 'Undo a change to hosts',
    description:
      'Gives hosts back the settings, allocation ratios and host aggregates that they had before a change, in a new commit. ' +
      'Refused if any of it was changed since, or if the change also did something else. Undoing that undoes the undo.',
    body: undoHostsBody,
    answer: { description: 'The hosts that were changed back.', shape: undoneHostsShape },
    problems: {
      403: 'The policy does not allow to add hosts to aggregates, or to remove them.',
      404: 'There is no such revision, or it is no longer kept.',
      409: 'It cannot be undone: `code` and the facts give the reason.',
    },
    async write({ body, credentials, once }) {
      const { revision } = body
      const history = await store().changesAfter(revision - 1, 1)
      const found = history.kept ? history.changes[0] : undefined
      if (found === undefined) throw makeNotKept(revision)
      const { ops } = found.change
      const memberships = ops.filter(({ table }) => table === 'host_aggregate_hosts')
      requireAggregateRights(policy, credentials, {
        join: memberships.filter(({ after }) => after === null),
        leave: memberships.filter(({ after }) => after !== null),
      })
      return once.submit({ kind: 'compute:undo-hosts', revision, ops }, (outcome, done) =>
        outcome.ok
          ? { status: 200, body: { revision: done, hosts: outcome.answer } }
          : toComputeProblem(outcome.refusal),
      )
    },
  })
}

const makeNotKept = (revision: number): Problem =>
  new Problem(404, 'hosts.revision-missing', `revision: ${revision} does not exist, or is no longer kept.`, {
    field: 'revision',
    revision,
  })

function requireChange(body: Partial<ChangeHostsBody>): void {
  const { disabled, disabled_reason, allocation_ratios = {}, join = [], leave = [] } = body
  if (disabled !== undefined || typeof disabled_reason === 'string') return
  if (Object.keys(allocation_ratios).length + join.length + leave.length > 0) return
  throw makeBad('disabled', 'say what is to change: disabled, allocation_ratios, join or leave.')
}

const makeBad = (field: string, detail: string): Problem =>
  new Problem(400, 'request.invalid', `${field}: ${detail}`, { field })

interface Memberships {
  readonly join?: readonly unknown[]
  readonly leave?: readonly unknown[]
}

function requireAggregateRights(
  policy: Policy,
  credentials: Credentials,
  { join = [], leave = [] }: Memberships,
): void {
  const needed = [
    ...(join.length > 0 ? ['os_compute_api:os-aggregates:add_host'] : []),
    ...(leave.length > 0 ? ['os_compute_api:os-aggregates:remove_host'] : []),
  ]
  const missing = needed.find(one => !policy.allows(one, credentials, { project_id: credentials.projectId }))
  if (missing !== undefined)
    throw new Problem(403, 'policy.forbidden', forbiddenText(missing), { operation: missing })
}

/** Finds the aggregates. A reason disables; without one, disabled hosts keep theirs. */
function toChange(world: World, body: Partial<ChangeHostsBody>): HostsChange {
  const { disabled, disabled_reason: reason, allocation_ratios, join, leave } = body
  const isDisabled = disabled ?? (typeof reason === 'string' ? true : undefined)
  if (isDisabled === false && typeof reason === 'string')
    throw makeBad('disabled_reason', 'an enabled host has none.')
  const both = join?.find(name => leave?.includes(name))
  if (both !== undefined) throw makeBad('leave', `${both} is in join, too.`)
  return {
    isDisabled,
    disabledReason: isDisabled === undefined ? undefined : reason,
    ratios: Object.entries(allocation_ratios ?? {}),
    join: join?.map(one => findAggregate(world, one)),
    leave: leave?.map(one => findAggregate(world, one)),
  }
}
