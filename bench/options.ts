import { parseArgs } from 'node:util'
import type { StoreKind } from './growth/stores.ts'

export const usage = `npm run bench -- [growth] [options]

Without "growth", compares Greeting with its peers. With it, compares Greeting with itself at several sizes.

  --only <ids>      only the programs or cases whose id begins with one of these, separated by commas
  --seconds <n>     length of a load, or its processor time of the server, 1 to 600 (2)
  --rounds <n>      turns of each load after a start, 1 to 31 (3)
  --starts <n>      starts of each program, 1 to 9 (2); not for growth
  --store <kind>    sqlite or postgresql (sqlite); for growth
  --sizes <list>    numbers of applications, 20 to 1000000 (1000,100000); for growth
  --keep            write the tables into docs/evidence
  --tiny            check in about a minute that everything runs; its figures say nothing
  --help            print this text

Exit codes: 0 done, 1 something failed, 2 bad usage, 3 a goal was missed.`

const whole = { seconds: [1, 600], rounds: [1, 31], starts: [1, 9] } as const
const [leastSize, mostSize] = [20, 1_000_000]

export type Options = {
  readonly bench: 'peers' | 'growth'
  readonly only: readonly string[]
  readonly seconds: number
  readonly rounds: number
  readonly starts: number
  readonly store: StoreKind
  /** The numbers of applications, ascending. */
  readonly sizes: readonly number[]
  readonly keep: boolean
  readonly tiny: boolean
  readonly help: boolean
}

/**
 * Reads the command line.
 *
 * @throws {TypeError} when an argument is unknown or out of its bounds
 */
export function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      seconds: { type: 'string', default: '2' },
      rounds: { type: 'string', default: '3' },
      starts: { type: 'string', default: '2' },
      store: { type: 'string', default: 'sqlite' },
      sizes: { type: 'string', default: '1000,100000' },
      keep: { type: 'boolean', default: false },
      tiny: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const { tiny, keep, help, store } = values
  const number = (name: string, text: string, [least, most]: readonly [number, number]) => {
    if (/^\d{1,7}$/.test(text) && Number(text) >= least && Number(text) <= most) return Number(text)
    throw new TypeError(`--${name} ${text}: expected a whole number from ${least} to ${most}`)
  }
  if (positionals.some((one, index) => index > 0 || one !== 'growth'))
    throw new TypeError(`${positionals.join(' ')}: the only argument without a name is growth`)
  if (store !== 'sqlite' && store !== 'postgresql')
    throw new TypeError(`--store ${store}: expected sqlite or postgresql`)
  if (keep && tiny) throw new TypeError('--keep: the figures of --tiny are not kept')
  const sizes = values.sizes.split(',').map((one) => number('sizes', one, [leastSize, mostSize]))
  return {
    bench: positionals.length > 0 ? 'growth' : 'peers',
    only: values.only.split(',').filter((one) => one !== ''),
    seconds: tiny ? 1 : number('seconds', values.seconds, whole.seconds),
    rounds: tiny ? 1 : number('rounds', values.rounds, whole.rounds),
    starts: tiny ? 1 : number('starts', values.starts, whole.starts),
    sizes: tiny ? [20, 40] : sizes.toSorted((a, b) => a - b),
    store,
    keep,
    tiny,
    help,
  }
}

/**
 * The members that `--only` names, or all members without it.
 *
 * @throws {TypeError} when a name belongs to none
 */
export function selected<One extends { readonly id: string }>(
  all: readonly One[],
  only: readonly string[],
): readonly One[] {
  const ids = all.map(({ id }) => id)
  for (const prefix of only.filter((prefix) => !ids.some((id) => id.startsWith(prefix))))
    throw new TypeError(`--only ${prefix}: expected one of ${ids.join(', ')}`)
  return all.filter(({ id }) => only.length === 0 || only.some((prefix) => id.startsWith(prefix)))
}
