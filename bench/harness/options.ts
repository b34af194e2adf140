import { partsOf, readCommandLine } from '../command-line.ts'

export const usage = `npm run bench -- [options]

  --only <ids>      measure only the rows whose id begins with one of these, separated by commas
  --starts <n>      start all servers anew this often, 1 to 9 (3)
  --rounds <n>      measure this many rounds after each start, 1 to 31 (2); the median of all counts
  --seconds <n>     shortest turn of a row in a round, 1 to 10 (1); slow rows get longer turns
  --tiny            check with one short turn per row that everything runs; nothing is kept
  --help            print this text

A whole run on a quiet machine (without --only and --tiny, three rounds or more in all) is kept: it
writes bench/results/latest.json and the tables of docs/generated/performance.md.
Exit codes: 0 done, 1 a row does not count, 2 bad usage.`

const bounds = {
  starts: { from: 1, to: 9 },
  rounds: { from: 1, to: 31 },
  seconds: { from: 1, to: 10 },
} as const

const definitions = {
  only: { type: 'string', default: '' },
  starts: { type: 'string', default: '3' },
  rounds: { type: 'string', default: '2' },
  seconds: { type: 'string', default: '1' },
  tiny: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** Validates the command line; returns the options, and one sentence per problem. */
export function readOptions(argv: readonly string[], ids: readonly string[]) {
  const { values, problems } = readCommandLine(argv, definitions)
  const only = partsOf(String(values.only))
  for (const prefix of only.filter((prefix) => !ids.some((id) => id.startsWith(prefix)))) {
    problems.push(`--only ${prefix}: no row begins so; the rows are ${ids.join(', ')}`)
  }
  const wholeNumber = (name: keyof typeof bounds): number => {
    const text = String(values[name])
    const { from, to } = bounds[name]
    if (!/^\d{1,2}$/.test(text) || Number(text) < from || Number(text) > to) {
      problems.push(`--${name} ${text}: expected a whole number from ${from} to ${to}`)
    }
    return Number(text)
  }
  const options = {
    only,
    starts: wholeNumber('starts'),
    rounds: wholeNumber('rounds'),
    seconds: wholeNumber('seconds'),
    tiny: values.tiny === true,
    help: values.help === true,
  }
  return { options, problems }
}

export type Options = ReturnType<typeof readOptions>['options']
