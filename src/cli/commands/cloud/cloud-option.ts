import { type Command, Option } from 'commander'
import { Cloud } from '../../../openstack/cloud/cloud.ts'
import { CloudFailure } from '../../../openstack/cloud/cloud-failure.ts'
import { readCloudSettings } from '../../../openstack/cloud/cloud-settings.ts'
import { Stopped } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'

export const CLOUD_NOTES = `The cloud is one of clouds.yaml, as the openstack client finds it: OS_CLIENT_CONFIG_FILE, the working directory,
~/.config/openstack, /etc/openstack; secrets may be in secure.yaml. The name envvars stands for the OS_* variables. Its user needs the
role admin. At most four requests are under way at a time; when the cloud is busy, Berth waits and asks again.`

export const addCloudOption = (command: Command): Command =>
  command.addOption(new Option('--cloud <name>', 'The cloud, by its name in clouds.yaml.').env('OS_CLOUD'))

/** Throws SettingsRefused if clouds.yaml does not describe the cloud. */
export async function openCloud(
  { env, homeDirectory }: ProcessEnvironment,
  name: string | undefined,
  signal?: AbortSignal,
): Promise<Cloud> {
  const settings = await readCloudSettings(name, { env, homeDirectory, workingDirectory: '.' })
  return new Cloud(settings, signal === undefined ? {} : { signal })
}

/** If a cloud does not answer, Berth has not failed. */
export async function withCloudFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CloudFailure)) throw error
    const isForbidden = error.status === 401 || error.status === 403
    throw new Stopped(error.message, isForbidden ? exitCodes.forbidden : exitCodes.unavailable)
  }
}
