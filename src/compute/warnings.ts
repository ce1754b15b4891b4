import type { ApiAnswer } from '../http/api.ts'
import { warningHeader } from '../http/formats/warning-header.ts'
import type { Note } from '../scheduling/framework/refusal.ts'
import { noteText } from '../scheduling/framework/refusal-text.ts'
import type { ComputeContext, ComputeRequest } from './context.ts'

/** The answer with what there is to say about what was written, for those who read headers; the log has it too. */
export function withWarnings(
  { log }: Pick<ComputeContext, 'log'>,
  { requestId }: ComputeRequest,
  answer: ApiAnswer,
  notes: readonly Note[],
): ApiAnswer {
  if (notes.length === 0) return answer
  const texts = notes.map(noteText)
  for (const text of texts) log.warn('written and doubtful', { request_id: requestId, text })
  return { ...answer, headers: { ...answer.headers, ...warningHeader(texts) } }
}
