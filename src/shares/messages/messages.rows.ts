import type { PlainRow } from '../../store/tables/plain-tables.ts'
import { ACTIONS, type Message } from './messages.ts'

export type MessageRow = PlainRow<'share_messages'>

export const messageRow = (
  message: Message,
  id: string,
  request_id: string | null,
  at_ms: number,
): MessageRow => ({
  id,
  project_id: message.project,
  resource_type: message.resource,
  resource_id: message.resourceId,
  action_id: ACTIONS[message.action],
  detail_id: message.detail,
  level: message.level ?? 'ERROR',
  request_id,
  user_message: message.text,
  is_deleted: 0,
  at_ms,
})
