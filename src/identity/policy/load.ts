import { readFile } from 'node:fs/promises'
import { type PolicyMode, PolicyRefused, policyOf, type WholePolicy } from './policy.ts'
import { POLICY_FILE_BYTES_MAX, PolicyFileUnreadable, parsePolicyFile } from './policy-file.ts'

/** The policy in force: the defaults, and over them the file, where there is one. */
export async function loadPolicy(mode: PolicyMode, path: string | null): Promise<WholePolicy> {
  if (path === null) return policyOf(mode)
  const text = await textOf(path)
  try {
    return policyOf(mode, parsePolicyFile(text))
  } catch (error) {
    if (error instanceof PolicyRefused || error instanceof PolicyFileUnreadable)
      throw new PolicyRefused(`the policy file ${path}, ${error.message}`)
    throw error
  }
}

async function textOf(path: string): Promise<string> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`
    throw new PolicyRefused(`the policy file ${path} ${why}`)
  }
  if (bytes.length > POLICY_FILE_BYTES_MAX)
    throw new PolicyRefused(`the policy file ${path} has more than ${POLICY_FILE_BYTES_MAX} bytes`)
  return bytes.toString('utf8')
}
