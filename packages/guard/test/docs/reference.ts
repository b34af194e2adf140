import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { code, table } from '../../../../test/fixtures/service-reference.ts'
import { refusalRows } from '../../src/index.ts'

/** The members of a type, each with its comment. */
function members(file: string, type: string): string {
  const source = readFileSync(join(import.meta.dirname, '../../src', file), 'utf8')
  const [, body = ''] =
    new RegExp(`type ${type}(?:<.*>)? = \\{\n(.*?)^\\}`, 'ms').exec(source) ?? []
  const named = [...body.matchAll(/^ {2}readonly (\w+)/gm)]
  const described = [...body.matchAll(/^ {2}\/\*\*((?:(?!\*\/).)*)\*\/\n {2}readonly (\w+)/gms)]
  if (named.length === 0 || named.length !== described.length)
    throw new TypeError(`a member of ${type} has no comment`)
  const rows = described.map(([, comment = '', name = '']) => [
    code(name),
    comment.replaceAll(/\s*\n\s*\* ?/g, ' ').trim(),
  ])
  return table(['member', 'meaning'], rows)
}

const refusals = table(
  ['reason', 'status', '`error`', '`error_description`'],
  Object.entries(refusalRows).map(([reason, { status, error, description }]) => [
    code(reason),
    String(status),
    code(error),
    description,
  ]),
)

/** The page with the parts, from the root of the repository. */
export const file = 'docs/reference/guard.md'

const options = `## Options of entra

${members('entra.ts', 'EntraPlaces')}
\`entra\` also takes every option of a guard below, except \`issuers\`.

## Options of a guard

${members('guard-options.ts', 'GuardOptions')}
## Members of keySets

${members('guard-options.ts', 'KeySetOptions')}
## Members of an issuer

${members('guard-options.ts', 'IssuerOptions')}
The names of its \`claims\`:

${members('guard-options.ts', 'IssuerClaims')}
## Members of a caller

${members('caller.ts', 'Caller')}
## Refusals

The body of a refusal is JSON with \`error\` and \`error_description\`, exactly as in this table.
Those with 400, 401 and 403 have a \`WWW-Authenticate\` challenge (RFC 6750). Those with 503 have \`Retry-After\`. All have \`cache-control: no-store\`.

${refusals}`

/** The parts as the code makes them. */
export const parts = { options }
