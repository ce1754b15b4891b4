import type { AskBody, MoveBody } from '../../src/wire/scheduling.ts'
/**
 * Every `berth` command that the console shows or copies; test/command-lines.test.ts parses them with the real command
 * line. Values may come from a link of another person: all of them are quoted.
 */

export const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export const berthCommands = {
  fit: () => 'berth fit',
  switchShadow: () => 'berth shadow set reads=berth',
  sweepShadow: () => 'berth shadow sweep',
  move: (server: string) => `berth move ${quoteForShell(server)}`,
  addHost: () => 'berth host add node-1 --inventory VCPU=64 --inventory MEMORY_MB=262144',
  createFlavor: () => 'berth flavor create m1.small --vcpus 2 --ram 4096 --disk 20',
  createAggregate: () => 'berth host-aggregate create zone-a --zone zone-a',
  addHostToAggregate: (aggregate: string) => `berth host-aggregate add-host ${quoteForShell(aggregate)} HOST`,
  flavorsOfHost: (host: string) => `berth host flavors ${quoteForShell(host)}`,
  violationsOfHost: (host: string) => `berth host violations ${quoteForShell(host)}`,
  flavorsOfAggregate: (id: number) => `berth host-aggregate flavors ${id}`,
  violationsOfAggregate: (id: number) => `berth host-aggregate violations ${id}`,
  importCatalog: () => 'berth catalog import definitions/*.json',
  applyCloud: () => 'berth apply cloud.json',
  createToken: () => 'berth token create NAME --role ROLE',
  checkPolicy: (operation: string, role: string) =>
    `berth policy check ${quoteForShell(operation)} --role ${quoteForShell(role)}`,
  trySchedule: () => 'berth schedule m1.small --dry-run',
  candidates: (query: string) => `berth candidates --query ${quoteForShell(query)}`,
  explainSchedule: ({
    flavor,
    instance,
    zone,
    host,
    volume_backed,
    server_group,
    hints,
    image,
  }: AskBody & Partial<MoveBody>) =>
    [
      'berth explain schedule',
      ...(flavor === undefined ? [] : [quoteForShell(String(flavor))]),
      ...optionOf('--server', instance),
      ...optionOf('--zone', zone),
      ...optionOf('--host', host),
      ...optionOf('--server-group', server_group),
      ...(volume_backed === true ? ['--volume-backed'] : []),
      ...Object.entries(hints ?? {}).flatMap(([name, value]) =>
        // Hints that are lists are given one by one, but a query is one value.
        (name === 'query' ? [value] : [value].flat()).flatMap(one =>
          optionOf('--hint', `${name}=${jsonOf(one)}`),
        ),
      ),
      ...Object.entries(image?.properties ?? {}).flatMap(([name, value]) =>
        optionOf('--image-property', `${name}=${jsonOf(value)}`),
      ),
    ].join(' '),
} as const

const optionOf = (name: string, value: string | null | undefined): string[] =>
  value == null ? [] : [`${name} ${quoteForShell(value)}`]

const jsonOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
