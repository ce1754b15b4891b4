import { LIST_BODY_BYTES } from '../../http/api.ts'
import { normalizeUuid } from '../../kernel/uuid.ts'
import { rebuildRows } from '../../scheduling/decisions/rows.ts'
import type { RebuildCommand } from '../../scheduling/hosts/rebuild.ts'
import { imageShape, rebuiltShape } from '../../wire/scheduling.ts'
import { object, uuid } from '../../wire/shape.ts'
import { type V1Route, v1Write } from '../api/route.ts'
import { parseImage } from './image-body.ts'
import type { ScheduleContext } from './schedule.routes.ts'
import { rebuildProblem } from './schedule-answers.ts'
import { requireOwnServer } from './server-asks.ts'

export function rebuildRoutes({ world, setup, newUuid }: ScheduleContext): V1Route[] {
  return [
    v1Write({
      method: 'POST',
      path: '/rebuild',
      operation: 'berth:schedule',
      bodyLimit: LIST_BODY_BYTES,
      summary: 'Check whether a server may be rebuilt on its host',
      description:
        'With another image. The filters that read images run on its host again; nothing is claimed. If it may, the image ' +
        'is what a later move asks for.',
      body: object('Which server, and its new image.', {
        instance: uuid('The server.'),
        image: imageShape,
      }),
      answer: {
        description: 'The server may be rebuilt.',
        shape: rebuiltShape,
      },
      problems: { 404: 'The server is on no host.', 409: 'A filter refuses the host.' },
      async write({ body, once }) {
        const instance = normalizeUuid(body.instance) ?? body.instance
        requireOwnServer(world, instance)
        const decision = newUuid()
        const command: RebuildCommand = { instance, decision, image: parseImage(body.image), setup: setup() }
        const server = world.consumers.find(instance)
        const project = server === undefined ? null : world.consumers.row(server).project_id
        return once.submit(
          { kind: 'scheduling:rebuild', ...command },
          outcome =>
            outcome.ok
              ? { status: 200, body: { decision, ...outcome.answer } }
              : rebuildProblem(outcome.refusal, decision),
          (outcome, nowMs, revision) => rebuildRows(command, project, outcome, nowMs, revision),
        )
      },
    }),
  ]
}
