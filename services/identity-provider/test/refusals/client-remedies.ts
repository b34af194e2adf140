import { byCode, rowsMark } from './rows-by-code.ts'

/** The path of the file with the remedies of the client, from the root of the repository. */
export const file = 'packages/client/src/token/aadsts-remedies.ts'

const quoted = (text: string) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

/** The text of the file. */
export const text = `${rowsMark}

/** Remedies for the errors that the identity provider of this project has in common with Microsoft Entra ID. */
export const aadstsRemedies: Readonly<Record<number, string>> = {
${byCode('clientRemedy')
  .map(([code, remedy]) => `  ${code}: ${quoted(remedy)},\n`)
  .join('')}}
`
