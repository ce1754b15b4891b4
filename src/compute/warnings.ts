import type { ApiAnswer } from '../http/api.ts'
import type { Note } from '../scheduling/refusal.ts'
import { noteText } from '../scheduling/refusal-text.ts'
import type { ComputeContext, ComputeRequest } from './context.ts'

/** What was taken though it will not do what its author may think. */
export const WARNING_HEADER = 'berth-warning'
const LENGTH_MAX = 4_000

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
  return { ...answer, headers: { ...answer.headers, [WARNING_HEADER]: headerText(texts.join(' ')) } }
}

/** Headers are plain ASCII. */
function headerText(text: string): string {
  const plain = text.replaceAll(/[^\x20-\x7e]/g, char => JSON.stringify(char).slice(1, -1))
  const ascii = plain.replaceAll(
    /[^\x20-\x7e]/g,
    char => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return ascii.length <= LENGTH_MAX ? ascii : `${ascii.slice(0, LENGTH_MAX)}...`
}
