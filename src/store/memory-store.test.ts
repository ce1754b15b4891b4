import { MemoryStore } from './memory-store.fixture.ts'
import { storeContract } from './store.contract.ts'

storeContract('in memory, for tests', async retention => {
  const store = new MemoryStore(retention)
  return {
    store,
    reopen: async () => store,
    obstruct: async () => {
      store.isObstructed = true
      return async () => {
        store.isObstructed = false
      }
    },
    end: async () => {},
  }
})
