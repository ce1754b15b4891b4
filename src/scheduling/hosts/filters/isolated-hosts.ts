import type { Filter } from '../../framework/filter.ts'
import { PASS, refuse } from '../../framework/refusal.ts'

export const isolatedHostsFilter: Filter = {
  name: 'IsolatedHostsFilter',
  summary:
    'Keeps isolated images to isolated hosts and, unless told otherwise, other images away from these.',
  reads: {
    request: ['image'],
    host: ['name'],
    settings: ['isolatedHosts', 'isolatedImages', 'restrictIsolatedHostsToIsolatedImages'],
  },
  onRebuild: true,
  check({ image }, { name }, settings) {
    const id = image?.id ?? null
    const hostIsIsolated = settings.isolatedHosts.includes(name)
    const imageIsIsolated = id !== null && settings.isolatedImages.includes(id)
    if (imageIsIsolated && !hostIsIsolated) return refuse('image.isolated', { image: id })
    return hostIsIsolated && !imageIsIsolated && settings.restrictIsolatedHostsToIsolatedImages
      ? refuse('host.isolated', { image: id })
      : PASS
  },
}
