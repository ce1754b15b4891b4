/** Runs a program as a client of a built Berth with the demo cloud; it prints its claims, with the count at the end. */
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startBuiltBerth } from '../scripts/built-berth.ts'

/** The exit code of the program. */
export async function runClient(command: string, ...args: readonly string[]): Promise<number> {
  const berth = await startBuiltBerth('--demo')
  try {
    const password = await readFile(join(berth.directory, 'berth-data/admin-password'), 'utf8')
    const { status, error } = spawnSync(command, args, {
      stdio: 'inherit',
      timeout: 120_000,
      env: {
        PATH: process.env.PATH,
        OS_AUTH_URL: `${berth.url}/identity/v3`,
        OS_USERNAME: 'admin',
        OS_PASSWORD: password.trim(),
        OS_PROJECT_NAME: 'admin',
        OS_USER_DOMAIN_NAME: 'Default',
        OS_PROJECT_DOMAIN_NAME: 'Default',
        OS_REGION_NAME: 'RegionOne',
      },
    })
    if (error !== undefined) throw error
    return status ?? 1
  } finally {
    await berth.stop()
  }
}
