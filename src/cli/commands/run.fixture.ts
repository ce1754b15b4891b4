import { FakeEnvironment } from '../process-environment.fixture.ts'
import { runProgram } from '../program.ts'

interface Ran {
  readonly exitCode: number
  readonly out: string
  readonly err: string
  /** What was printed, parsed; null where it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: commands print every shape
  readonly json: any
}

/** Runs a command as a process would, in an environment with only the given parts. */
export async function run(
  args: readonly string[],
  given: {
    readonly env?: Record<string, string>
    readonly typed?: string
    readonly around?: FakeEnvironment
  } = {},
): Promise<Ran> {
  const around = given.around ?? new FakeEnvironment(given.env)
  around.typed = given.typed ?? around.typed
  const exitCode = await runProgram(args, around)
  const out = around.stdout.text
  return {
    exitCode,
    out,
    err: around.stderr.text,
    json: /^\s*[[{]/.test(out) ? parseJson(out) : null,
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
