import { byCode, rowsMark } from './rows-by-code.ts'

/** The path of the file with the checks of the doctor, from the root of the repository. */
export const file = 'cli/src/doctor/aadsts-checks.ts'

const rows = [...Map.groupBy(byCode('check'), ([, check]) => check)].sort()

/** The text of the file. */
export const text = `${rowsMark}

/** The AADSTS codes of the refusals that belong to each check. */
export const aadstsChecks = {
${rows.map(([check, codes]) => `  ${check}: [${codes.map(([code]) => code).join(', ')}],\n`).join('')}} as const
`
