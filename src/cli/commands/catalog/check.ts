import type { Command } from 'commander'
import { ownValue } from '../../../kernel/records.ts'
import type { CatalogCheck } from '../../../wire/catalog-check.ts'
import { makeUsageError } from '../../connection/client-failures.ts'
import { exitCodes } from '../../connection/exit-codes.ts'
import { describeClientCommand, type End, whenRun } from '../../connection/session.ts'
import type { ProcessEnvironment } from '../../process-environment.ts'
import { type Column, flexible, type Look, table } from '../../render/table.ts'
import { remark } from '../questions/advice.ts'

/** Short names of the types of resource. */
const types: Readonly<Record<string, string>> = {
  flavor: 'OS::Nova::Flavor',
  aggregate: 'OS::Nova::Aggregate',
  'share-type': 'OS::Manila::ShareType',
  image: 'OS::Glance::Image',
  volume: 'OS::Cinder::Volume',
}

export function describeCatalogCheck(command: Command, around: ProcessEnvironment, end: End): void {
  describeClientCommand(command, {
    description:
      'Checks extra specs, metadata or image properties: where each key is defined, whether its value and its ' +
      'operator are allowed, and which key was probably meant. The result is advice: the APIs accept the keys ' +
      'anyway.',
    json:
      '{"resource_type", "ok", "keys": [{"key", "value", "ok", "defined": [{"namespace", "object", "property",\n' +
      '"prefix"}], "reader", "operator", "operator_allowed", "value_allowed", "findings": [{"code", "text",\n' +
      '"namespace", "suggestion"}], "near"}], "missing"}.',
    examples: [
      'berth catalog check flavor hw:cpu_policy=dedicated hw:cpu_thread_policy=isolate',
      "berth catalog check flavor 'capabilities:cpu_info:features=<all-in> aes avx2'",
      "berth catalog check share-type driver_handles_share_servers=False 'dedupe=<is> True'",
    ],
    exits: [exitCodes.differences],
  })
    .argument('<type>', `${Object.keys(types).join(', ')}, or a type of resource such as OS::Nova::Flavor.`)
    .argument('<key=value...>', 'The keys with their values.')
  whenRun(command, around, end, async (session, _options: object, type: string, words: string[]) => {
    const report = await session.berth.checkSpecs(typeNamed(type), specsIn(words))
    session.print(report, look => checkText(report, look))
    return report.ok ? exitCodes.ok : exitCodes.differences
  })
}

function typeNamed(type: string): string {
  const known = ownValue(types, type)
  if (known !== undefined) return known
  if (type.includes('::')) return type
  throw makeUsageError(
    `'${type}' is not a resource type: write ${Object.keys(types).join(', ')}, or one such as OS::Nova::Flavor`,
  )
}

function specsIn(words: readonly string[]): Record<string, string> {
  const specs: Record<string, string> = Object.create(null)
  for (const word of words) {
    const equals = word.indexOf('=')
    if (equals < 1) throw makeUsageError(`'${word}' has no value: write KEY=VALUE`)
    const key = word.slice(0, equals)
    if (Object.hasOwn(specs, key)) throw makeUsageError(`${key} is given twice`)
    specs[key] = word.slice(equals + 1)
  }
  return specs
}

const COLUMNS: readonly Column[] = ['KEY', flexible('VALUE'), 'DEFINED IN', flexible('REMARK')]

function checkText({ keys, missing }: CatalogCheck, look: Look): string {
  const rows = keys.flatMap(({ key, value, defined, findings }) => {
    const where = defined.map(one => one.namespace).join(', ') || '-'
    const remarks = findings.length === 0 ? [{ text: 'fine', suggestion: null }] : findings
    return remarks.map((one, at) => (at === 0 ? [key, value, where, remark(one)] : ['', '', '', remark(one)]))
  })
  const absent = missing.map(key => [key, '-', '-', 'Every resource of this type needs it.'])
  return table(COLUMNS, [...rows, ...absent], look)
}
