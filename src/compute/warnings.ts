import type { ApiAnswer } from '../http/api.ts'
import { warningHeader } from '../http/formats/warning-header.ts'
import type { Note } from '../scheduling/framework/refusal.ts'
import type { ComputeContext, ComputeRequest } from './context.ts'

/** Values that definitions of the catalog do not allow. */
export const asNotes = (texts: readonly string[]): Note[] =>
  texts.map(text => ({ code: 'metadata.doubtful', facts: {}, text }))

/** Adds warnings about what was written as a header and to the log. */
export function addWarnings(
  { log }: Pick<ComputeContext, 'log'>,
  { requestId }: ComputeRequest,
  answer: ApiAnswer,
  notes: readonly Note[],
): ApiAnswer {
  if (notes.length === 0) return answer
  const texts = notes.map(({ text }) => text)
  for (const text of texts) log.warn('metadata accepted with a warning', { request_id: requestId, text })
  return { ...answer, headers: { ...answer.headers, ...warningHeader(texts) } }
}
