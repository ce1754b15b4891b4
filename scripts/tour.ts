/**
 * Takes tours of the demo cloud with the built program and writes what it printed into pages, between the marks.
 * `--check` only says whether the pages are current.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuiltBerth, buildIfNeeded, startBuiltBerth, withoutOurVariables } from './built-berth.ts'

export interface Stop {
  readonly say: string
  /** Shown as it is run: a line for a POSIX shell. */
  readonly run: string
  /** How the command ends; 0 unless said. */
  readonly exit?: number
}

const RACK_C1 = 'c953fe61-054b-5c7f-aa53-f70be530c2c0'

const SERVER = '0b7c2f8a-93d4-4c55-8a7e-1d2e3f4a5b6c'

const aTasteOfAll: readonly Stop[] = [
  {
    say: 'A host is a tree: NUMA nodes below it, network devices and GPUs below those, used and total on each.',
    run: "bin/berth provider tree gpu-c2-02 | grep -Ev 'traits|aggregates'",
  },
  {
    say: 'Where would 8 processors, 32 GiB and a disk go? The disk comes from storage that the zone shares.',
    run: 'bin/berth candidates --resources VCPU:8,MEMORY_MB:32768,DISK_GB:80 --required HW_CPU_X86_AVX512F --limit 3',
  },
  {
    say: 'And a GPU with a network card at the same NUMA node?',
    run: [
      'bin/berth candidates --group _CPU resources=VCPU:8,MEMORY_MB:16384 --group _GPU resources=PGPU:1',
      '  --group _NET resources=SRIOV_NET_VF:1 required=CUSTOM_PHYSNET_RDMA',
      '  --group-policy none --same-subtree _CPU,_GPU,_NET',
    ].join(' \\\n'),
  },
  {
    say: 'Rack c1 has processors and memory to spare, but this does not fit. Why, and what would help? Every change that is named was tried.',
    run: `bin/berth explain candidates --resources VCPU:8,MEMORY_MB:32768,DISK_GB:80 --member-of ${RACK_C1}`,
  },
  {
    say: 'One host lost memory after it was filled. Berth takes no write that would make it worse.',
    run: 'bin/berth usage show gp-a1-03',
  },
  {
    say: 'Place a server: candidates, filters, weighers and the claim in one call.',
    run: `bin/berth schedule m1.large --zone a --instance ${SERVER}`,
  },
  {
    say: 'No host takes this flavor. Every filter is asked about every host, and says what it compared.',
    run: "bin/berth explain schedule v1.vault --hosts 1 | grep -v '52 → 52'",
  },
  {
    say: 'How many more fit, and what if a host has to be emptied? Nothing is written.',
    run: 'bin/berth simulate m1.large --zone a --drain gp-a1-05 --hosts 3',
  },
]

const whyNoHost: readonly Stop[] = [
  {
    say: 'A flavor of the [demo](demo.md) is asked for, and refused:',
    run: 'bin/berth schedule v1.vault',
    exit: 2,
  },
  {
    say: 'The same words after `explain` say why:',
    run: 'bin/berth explain schedule v1.vault --hosts 2',
  },
  {
    say:
      'The histogram tells most of it. For 8 hosts `certification` alone stands in the way, and it is a mismatch: they have ' +
      'one. Below, a host says which: `pci-dss`, from the aggregate of certified hosts, where the flavor wants `pci`. The ' +
      'first change was tried, but a vault should not do without its certification. The flavor was meant otherwise:',
    run: 'bin/berth flavor set v1.vault certification=pci-dss | grep certification',
  },
  {
    say: 'Now it finds a place:',
    run: `bin/berth schedule v1.vault --dry-run --instance ${SERVER}`,
  },
]

/** By path from the root of the repository. */
export const tours: Readonly<Record<string, readonly Stop[]>> = {
  'README.md': aTasteOfAll,
  'docs/how-to/why-no-host.md': whyNoHost,
}

const BEGIN = '<!-- tour:begin: made by node scripts/tour.ts -->'
const END = '<!-- tour:end -->'

const root = fileURLToPath(new URL('..', import.meta.url))
export const pageText = (path: string): string => readFileSync(join(root, path), 'utf8')

/** A tour as its page shows it, from a server that was started for it. */
export async function takeTour(stops: readonly Stop[]): Promise<string> {
  buildIfNeeded()
  const berth = await startBuiltBerth('--demo')
  try {
    symlinkSync(join(root, 'bin'), join(berth.directory, 'bin'))
    return stops.map(stop => `${stop.say}\n\n${block(stop.run, printed(stop, berth))}`).join('\n\n')
  } finally {
    await berth.stop()
  }
}

/** What a command prints, on both streams, in the directory where the server was started. */
function printed({ run, exit = 0 }: Stop, berth: BuiltBerth): string {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', `${run} 2>&1`], {
    cwd: berth.directory,
    env: { ...withoutOurVariables(), BERTH_URL: berth.url, BERTH_TOKEN: berth.token },
    encoding: 'utf8',
  })
  if (status !== exit) throw new Error(`'${run}' ended with ${status}, not ${exit}:\n${stdout}${stderr}`)
  return masked(stdout, berth)
}

/** The port, the token and the ids of decisions differ from run to run; all else of the demo is the same. */
function masked(text: string, { url, token }: BuiltBerth): string {
  return text
    .replaceAll(url, 'http://127.0.0.1:8778')
    .replaceAll(token, 'TOKEN')
    .replaceAll(/\bdecision [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, `decision ${DECISION}`)
}

const DECISION = '5d1c6f4b-0b7c-4c55-8a7e-2f8a93d44c55'

function block(command: string, output: string): string {
  const lines = output.trimEnd().split('\n')
  return ['```console', `$ ${command}`, ...lines.map(line => line.trimEnd()), '```'].join('\n')
}

/** A page with the tour between its marks; all else of it stays. */
export function withTour(page: string, text: string): string {
  const from = page.indexOf(BEGIN)
  const to = page.indexOf(END)
  if (from < 0 || to < from) throw new Error(`there is no place for the tour: write ${BEGIN} and ${END}`)
  return `${page.slice(0, from + BEGIN.length)}\n\n${text}\n\n${page.slice(to)}`
}

if (import.meta.main)
  for (const [path, stops] of Object.entries(tours)) {
    const page = pageText(path)
    const current = withTour(page, await takeTour(stops))
    if (current === page) continue
    console.log(path)
    if (process.argv.includes('--check')) process.exitCode = 1
    else writeFileSync(join(root, path), current)
  }
