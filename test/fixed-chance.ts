/** The ordinary run asks the same random questions every time; with BERTH_PROPERTY_RUNS each run asks new ones. */
import fc from 'fast-check'

if (process.env.BERTH_PROPERTY_RUNS === undefined) fc.configureGlobal({ seed: 20_261_115 })
