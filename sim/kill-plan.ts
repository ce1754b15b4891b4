/** What the child does and the parent expects: both derive it from the number of a consumer. */

export const HOSTS = Array.from({ length: 10 }, (_, at) => `host-${at}`)
export const HOSTS_PER_CONSUMER = 3
export const CLASSES = 2

export const hostsOf = (number: number) =>
  Array.from({ length: HOSTS_PER_CONSUMER }, (_, at) => HOSTS[(number + at * 3) % HOSTS.length] as string)

/** The generations of a consumer; 0 is absent. It holds its generation of everything. */
export function lifeOf(number: number): number[] {
  const grown = Array.from({ length: (number % 4) + 1 }, (_, at) => at + 1)
  return number % 3 === 0 ? [0, ...grown, 0] : [0, ...grown]
}
