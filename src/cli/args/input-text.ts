import { readFile } from 'node:fs/promises'
import { makeUsageError } from '../connection/client-failures.ts'
import { unreadable } from '../connection/unreadable.ts'
import type { ProcessEnvironment } from '../process-environment.ts'

/** A file as text; `-` is standard input. */
export async function inputText({ stdin }: ProcessEnvironment, file: string): Promise<string> {
  if (file !== '-')
    try {
      return await readFile(file, 'utf8')
    } catch (error) {
      throw unreadable(error, file)
    }
  if (stdin.isTerminal) throw makeUsageError('standard input is a terminal: name a file, or pipe one in')
  const chunks: Uint8Array[] = []
  for await (const chunk of stdin.chunks()) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

export const inputName = (file: string): string => (file === '-' ? 'standard input' : file)
