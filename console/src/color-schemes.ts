import { localStorageColorSchemeManager } from '@mantine/core'

/** The same name is read before anything is painted, by public/color-scheme.js. */
export const colorSchemes = localStorageColorSchemeManager({ key: 'berth-color-scheme' })
