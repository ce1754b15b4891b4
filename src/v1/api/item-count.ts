import { Problem } from './problem.ts'

/** Refuses a request with too many items. The error code starts with `about`. */
export function requireAtMost(max: number, about: string, field: string, count: number): void {
  if (count > max)
    throw new Problem(413, `${about}.too-many`, `${field}: ${count} are given, at most ${max} are allowed`, {
      field,
      count,
      max,
    })
}
