import { Argument, type Command } from 'commander'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { Describe } from '../describe-command.ts'
import { describeCommand } from '../describe-command.ts'
import { commandNodes, scripts } from './completion-scripts.ts'

export const describe: Describe = (command, around, end) => {
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
  command.action((shell: keyof typeof scripts) => {
    around.stdout.write(scripts[shell](commandNodes(command.parent as Command)))
    end(exitCodes.ok)
  })
}
