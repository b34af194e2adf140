import { type ParseArgsConfig, parseArgs } from 'node:util'

/** Reads a command line; returns the values, and one sentence for each unknown argument. */
export function readCommandLine<const Options extends NonNullable<ParseArgsConfig['options']>>(
  argv: readonly string[],
  options: Options,
) {
  const { values, tokens } = parseArgs({ args: [...argv], strict: false, tokens: true, options })
  const problems = tokens.flatMap((token) => {
    if (token.kind === 'positional') return [`${token.value}: no such argument`]
    const isUnknown = token.kind === 'option' && !Object.hasOwn(options, token.name)
    return isUnknown ? [`${token.rawName}: no such option`] : []
  })
  return { values, problems }
}

/** The parts of a list with commas, without empty ones. */
export const partsOf = (list: string): string[] => list.split(',').filter((part) => part !== '')
