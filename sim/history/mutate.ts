/** Loaded before a server with `--import`: plants the defect that BERTH_SIM_MUTATION names. */
import { registerHooks } from 'node:module'
import { mutations } from './mutations.ts'

const name = process.env.BERTH_SIM_MUTATION ?? ''
const mutation = mutations[name]
if (mutation === undefined) throw new Error(`no mutation ${name}`)

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const wanted = mutation.replacements.filter(({ file }) => url.endsWith(`/${file}`))
    if (wanted.length === 0) return loaded
    let source = String(loaded.source)
    for (const { file, text, by } of wanted) {
      // The source was rewritten: adapt the mutation.
      if (source.match(new RegExp(text, 'g'))?.length !== 1)
        throw new Error(`${name}: in ${file} there is not one ${text}`)
      source = source.replace(text, by)
    }
    return { ...loaded, source }
  },
})
