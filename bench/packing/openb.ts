/** GPU tasks on hosts with like devices; nothing leaves until the cloud is full. */
import { Random } from '../../src/kernel/random.ts'
import type { SchedulingSetup } from '../../src/scheduling/framework/setup.ts'
import { Cloud, group, type Kind, type ProviderOfCloud } from './cloud.ts'
import type { Traces } from './traces.ts'

const SHARE = 'CUSTOM_GPU_SHARE'
const SHARES_PER_GPU = 1_000
/** How much is asked for, of all that there is. */
const ARRIVALS = 1.3

interface Task {
  readonly kind: Kind
  readonly share: number
}

interface Openb {
  readonly hosts: readonly ProviderOfCloud[]
  readonly share: number
  readonly tasks: readonly Task[]
}

const traitOf = (model: string): string => `CUSTOM_GPU_${model.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`

/** Processors count in thousandths here. */
export function readOpenb(traces: Traces, list: string): Openb {
  const hosts = traces.read('openb_node_list_gpu_node').map(row => ({
    name: row.sn as string,
    inventories: { VCPU: Number(row.cpu_milli), MEMORY_MB: Number(row.memory_mib) },
    traits: [],
    children: Array.from({ length: Number(row.gpu) }, (_, nth) => ({
      name: `${row.sn}-gpu-${nth}`,
      inventories: { [SHARE]: SHARES_PER_GPU },
      traits: [traitOf(row.model as string)],
      children: [],
    })),
  }))
  const kinds = new Map<string, Task>()
  const tasks = traces.read(list).map(row => {
    const { cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec = '' } = row
    const name = [cpu_milli, memory_mib, num_gpu, gpu_milli, gpu_spec].join()
    const known = kinds.get(name)
    if (known !== undefined) return known
    const task = makeTask(
      name,
      Number(cpu_milli),
      Number(memory_mib),
      Number(num_gpu),
      Number(gpu_milli),
      gpu_spec,
    )
    kinds.set(name, task)
    return task
  })
  const gpus = hosts.reduce((sum, { children }) => sum + children.length, 0)
  return { hosts, tasks, share: gpus * SHARES_PER_GPU }
}

function makeTask(
  name: string,
  cpu: number,
  memory: number,
  gpus: number,
  share: number,
  models: string,
): Task {
  const own = Object.fromEntries(
    Object.entries({ VCPU: cpu, MEMORY_MB: memory }).filter(([, amount]) => amount > 0),
  )
  const required =
    models === ''
      ? []
      : [
          models
            .split('|')
            .filter(model => model !== '')
            .map(traitOf),
        ]
  const devices = Array.from({ length: gpus }, (_, nth) => group(`_GPU${nth}`, { [SHARE]: share }, required))
  return { kind: { name, groups: [group('', own), ...devices] }, share: gpus * share }
}

interface OpenbOutcome {
  readonly allocated: number
  readonly decisions: number
}

/** The part of the GPUs that is allocated in the end, in per cent. */
export function replayOpenb(
  { hosts, tasks, share }: Openb,
  setup: SchedulingSetup,
  seed: number,
): OpenbOutcome {
  const cloud = new Cloud(hosts, setup, seed)
  const random = new Random(seed)
  let [asked, allocated, decisions] = [0, 0, 0]
  let order: Task[] = []
  while (asked < ARRIVALS * share) {
    if (order.length === 0) order = random.shuffle([...tasks])
    const task = order.pop() as Task
    asked += task.share
    if (cloud.place(decisions++, task.kind, 0)) allocated += task.share
  }
  return { allocated: (100 * allocated) / share, decisions }
}
