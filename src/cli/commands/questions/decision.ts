import type { Command } from 'commander'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { comparedText, decisionText, replayText } from '../../render/decision.ts'
import { scheduleExplanationText } from '../../render/schedule-explanation.ts'
import type { Describe } from '../describe-command.ts'
import { describeList } from './decision-list.ts'
import { definedFields, whole } from './server-ask.ts'

export const describe: Describe = (group, around, end) => {
  group.description('Decisions of the scheduler, which are kept for 14 days.')
  describeList(group.command('list').summary('list decisions, the newest first'), around, end)
  describeShow(group.command('show').summary('show the request, the choice and the result'), around, end)
  describeExplain(
    group.command('explain').summary('explain the same request on the present state'),
    around,
    end,
  )
  describeCompare(group.command('compare').summary('show what changed since, host by host'), around, end)
  describeReplay(group.command('replay').summary('replay it on the state at that time'), around, end)
}

const SHAPE = 'as GET /v1/decisions/ID returns it'
const ID_ARGUMENT = 'The id of the decision.'

function describeShow(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description: 'Shows a decision: its result, and how many hosts each filter left.',
    json: `The decision, ${SHAPE}, with the whole request.`,
    examples: ['berth decision show 5d1c6f4b-0b7c-4c55-8a7e-1d2e3f4a5b6c'],
  }).argument('<decision>', ID_ARGUMENT)
  whenRun(command, around, end, async (session, _options, id: string) => {
    const decision = await session.berth.decision(id)
    session.print(decision, look => decisionText(decision, look))
  })
}

function describeExplain(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Explains the request of a decision on the present state, exactly as it was: with its image, hints and server group. ' +
      'Prints what `berth explain schedule` prints.',
    json: 'The answer of POST /v1/decisions/ID/explain, which is that of POST /v1/explain/schedule.',
    examples: ['berth decision explain 5d1c6f4b-0b7c-4c55-8a7e-1d2e3f4a5b6c'],
  })
    .argument('<decision>', ID_ARGUMENT)
    .option('--hosts <number>', 'How many hosts to report. (default: 20)', whole)
  whenRun(command, around, end, async (session, { hosts }: { hosts?: number }, id: string) => {
    const explained = await session.berth.explainDecision(id, definedFields({ hosts_max: hosts }))
    session.print(explained, look => scheduleExplanationText(explained, look))
  })
}

function describeCompare(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Explains the request of a decision on the state at that time and on the present one, and prints the hosts of which ' +
      'something else is said now. Nothing is written.',
    json: 'The answer of POST /v1/decisions/ID/compare: {"decision", "before", "now", "settings_changed", "changed", "hosts"}.',
    examples: ['berth decision compare 5d1c6f4b-0b7c-4c55-8a7e-1d2e3f4a5b6c'],
  }).argument('<decision>', ID_ARGUMENT)
  whenRun(command, around, end, async (session, _options, id: string) => {
    const compared = await session.berth.compareDecision(id)
    session.print(compared, look => comparedText(compared, look))
  })
}

function describeReplay(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Replays a decision on the state at that time, which Berth restores by undoing every ' +
      'change since. Nothing is written.',
    json: 'The answer of POST /v1/decisions/ID/replay: {"decision", "same", "outcome", "placed", "choice", "refusal", "reason"}.',
    examples: ['berth decision replay 5d1c6f4b-0b7c-4c55-8a7e-1d2e3f4a5b6c'],
    exits: [exitCodes.differences],
  }).argument('<decision>', ID_ARGUMENT)
  whenRun(command, around, end, async (session, _options, id: string) => {
    const replayed = await session.berth.replay(id)
    session.print(replayed, look => replayText(replayed, look))
    return replayed.same ? exitCodes.ok : exitCodes.differences
  })
}
