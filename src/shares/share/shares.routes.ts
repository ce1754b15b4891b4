import { type ApiAnswer, json, LIST_BODY_BYTES, param } from '../../http/api.ts'
import { warningHeader } from '../../http/formats/warning-header.ts'
import { requireAllowed } from '../../http/policy.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import type { ShareRow } from '../../world/shares.ts'
import { briefSchema } from '../bodies.schemas.ts'
import { makeFieldError, parseBoolean, readChangedText, readFlag, readWrapped } from '../bodies.ts'
import {
  recordMessages,
  requireChangeableShare,
  requireVisibleShare,
  type ShareApiRequest,
  type ShareContext,
  type ShareRoute,
} from '../context.ts'
import { submit, submitOr403 } from '../errors.ts'
import { nextLink } from '../links.ts'
import { warningMessage } from '../messages/messages.ts'
import type { Features } from '../versions.ts'
import { parseCreateShare } from './create.body.ts'
import { type Created, rankForCreate } from './create.ts'
import { createDecision } from './decisions.rows.ts'
import { listQuery, listShares } from './shares.list.ts'
import { createSchema, listAnswers, oneAnswer, shareSchema, updateSchema } from './shares.schemas.ts'
import { briefBody, shareBody } from './shares.view.ts'

export function shareRoutes(context: ShareContext): ShareRoute[] {
  return [...listRoutes(context), ...singleRoutes(context)]
}

function listRoutes(context: ShareContext): ShareRoute[] {
  const list = (
    path: string,
    summary: string,
    schema: (features: Features) => Schema,
    show: (request: ShareApiRequest, row: ShareRow) => unknown,
  ): ShareRoute => ({
    method: 'GET',
    path: `/${path}`,
    operation: 'share:get_all',
    summary,
    query: listQuery,
    answers: features => listAnswers(features, schema(features)),
    handle(request) {
      const { rows, count, nextOffset } = listShares(context, request)
      return json(200, {
        shares: rows.map(row => show(request, row)),
        ...(wantsCount(request) ? { count } : {}),
        ...(nextOffset === null || request.query.last('limit') === undefined
          ? {}
          : { shares_links: nextLink(request, path, makeNextQuery(request, nextOffset)) }),
      })
    },
  })
  return [
    list('shares', 'List shares', () => briefSchema, briefBody),
    list('shares/detail', 'List shares in detail', shareSchema, (request, row) =>
      shareBody(context, request, row),
    ),
    {
      method: 'POST',
      path: '/shares',
      operation: 'share:create',
      summary: 'Create a share',
      requestBody: createSchema,
      answers: oneAnswer,
      // A share may have thousands of hints.
      bodyLimit: LIST_BODY_BYTES,
      async handle(request) {
        const { ask, warnings } = parseCreateShare(context, request)
        const { revision } = context.world
        const { rankedPools, choice } = rankForCreate(context.world, ask, context.clock.nowMs())
        const id = context.newUuid()
        const about = { project: ask.project, share: ask.uuid, action: 'allocate-host' } as const
        const messages = warnings.map(text => warningMessage(about, text))
        const record = recordMessages<Created>(context, request.requestId, messages)
        const { because, share } = await submit(
          context,
          { kind: 'shares:create', ...ask, rankedPools },
          (decided, nowMs, decidedRevision) => [
            ...record(decided, nowMs, decidedRevision),
            ...createDecision({ id, revision, choice }, ask, decided, nowMs, decidedRevision),
          ],
        )
        context.decided?.('share', because === null ? 'placed' : 'refused')
        context.wake()
        const answer = json(200, { share: asAccepted(context, request, share) })
        return addHintWarnings(context, request, answer, warnings)
      },
    },
  ]
}

/** Names hints without effect in a header and in the log, with the code that servers use. */
function addHintWarnings(
  { log }: ShareContext,
  { requestId }: ShareApiRequest,
  answer: ApiAnswer,
  texts: readonly string[],
): ApiAnswer {
  const code = 'hint.unread'
  for (const text of texts) log.warn('scheduler hint ignored', { request_id: requestId, code, text })
  return {
    ...answer,
    headers: { ...answer.headers, ...warningHeader(texts.map(text => `${code}: ${text}`)) },
  }
}

/** Shown as being created, even if it is available by now. */
function asAccepted(context: ShareContext, request: ShareApiRequest, share: ShareRow) {
  return shareBody(context, request, { ...share, status: 'creating', pool_id: null })
}

function wantsCount({ query, features }: ShareApiRequest): boolean {
  const text = features.withCount ? query.last('with_count') : undefined
  if (text === undefined) return false
  const flag = parseBoolean(text)
  if (flag === null) throw makeFieldError('with_count', text, 'It must be true or false.')
  return flag
}

function makeNextQuery({ query }: ShareApiRequest, offset: number): string {
  const values = { ...query.lastValues(), offset: String(offset) }
  return new URLSearchParams(values).toString()
}

function singleRoutes(context: ShareContext): ShareRoute[] {
  const path = '/shares/{share_id}'
  return [
    {
      method: 'GET',
      path,
      operation: 'share:get',
      summary: 'Show a share',
      answers: oneAnswer,
      handle: request =>
        json(200, {
          share: shareBody(
            context,
            request,
            requireVisibleShare(context, request, param(request, 'share_id')),
          ),
        }),
    },
    {
      method: 'PUT',
      path,
      operation: 'share:update',
      summary: 'Change the name, the description or the visibility of a share',
      requestBody: updateSchema,
      answers: oneAnswer,
      asksPolicy: true,
      handle: request => updateShare(context, request),
    },
    {
      method: 'DELETE',
      path,
      operation: 'share:delete',
      summary: 'Delete a share',
      answers: { 202: null },
      asksPolicy: true,
      async handle(request) {
        const { uuid: share } = requireChangeableShare(
          context,
          request,
          param(request, 'share_id'),
          'share:delete',
        )
        const stepUuids = [context.newUuid(), context.newUuid()] as const
        await submitOr403(context, {
          kind: 'shares:delete',
          share,
          force: false,
          stepUuids,
        })
        context.wake()
        return { status: 202 }
      },
    },
  ]
}

async function updateShare(context: ShareContext, request: ShareApiRequest): Promise<ApiAnswer> {
  const body = readWrapped(request, 'share')
  const { uuid: share } = requireChangeableShare(context, request, param(request, 'share_id'), 'share:update')
  const isPublic = Object.hasOwn(body, 'is_public') ? readFlag(body, 'is_public', false) : undefined
  if (isPublic === true) requireAllowed(context, request, 'share:set_public_share')
  const answer = await submit(context, {
    kind: 'shares:update',
    share,
    isPublic,
    name: readChangedText(body, 'display_name', 'name'),
    description: readChangedText(body, 'display_description', 'description'),
  })
  return json(200, { share: shareBody(context, request, answer) })
}
