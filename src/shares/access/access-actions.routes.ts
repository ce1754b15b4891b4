import { type ApiAnswer, json } from '../../http/api.ts'
import type { Json } from '../../kernel/json.ts'
import { ownValue } from '../../kernel/records.ts'
import { makeFieldError } from '../bodies.ts'
import type { ShareApiRequest, ShareContext } from '../context.ts'
import { submit } from '../errors.ts'
import { parseAllowAccess } from './access.body.ts'
import { accessBody, accessDetail } from './access.view.ts'

export async function allow(
  context: ShareContext,
  request: ShareApiRequest,
  share: string,
  value: Json,
): Promise<ApiAnswer> {
  const { features } = request
  const rule = await submit(context, {
    kind: 'shares:allow-access',
    uuid: context.newUuid(),
    stepUuid: context.newUuid(),
    share,
    ...parseAllowAccess(value, features),
    allowsFailedRules: features.accessStates,
    allowsError: features.accessOnError,
  })
  const answer = json(200, { access: accessDetail(context.world, request, rule) })
  context.wake()
  return answer
}

export async function deny(
  context: ShareContext,
  { features }: ShareApiRequest,
  share: string,
  value: Json,
): Promise<ApiAnswer> {
  const rule = ownValue(value, 'access_id')
  if (typeof rule !== 'string')
    throw makeFieldError('access_id', rule ?? null, 'It must be the id of an access rule.')
  await submit(context, {
    kind: 'shares:deny-access',
    share,
    rule,
    stepUuid: context.newUuid(),
    allowsError: features.accessOnError,
  })
  context.wake()
  return { status: 202 }
}

export async function list(
  { world }: ShareContext,
  request: ShareApiRequest,
  share: string,
): Promise<ApiAnswer> {
  const id = world.shares.findShare(share)?.id ?? -1
  const rules = world.shares.listAccess(id).map(rule => accessBody(world, request, rule))
  return json(200, { access_list: rules })
}
