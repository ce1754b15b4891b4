import {
  addCandidateOptions,
  CANDIDATE_NOTES,
  type CandidateOptions,
  candidateQuery,
} from './candidate-query.ts'
import { wrongUsage } from './client-failures.ts'
import type { Describe } from './commands.ts'
import { findProvider } from './providers-by-name.ts'
import { explanationText } from './render/explanation.ts'
import { explainedShareText } from './render/share-explanation.ts'
import { describeClientCommand, type Session, whenRun } from './session.ts'
import { findShare } from './share.ts'

export const describeExplain: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Says why a request fits where it does, or nowhere: how many providers and trees each part of it ' +
      'leaves over, which hosts miss by least and by how much, and which single changes would give a ' +
      'candidate. Takes what `berth candidates` takes. With `share ID` it says where a share is in view of its ' +
      'hints, and where it could be.',
    notes: CANDIDATE_NOTES,
    json:
      'The answer of GET /v1/explain/allocation_candidates: {"revision", "candidates", "capped", "funnel",\n' +
      '"nearest", "changes"}.',
    examples: [
      'berth explain --resources VCPU:64,MEMORY_MB:1048576',
      'berth explain --resources VGPU:1 --required CUSTOM_GPU_A100 --in-tree compute-1',
      "berth explain --query 'resources=VCPU:2&required=CUSTOM_A'",
      'berth explain share data',
    ],
  })
  addCandidateOptions(command)
  command.argument('[what]', 'share, for a share.').argument('[id]', 'The id or the name of the share.')
  whenRun(command, around, end, async (session, options: CandidateOptions, what?: string, id?: string) => {
    if (what !== undefined) return explainShare(session, what, id)
    const find = async (text: string) => (await findProvider(await session.placement(), text)).uuid
    const query = await candidateQuery(options, find)
    const explained = await session.berth.explain(query, options.microversion ?? null)
    session.print(explained, look => explanationText(explained, look))
  })
}

async function explainShare(session: Session, what: string, id: string | undefined): Promise<void> {
  if (what !== 'share' || id === undefined)
    throw wrongUsage("what can be explained by its name is 'share ID'")
  const api = await session.shares()
  const explained = await api.explain((await findShare(api, id)).id)
  session.print(explained, look => explainedShareText(explained, look))
}
