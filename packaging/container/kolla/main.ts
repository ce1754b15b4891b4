/**
 * Kolla's kolla_set_configs: puts the files of /var/lib/kolla/config_files where its config.json says and writes the command to
 * /run_command. Ends with 0, or with 1 and one line; with --check nothing is written, and 1 says that something differs.
 */
import { KollaRefused, parseConfig } from './config.ts'
import { findDifferences, setConfigs } from './set-configs.ts'

const [option, ...rest] = process.argv.slice(2)
if (rest.length > 0 || (option !== undefined && option !== '--check')) {
  console.error('usage: kolla_set_configs [--check]')
  process.exit(2)
}
try {
  const config = parseConfig('/var/lib/kolla/config_files/config.json')
  const differences = option === '--check' ? findDifferences('', config) : []
  if (option === undefined)
    setConfigs('', config, process.env.KOLLA_CONFIG_STRATEGY, line => console.log(line))
  for (const line of differences) console.error(line)
  process.exit(differences.length === 0 ? 0 : 1)
} catch (error) {
  const { code } = error as NodeJS.ErrnoException
  if (!(error instanceof KollaRefused) && code === undefined) throw error
  console.error(`kolla_set_configs: ${(error as Error).message}`)
  process.exit(1)
}
