/**
 * Proves that every regular expression of the product takes linear time, and keeps the proofs in
 * test/regular-expressions.json, so that the tests need not make them again. `--all` trusts no proof that is there already.
 */
import { writeFileSync } from 'node:fs'
import {
  judge,
  literalOf,
  productSources,
  proofsPath,
  readProofs,
  regularExpressions,
} from '../test/regular-expressions.ts'

const known = process.argv.includes('--all') ? new Map<string, string>() : readProofs()
const proofs = new Map<string, string>()
const { found, unknown } = regularExpressions(productSources())
const faults = [...unknown]
for (const one of found) {
  const literal = literalOf(one)
  if (proofs.has(literal)) continue
  const { isLinear, checker, says } = judge(one, known)
  if (isLinear) proofs.set(literal, checker)
  else faults.push(`${one.place}: ${literal} is not linear: ${says}`)
}
const sorted = Object.fromEntries([...proofs].sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(proofsPath, `${JSON.stringify(sorted, null, 2)}\n`)
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1
