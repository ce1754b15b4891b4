/** Exit codes. The numbers from 64 on are those of sysexits(3). */
export const exitCodes = {
  ok: 0,
  /** Two things differ that should not, or a check found something. */
  differences: 1,
  /** Nothing fits: no candidate, no host, no pool; the same with --dry-run. */
  nothing: 2,
  usage: 64,
  /** The server refuses the request as invalid. */
  invalid: 65,
  /** A named thing does not exist, on the server or as a file. */
  missing: 66,
  /** The address is in use, or a server or database gave no proper answer. */
  unavailable: 69,
  /** A bug in Berth, or the server had to stop. */
  broken: 70,
  /** A file or directory cannot be created, or exists already. */
  output: 73,
  /** The data directory or the database in it cannot be used. */
  store: 74,
  /** Another client changed it meanwhile, it is in use, or the named provider has no capacity left for a claim. */
  conflict: 75,
  /** No token, an invalid one, or one without the permission. */
  forbidden: 77,
  configuration: 78,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitMeanings: Readonly<Record<ExitCode, string>> = {
  0: 'all went well',
  1: 'differences or problems were found',
  2: 'nothing fits: there is no candidate, host or pool for the request',
  64: 'the command line is wrong',
  65: 'the server refused the request: it is malformed, or names something unknown',
  66: 'what was named does not exist',
  69: 'the address cannot be used, or the server or database there did not answer',
  70: 'a bug, or the server could not go on',
  73: 'a file or directory cannot be created, or already exists',
  74: 'the data directory or the database in it cannot be used',
  75: 'a conflict: the object was changed meanwhile or is in use, or the named provider has no room',
  77: 'no token, an invalid one, or one that may not do this',
  78: 'the configuration is wrong',
}

/** The part of a command's help that lists its exit codes. */
export function exitCodesHelp(...codes: readonly ExitCode[]): string {
  return ['Exit codes:', ...codes.map(code => `  ${String(code).padStart(2)}  ${exitMeanings[code]}`)].join(
    '\n',
  )
}
