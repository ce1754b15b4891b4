import { Argument } from 'commander'
import { describeCommand } from './command-texts.ts'
import type { Describe } from './commands.ts'
import { exitCodes } from './connection/exit-codes.ts'
import { buildProgram, loadEverything } from './program.ts'
import { commandNodes, scripts } from './render/completion-scripts.ts'

export const describeCompletion: Describe = (command, around, end) => {
  const shells = Object.keys(scripts) as (keyof typeof scripts)[]
  describeCommand(command, {
    description: 'Prints a script that makes a shell complete the commands and options of berth.',
    notes: `To have it always, add one line to the file that your shell reads at its start:
  bash  eval "$(berth completion bash)"                      in ~/.bashrc
  zsh   eval "$(berth completion zsh)"                       in ~/.zshrc, after compinit
  fish  berth completion fish | source                       in ~/.config/fish/config.fish`,
    examples: [
      'eval "$(berth completion bash)"',
      'berth completion fish > ~/.config/fish/completions/berth.fish',
    ],
    exits: [exitCodes.ok, exitCodes.usage],
  }).addArgument(new Argument('<shell>', 'The shell.').choices(shells))
  command.action(async (shell: keyof typeof scripts) => {
    const program = buildProgram(around, await loadEverything(), () => undefined)
    around.stdout.write(scripts[shell](commandNodes(program)))
    end(exitCodes.ok)
  })
}
