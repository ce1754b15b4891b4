import {
  addCandidateOptions,
  CANDIDATE_NOTES,
  type CandidateOptions,
  candidateQuery,
} from './candidate-query.ts'
import type { Describe } from './commands.ts'
import { findProvider } from './providers-by-name.ts'
import { explanationText } from './render/explanation.ts'
import { describeClientCommand, whenRun } from './session.ts'

export const describeExplain: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Says why a request fits where it does, or nowhere: how many providers and trees each part of it ' +
      'leaves over, which hosts miss by least and by how much, and which single changes would give a ' +
      'candidate. Takes what `berth candidates` takes.',
    notes: CANDIDATE_NOTES,
    json:
      'The answer of GET /v1/explain/allocation_candidates: {"revision", "candidates", "capped", "funnel",\n' +
      '"nearest", "changes"}.',
    examples: [
      'berth explain --resources VCPU:64,MEMORY_MB:1048576',
      'berth explain --resources VGPU:1 --required CUSTOM_GPU_A100 --in-tree compute-1',
      "berth explain --query 'resources=VCPU:2&required=CUSTOM_A'",
    ],
  })
  addCandidateOptions(command)
  whenRun(command, around, end, async (session, options: CandidateOptions) => {
    const find = async (text: string) => (await findProvider(await session.placement(), text)).uuid
    const query = await candidateQuery(options, find)
    const explained = await session.berth.explain(query, options.microversion ?? null)
    session.print(explained, look => explanationText(explained, look))
  })
}
