import { byCode, rowsMark } from './rows-by-code.ts'

/** The path of the file with the remedies of the client, from the root of the repository. */
export const file = 'packages/client/src/token/aadsts-remedies.ts'

const quoted = (text: string) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

const remedies = byCode('clientRemedy').map(([code, remedy]) => {
  const row = `  ${code}: ${quoted(remedy)},\n`
  return row.length > 101 ? row.replace(': ', ':\n    ') : row
})

/** The text of the file, as `npm run format` leaves it. */
export const text = `${rowsMark}

/** Remedies for the errors that the identity provider of this project has in common with Microsoft Entra ID. */
export const aadstsRemedies: Readonly<Record<number, string>> = {
${remedies.join('')}}
`
