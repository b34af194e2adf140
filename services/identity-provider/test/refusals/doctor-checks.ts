import { byCode, rowsMark } from './rows-by-code.ts'

/** The path of the file with the checks of the doctor, from the root of the repository. */
export const file = 'cli/src/doctor/aadsts-checks.ts'

const rows = [...Map.groupBy(byCode('check'), ([, check]) => check)].sort()

/** A list as `npm run format` leaves it: on one line, or on lines of at most 100 characters. */
function listOf(check: string, codes: readonly number[]): string {
  const row = `  ${check}: [${codes.join(', ')}],\n`
  if (row.length <= 101) return row
  return `  ${check}: [\n${`${codes.join(', ')},`.replaceAll(/(.{1,96})(?: |$)/g, '    $1\n')}  ],\n`
}

/** The text of the file. */
export const text = `${rowsMark}

/** The AADSTS codes of the refusals that belong to each check. */
export const aadstsChecks = {
${rows
  .map(([check, codes]) =>
    listOf(
      check,
      codes.map(([code]) => code),
    ),
  )
  .join('')}} as const
`
