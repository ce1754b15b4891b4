import { expect, test } from 'vitest'
import { SequencerBroken, toUncertain } from '../../store/sequencer/failures.ts'
import { StoreDiverged, StoreFull, StoreSilent, StoreUnavailable, StoreUncertain } from '../../store/store.ts'
import { describeStoreError } from './store-errors.ts'

const UNKNOWN = 'it is not known whether the change was stored: check before you repeat the request.'
const PATH = '/var/lib/berth/berth.sqlite'

test.each([
  [
    new StoreFull(`the disk of ${PATH} is full`),
    507,
    'store.full',
    'The disk of the store is full; nothing was changed.',
  ],
  [new StoreSilent(5_000), 503, 'store.unavailable', 'The store does not answer; nothing was changed.'],
  [toUncertain(new StoreSilent(5_000)), 503, 'store.uncertain', `The store does not answer; ${UNKNOWN}`],
  [
    new StoreUnavailable(`${PATH} cannot be written`),
    ...([503, 'store.unavailable', 'The store is unavailable; nothing was changed.'] as const),
  ],
  [
    new SequencerBroken(`${PATH} was moved`),
    ...([503, 'server.stopping', 'This server is stopping; nothing was changed. Try again.'] as const),
  ],
  [new StoreUncertain(PATH), 503, 'store.uncertain', `The store is unavailable; ${UNKNOWN}`],
  [
    toUncertain(new StoreDiverged(`${PATH} was moved`)),
    ...([503, 'store.uncertain', `The store is unavailable; ${UNKNOWN}`] as const),
  ],
])('%s is told with its cause and outcome, and without a path', (error, status, code, detail) => {
  expect(describeStoreError(error)).toEqual({ status, code, detail })
})
