import { afterEach, expect, test, vi } from 'vitest'
import { askOtherTabs, OtherTabs } from './other-tabs.ts'

const open: OtherTabs[] = []
afterEach(() => {
  for (const tab of open.splice(0)) tab.close()
})

function tab(token: string | null, onSignOut: () => void = () => undefined): OtherTabs {
  const made = new OtherTabs(() => (token === null ? null : { token, isOwn: true }), onSignOut)
  open.push(made)
  return made
}

test('a new tab gets the session of one that is open, and none from those that are signed out', async () => {
  tab(null)
  expect(await askOtherTabs()).toBeNull()
  tab('secret')
  expect(await askOtherTabs()).toEqual({ token: 'secret', isOwn: true })
})

test('all others hear of it when one signs out', async () => {
  const [first, second, own] = [vi.fn(), vi.fn(), vi.fn()]
  tab('a', first)
  tab('b', second)
  tab('c', own).signOut()
  await vi.waitFor(() => expect([first, second].map(heard => heard.mock.calls.length)).toEqual([1, 1]))
  expect(own).not.toHaveBeenCalled()
})
