/**
 * Regenerates the standard resource classes and traits from the Python packages os-resource-classes and os-traits,
 * where OpenStack keeps them (Debian: python3-os-resource-classes and python3-os-traits). Their order is kept:
 * it becomes the order of the ids. PYTHON names another interpreter, for instance one with newer packages.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const data = new URL('../src/placement/data/', import.meta.url)
const python = process.env.PYTHON ?? '/usr/bin/python3'

const program = `
import json, os_resource_classes, os_traits
print(json.dumps({
    'standard-classes': os_resource_classes.STANDARDS,
    'standard-traits': os_traits.get_traits(),
}))
`

const { status, stdout, stderr, error } = spawnSync(python, ['-c', program], { encoding: 'utf8' })
if (status !== 0) {
  console.error(`standards: ${error?.message ?? stderr.trim()}`)
  process.exit(1)
}
for (const [name, values] of Object.entries(JSON.parse(stdout) as Record<string, string[]>)) {
  const path = fileURLToPath(new URL(`${name}.json`, data))
  writeFileSync(path, `${JSON.stringify(values, null, 2)}\n`)
  console.log(`${path}: ${values.length}`)
}
