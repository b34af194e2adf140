import { partsOf, readCommandLine } from '../command-line.ts'
import type { StoreKind } from './stores.ts'

export const growthUsage = `npm run bench -- growth [options]

  --store <kind>    sqlite or postgresql (sqlite)
  --sizes <list>    numbers of applications, 2 to 1000000, separated by commas (1000,100000)
  --only <ids>      measure only the cases whose id begins with one of these, separated by commas
  --seconds <n>     length of each load, 1 to 600 (5)
  --keep            write the results into bench/results and docs/generated/growth.md
  --tiny            check that every case runs, with 20 and 40 applications and loads of 1 s
  --help            print this text

The case soak takes 20 minutes, and runs only when --only names it.
Each store has ten audit records for each application, at most a million. Ratios compare with the
smallest size. With postgresql, only the cases that use the store are run.
Exit codes: 0 done, 1 a case failed, 2 bad usage, 3 a goal was missed.`

export type GrowthOptions = {
  readonly store: StoreKind
  readonly sizes: readonly number[]
  readonly only: readonly string[]
  readonly seconds: number
  readonly keep: boolean
  readonly tiny: boolean
  readonly help: boolean
}

const definitions = {
  store: { type: 'string', default: 'sqlite' },
  sizes: { type: 'string', default: '1000,100000' },
  only: { type: 'string', default: '' },
  seconds: { type: 'string', default: '5' },
  keep: { type: 'boolean', default: false },
  tiny: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const tinySizes = [20, 40]
const maxSize = 1_000_000
const maxSeconds = 600

const isWhole = (text: string, least: number, most: number): boolean =>
  /^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most

/** Validates the command line; returns the options, and one sentence per problem. */
export function readGrowthOptions(
  argv: readonly string[],
  ids: readonly string[],
): { readonly options: GrowthOptions; readonly problems: readonly string[] } {
  const { values, problems } = readCommandLine(argv, definitions)
  const store = String(values.store)
  if (store !== 'sqlite' && store !== 'postgresql')
    problems.push(`--store ${store}: expected sqlite or postgresql`)
  const sizes = partsOf(String(values.sizes))
  if (sizes.length === 0 || !sizes.every((size) => isWhole(size, 2, maxSize)))
    problems.push(`--sizes ${values.sizes}: expected numbers from 2 to ${maxSize} with commas`)
  const seconds = String(values.seconds)
  if (!isWhole(seconds, 1, maxSeconds))
    problems.push(`--seconds ${seconds}: expected a whole number from 1 to ${maxSeconds}`)
  const only = partsOf(String(values.only))
  for (const prefix of only.filter((prefix) => !ids.some((id) => id.startsWith(prefix))))
    problems.push(`--only ${prefix}: no case begins so; the cases are ${ids.join(', ')}`)
  const tiny = values.tiny === true
  const options: GrowthOptions = {
    store: store === 'postgresql' ? store : 'sqlite',
    sizes: tiny ? tinySizes : [...new Set(sizes.map(Number))].toSorted((a, b) => a - b),
    only,
    seconds: tiny ? 1 : Number(seconds),
    keep: values.keep === true,
    tiny,
    help: values.help === true,
  }
  if (options.keep && tiny) problems.push('--keep: the results of --tiny are not kept')
  return { options, problems }
}
