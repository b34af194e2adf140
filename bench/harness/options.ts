import { parseArgs } from 'node:util'

export type Options = {
  /** Beginnings of row ids; none means every row. */
  readonly only: readonly string[]
  /** How often all servers are started anew. */
  readonly starts: number
  /** How long each row is loaded in one round. */
  readonly seconds: number
  /** How many rounds follow each start; the median of all counts. */
  readonly rounds: number
  /** A run that proves that everything runs, and measures nothing worth keeping. */
  readonly tiny: boolean
  readonly help: boolean
}

export const usage = `npm run bench -- [options]

  --only <ids>      rows whose id begins with one of these, separated by commas
  --starts <n>      how often all servers are started anew, 1 to 9 (3)
  --rounds <n>      how many rounds follow each start, 1 to 31 (3); the median of all counts
  --seconds <n>     how long each row is loaded in a round, in turns with the others, 1 to 10 (1)
  --tiny            prove in a few seconds that everything runs; measures nothing worth keeping
  --help            this text

A whole run of three rounds or more on a quiet machine (without --only and --tiny) is kept: it writes
bench/results/latest.json and the tables of docs/evidence/performance.md. Exit codes: 0 done, 1 a row did not count, 2 bad usage.`

const bounds = {
  starts: { from: 1, to: 9 },
  seconds: { from: 1, to: 10 },
  rounds: { from: 1, to: 31 },
} as const

/**
 * Judges the command line.
 *
 * @returns the options, or every fault in a sentence
 */
export function judgeOptions(
  argv: readonly string[],
  ids: readonly string[],
): { options: Options } | { faults: string[] } {
  const faults: string[] = []
  const { values, tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    options: {
      only: { type: 'string' },
      starts: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '3' },
      tiny: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  for (const token of tokens) {
    if (token.kind === 'positional') faults.push(`${token.value}: no such argument`)
    if (token.kind === 'option' && !known.has(token.name))
      faults.push(`${token.rawName}: no such option`)
  }
  const only = String(values.only ?? '')
    .split(',')
    .filter((id) => id !== '')
  for (const start of only) {
    if (!ids.some((id) => id.startsWith(start))) {
      faults.push(`--only ${start}: no row begins so; the rows are ${ids.join(', ')}`)
    }
  }
  const whole = (name: keyof typeof bounds): number => {
    const given = String(values[name])
    const { from, to } = bounds[name]
    const number = Number(given)
    if (!/^\d+$/.test(given) || number < from || number > to) {
      faults.push(`--${name} ${given}: expected a whole number from ${from} to ${to}`)
    }
    return number
  }
  const options = {
    only,
    starts: whole('starts'),
    seconds: whole('seconds'),
    rounds: whole('rounds'),
    tiny: values.tiny === true,
    help: values.help === true,
  }
  return faults.length > 0 ? { faults } : { options }
}

const known = new Set(['only', 'starts', 'seconds', 'rounds', 'tiny', 'help'])
