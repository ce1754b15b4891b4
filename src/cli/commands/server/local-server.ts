import { SettingsRefused } from '../../../client/failure.ts'
import type { LocalServer } from '../../../client/settings.ts'
import { loadConfig } from '../../../config/load.ts'
import { problemText } from '../../../config/resolve.ts'
import { adminTokenPath, readAdminToken } from '../../../identity/token-file.ts'
import { serverUrl } from '../../connection/server-url.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'

/** The server that `berth serve` would run here: its address and its admin token, if we may read that. */
export async function localServer({ env, stderr }: ProcessEnvironment): Promise<LocalServer> {
  const resolved = await loadConfig({ flags: {}, configFlag: undefined, env, terminal: stderr.isTerminal })
  if (!resolved.ok)
    throw new SettingsRefused(
      `the configuration of the server on this machine: ${resolved.problems.map(problemText).join('; ')}`,
    )
  const { host, port, auth, data_dir, tls_cert, public_url } = resolved.values
  // A certificate is for the name that clients use.
  const named = tls_cert === null ? null : public_url
  return {
    url: named ?? serverUrl(host, port, tls_cert !== null),
    async token() {
      if (auth === 'noauth2') return { token: 'admin', from: 'auth = noauth2' }
      const token = await readAdminToken(data_dir).catch(() => null)
      return token === null ? null : { token, from: `file ${adminTokenPath(data_dir)}` }
    },
  }
}
