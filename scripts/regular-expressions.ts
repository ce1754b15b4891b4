/**
 * Proves that every regular expression of the product takes linear time and writes test/regular-expressions.json.
 * `--check` only compares: it takes a while, so the tests trust the file for expressions that it knows.
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

const { found, unknown } = regularExpressions(productSources())
const proofs: Record<string, string> = {}
const faults = [...unknown]
for (const one of found) {
  const literal = literalOf(one)
  if (Object.hasOwn(proofs, literal)) continue
  const verdict = judge(one)
  if (verdict.isLinear) proofs[literal] = verdict.checker
  else faults.push(`${one.place}: ${literal} is not linear: ${verdict.says}`)
}
const sorted = Object.fromEntries(Object.entries(proofs).sort(([a], [b]) => (a < b ? -1 : 1)))
const text = `${JSON.stringify(sorted, null, 2)}\n`
if (process.argv.includes('--check')) {
  if (text !== `${JSON.stringify(readProofs(), null, 2)}\n`) faults.push(`${proofsPath} is not current`)
} else writeFileSync(proofsPath, text)
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1
