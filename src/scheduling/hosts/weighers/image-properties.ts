import { ownValue } from '../../../kernel/records.ts'
import { toText } from '../../framework/json-value.ts'
import type { Weigher } from '../../framework/weigher.ts'
import { NO_IMAGE } from '../request-view.ts'

const MULTIPLIER = 'image_props_weight_multiplier'

export const imagePropertiesWeigher: Weigher = {
  name: 'ImagePropertiesWeigher',
  summary:
    'Prefers hosts whose instances came from images with the same properties; each property of each counts.',
  multiplierKey: MULTIPLIER,
  multiplier: 0,
  reads: { imageProperties: ['*'], host: ['instances'], settings: ['imagePropertyWeights'] },
  weigh({ image }, host, { imagePropertyWeights, weightMultipliers }) {
    // Reads every instance of every host, so it runs only if it is configured.
    if ((weightMultipliers[MULTIPLIER] ?? 0) === 0) return 0
    const weighsAlike = Object.keys(imagePropertyWeights).length === 0
    const asked = [...(image ?? NO_IMAGE).properties].map(([key, value]) => [key, toText(value)] as const)
    let weight = 0
    for (const properties of host.instanceImages())
      for (const [key, text] of asked) {
        const value = properties.get(key)
        if (value !== undefined && toText(value) === text)
          weight += weighsAlike ? 1 : (ownValue(imagePropertyWeights, key) ?? 0)
      }
    return weight
  },
}
