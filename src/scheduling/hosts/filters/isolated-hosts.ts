import { defineFilter } from '../../framework/filter.ts'
import { defineReason, PASS, refuse } from '../../framework/refusal.ts'

const REMEDY = 'change the lists of isolated hosts and images'

const imageIsolated = defineReason({
  code: 'image.isolated',
  text: ({ image }: { readonly image: string | null }) =>
    `the image ${image} may run only on isolated hosts, and this host is not one.`,
  hostsText: 'are not isolated, as the image requires',
  remedy: () => REMEDY,
})

const hostIsolated = defineReason({
  code: 'host.isolated',
  text: (_: { readonly image: string | null }) =>
    'the host is reserved for isolated images, and this image is not one.',
  hostsText: 'are reserved for isolated images',
  remedy: () => REMEDY,
})

export const isolatedHostsFilter = defineFilter({
  name: 'IsolatedHostsFilter',
  summary: 'Keeps isolated images to isolated hosts and, by default, other images away from these.',
  reads: {
    request: ['image'],
    host: ['name'],
    settings: ['isolatedHosts', 'isolatedImages', 'restrictIsolatedHostsToIsolatedImages'],
  },
  reasons: [imageIsolated, hostIsolated],
  example: {
    passes: {
      image: 'i1',
      host: { name: 'h1' },
      settings: { isolated_hosts: ['h1'], isolated_images: ['i1'] },
    },
    refused: { image: 'i2', host: { name: 'h1' }, settings: { isolated_hosts: ['h1'] } },
    text: 'the host is reserved for isolated images, and this image is not one.',
  },
  onRebuild: true,
  check({ image }, { name }, settings) {
    const id = image?.id ?? null
    const hostIsIsolated = settings.isolatedHosts.includes(name)
    const imageIsIsolated = id !== null && settings.isolatedImages.includes(id)
    if (imageIsIsolated && !hostIsIsolated) return refuse(imageIsolated, { image: id })
    return hostIsIsolated && !imageIsIsolated && settings.restrictIsolatedHostsToIsolatedImages
      ? refuse(hostIsolated, { image: id })
      : PASS
  },
})
