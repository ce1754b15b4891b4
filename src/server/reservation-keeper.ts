import { AsyncLocalStorage } from 'node:async_hooks'
import { randomInt, randomUUID } from 'node:crypto'
import { schedulingSetup } from '../config/scheduling-setup.ts'
import { systemClock } from '../kernel/clock.ts'
import { ReservationKeeper } from '../v1/reservations/keeper.loop.ts'
import { WorldCopyPool } from '../v1/schedule/world-copies.ts'
import type { ServerParts } from './compose.ts'
import type { Engine } from './engine.ts'

export function newReservationKeeper(
  { world, sequencer }: Engine,
  { config, store, log }: ServerParts,
): ReservationKeeper {
  const setup = schedulingSetup(config)
  // Belongs neither to a caller nor to a trace.
  const runOutside = AsyncLocalStorage.snapshot()
  return new ReservationKeeper({
    world,
    clock: systemClock,
    setup: () => setup,
    newUuid: randomUUID,
    newSeed: () => randomInt(2 ** 32),
    observer: { decided: () => undefined, overtaken: () => undefined, hostsRemoved: () => undefined },
    submit: (command, record) => runOutside(() => sequencer.submit(command, record)),
    privateWorld: new WorldCopyPool(() => store),
    log: () => log,
  })
}
