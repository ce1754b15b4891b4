import { readFile } from 'node:fs/promises'
import { compilePolicy, type PolicyMode, PolicyRefused, type WholePolicy } from './compile-policy.ts'
import { POLICY_FILE_BYTES_MAX, PolicyFileUnreadable, parsePolicyFile } from './policy-file.ts'

/** The defaults, overridden by the file if there is one. */
export async function loadPolicy(mode: PolicyMode, path: string | null): Promise<WholePolicy> {
  if (path === null) return compilePolicy(mode)
  const text = await readPolicyText(path)
  try {
    return compilePolicy(mode, parsePolicyFile(text))
  } catch (error) {
    if (error instanceof PolicyRefused || error instanceof PolicyFileUnreadable)
      throw new PolicyRefused(`the policy file ${path}, ${error.message}`)
    throw error
  }
}

async function readPolicyText(path: string): Promise<string> {
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
