/**
 * How smooth the console is with 10,000 hosts in the map and 100,000 rows in a table: a trace of the browser's main thread
 * while it is used. `npm run bench:console`. It prints; nothing is asserted.
 */
import { randomUUID } from 'node:crypto'
import type { Browser, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { Server } from './server.ts'

const HOSTS = 10_000
const CHILDREN = 9
/** At 60 pictures a second. */
const FRAME_MS = 1000 / 60

const server = new Server('--auth', 'noauth2')
const browser = await openBrowser()
try {
  await server.start()
  const hosts = await fill()
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 } })
  const startedMs = performance.now()
  await page.goto(`${server.url}/#token=admin`)
  await page.getByRole('application').first().waitFor({ timeout: 120_000 })
  console.log(
    `${HOSTS} hosts, ${HOSTS * (CHILDREN + 1)} providers: shown after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`,
  )
  await measured('map: the pointer sweeps over hosts', page, () => sweep(page))
  await measured('map: another class is chosen', page, () =>
    page.getByRole('button', { name: /^VCPU/ }).click(),
  )
  await measured('map: the cursor moves by key', page, () => moveCursor(page))
  await measured('map: 200 claims come in', page, () => claim(hosts))
  await page.goto(`${server.url}/providers?kind=all`)
  await page.getByRole('grid', { name: 'Providers' }).waitFor({ timeout: 120_000 })
  await measured('table: scrolled by the wheel', page, () => scroll(page))
  await measured('table: End, then Home', page, () => jump(page))
  await measured('table: sorted the other way round', page, () =>
    page.getByRole('button', { name: /^Name/ }).click(),
  )
} finally {
  await browser.close()
  await server.end()
}

async function fill(): Promise<readonly string[]> {
  const stock = (total: number) => ({
    ...{ total, reserved: 0, min_unit: 1, max_unit: total, step_size: 1, allocation_ratio: 1 },
  })
  const hosts: string[] = []
  const lines: string[] = []
  const add = (uuid: string, name: string, parent: string | null, inventories: object) =>
    lines.push(
      JSON.stringify({
        provider: {
          uuid,
          name,
          generation: 0,
          parent_provider_uuid: parent,
          inventories,
          traits: [],
          aggregates: [],
        },
      }),
    )
  for (let host = 0; host < HOSTS; host++) {
    const uuid = randomUUID()
    hosts.push(uuid)
    const name = `host-${String(host).padStart(5, '0')}`
    add(uuid, name, null, { VCPU: stock(64), MEMORY_MB: stock(262_144) })
    for (let child = 0; child < CHILDREN; child++)
      add(randomUUID(), `${name}_dev${child}`, uuid, { SRIOV_NET_VF: stock(16) })
  }
  const answer = await fetch(`${server.url}/v1/import`, {
    method: 'POST',
    headers: { 'x-auth-token': 'admin', 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  })
  if (!answer.ok) throw new Error(await answer.text())
  return hosts
}

async function claim(hosts: readonly string[]): Promise<void> {
  for (let at = 0; at < 200; at++)
    await server.ask('PUT', `/placement/allocations/${randomUUID()}`, {
      allocations: { [hosts[(at * 37) % hosts.length] as string]: { resources: { VCPU: 32 } } },
      ...{ project_id: 'p', user_id: 'u', consumer_generation: null, consumer_type: 'INSTANCE' },
    })
}

async function sweep(page: Page): Promise<void> {
  for (let step = 0; step < 60; step++) await page.mouse.move(300 + step * 15, 500 + (step % 10) * 12)
}

async function moveCursor(page: Page): Promise<void> {
  await page.getByRole('application').first().focus()
  for (let step = 0; step < 30; step++) await page.keyboard.press('ArrowRight')
}

async function scroll(page: Page): Promise<void> {
  await page.mouse.move(700, 600)
  for (let step = 0; step < 60; step++) {
    await page.mouse.wheel(0, 800)
    await page.waitForTimeout(16)
  }
}

async function jump(page: Page): Promise<void> {
  await page.getByRole('grid').getByRole('row').nth(1).focus()
  await page.keyboard.press('End')
  await page.waitForTimeout(100)
  await page.keyboard.press('Home')
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly dur?: number
  /** Time on the processor, which other programs on the machine do not stretch. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** Processor time of the tasks of the page's main thread while something is done: each that is longer than a frame is a picture that came late. */
async function measured(what: string, page: Page, act: () => Promise<unknown>): Promise<void> {
  await (browser as Browser).startTracing(page, {
    categories: ['toplevel', 'disabled-by-default-devtools.timeline'],
  })
  await act()
  await page.waitForTimeout(400)
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[]
  }
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid}/${tid}`),
  )
  const tasksMs = traceEvents
    .filter(({ name, ph, pid, tid }) => ph === 'X' && /RunTask$/.test(name) && mains.has(`${pid}/${tid}`))
    .map(({ dur = 0, tdur = dur }) => tdur / 1000)
    .sort((one, other) => one - other)
  const at = (share: number) => (tasksMs[Math.floor((tasksMs.length - 1) * share)] ?? 0).toFixed(1)
  const late = tasksMs.filter(ms => ms > FRAME_MS).length
  console.log(
    `${what.padEnd(38)} ${String(tasksMs.length).padStart(6)} tasks  p99 ${at(0.99).padStart(6)} ms  longest ${at(1).padStart(6)} ms  longer than a frame: ${late}`,
  )
}
