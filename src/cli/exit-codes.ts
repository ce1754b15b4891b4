/** How a command ends. The numbers from 64 on are those of sysexits(3). */
export const exitCodes = {
  ok: 0,
  /** verify: memory and store differ, or the store is not sound. */
  differences: 1,
  usage: 64,
  /** The address is taken, or a server did not answer as it should. */
  unavailable: 69,
  /** A bug of ours, or the server could not go on. */
  broken: 70,
  /** The data directory or the database in it cannot be used. */
  store: 74,
  configuration: 78,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const meanings: Readonly<Record<ExitCode, string>> = {
  0: 'all went well',
  1: 'differences or problems were found',
  64: 'the command line is wrong',
  69: 'the address cannot be used, or the server there did not answer',
  70: 'a bug, or the server could not go on',
  74: 'the data directory or the database in it cannot be used',
  78: 'the configuration is wrong',
}

/** The part of a command's help that says how it can end. */
export function exitCodesHelp(...codes: readonly ExitCode[]): string {
  return ['Exit codes:', ...codes.map(code => `  ${String(code).padStart(2)}  ${meanings[code]}`)].join('\n')
}
