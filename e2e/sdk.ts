/** Calls a built Berth with Debian's python3-openstacksdk. Needs `npm run build` before. */
import { fileURLToPath } from 'node:url'
import { runClient } from './run-client.ts'

const script = fileURLToPath(new URL('sdk/calls.py', import.meta.url))
process.exitCode = await runClient('/usr/bin/python3', script)
