import type { CloudLine, ConsumerFields, ProviderFields } from '../../placement/transfer/lines.ts'
import type { Ledger } from './ledger.ts'

/** The ledger in the lines of an export, with the standard names that the server knows. */
export async function readExport(
  lines: AsyncIterable<unknown>,
  known: { readonly classes: readonly string[]; readonly traits: readonly string[] },
): Promise<Ledger> {
  const providers = new Map<string, ProviderFields>()
  const consumers = new Map<string, ConsumerFields>()
  for await (const line of lines as AsyncIterable<CloudLine>) {
    if ('provider' in line) providers.set(line.provider.uuid, line.provider)
    else if ('consumer' in line) consumers.set(line.consumer.uuid, line.consumer)
  }
  return { classes: new Set(known.classes), traits: new Set(known.traits), providers, consumers }
}
