import { projectId } from '../../args/names.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, whenRun } from '../../connection/session.ts'
import { fitText } from '../../render/fit.ts'
import type { Describe } from '../describe-command.ts'

export const describe: Describe = (command, around, end) => {
  describeClientCommand(command, {
    description:
      'Prints how many more servers of each flavor fit, by zone: one question for all flavors. A number with ~ is about right: ' +
      'a filter looks at what is on a host already, or hosts compete for shared storage; `berth simulate` counts one flavor exactly.',
    json: 'The answer of GET /v1/fit, all pages as one: {"revision", "zones", "flavors", "truncated"}.',
    examples: ['berth fit', 'berth fit m1.small m1.large', 'berth fit --project shop'],
    exits: [exitCodes.nothing],
  })
    .argument('[flavor...]', 'Only these flavors, by id or name.')
    .option('--project <project>', 'For servers of this project, by id or name.')
  whenRun(command, around, end, async (session, options: { project?: string }, names: readonly string[]) => {
    const project = options.project === undefined ? null : await projectId(session, options.project)
    const pairs: [string, string][] = names.map(name => ['flavor', name])
    if (project !== null) pairs.push(['project_id', project])
    const fit = await session.berth.fit(pairs)
    session.print(fit, look => fitText(fit, look))
    if (fit.flavors.length === 0) session.remark('no flavor')
    return names.length > 0 && fit.flavors.every(({ fits }) => fits === 0) ? exitCodes.nothing : exitCodes.ok
  })
}
