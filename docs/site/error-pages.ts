import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { refusalTable } from '../../services/identity-provider/src/refusals/refusal-table.ts'
import { entraFacts, strengths } from '../../services/identity-provider/test/parity/parity-page.ts'
import { addressBetween, type SitePage, type SiteSource } from './site-pages.ts'

const tests = 'services/identity-provider/test/endpoints'
type Row = {
  readonly code: number
  readonly status: number
  readonly error: string
  readonly remedy: string
  readonly sentence: (refusal: never) => string
}

const sampleTime = new Date(0)

/** The sentence of a refusal with the names of its parts: `'<clientId>'`. */
function sampleSentence(sentence: Row['sentence']): string {
  const parts = new Proxy(
    {},
    {
      get: (_, name) =>
        /^(now|validFrom|expiresAt)$/.test(String(name)) ? sampleTime : `<${String(name)}>`,
    },
  )
  return sentence(parts as never).replaceAll(
    sampleTime.toISOString().replace('Z', '0000Z'),
    '<time>',
  )
}

/** The place of the test of a reason: the row of its scenario. */
function testOf(reason: string, { root, repositoryUrl }: SiteSource): string {
  for (const file of readdirSync(join(root, tests)).filter((name) => name.endsWith('.ts'))) {
    const lines = readFileSync(join(root, tests, file), 'utf8').split('\n')
    const index = lines.findIndex((line) => line.includes(`reason: '${reason}'`))
    if (index >= 0) return `[${file}](${repositoryUrl}/blob/main/${tests}/${file}#L${index + 1})`
  }
  throw new Error(`no test has a scenario of ${reason}`)
}

const withoutStop = (text: string) => text.replace(/\.$/, '')

/** One page for each AADSTS code of the identity provider, and one page with all of them. */
export function errorPages(source: SiteSource): SitePage[] {
  const rows = Object.entries<Row>(refusalTable)
  const byCode = Map.groupBy(rows, ([, { code }]) => code)
  const pages = [...byCode]
    .sort(([a], [b]) => String(a).localeCompare(String(b)))
    .map(([code, refusals]) => {
      const slug = `errors/aadsts${code}`
      const facts = entraFacts.filter((fact) => fact.code === String(code))
      if (facts.length === 0) throw new Error(`no fact about Entra ID has the code ${code}`)
      const factsPage = addressBetween(slug, 'reference/entra')
      const inEntra = facts.map(
        ({ fact, text, status, error, strength, source: from }) =>
          `- ${text} The response is ${status} with ${error}.\n  Evidence ([${fact}](${factsPage}#refusals)): ${strength}, ${from}. ${strengths[strength] ?? ''}`,
      )
      const here = refusals.map(
        ([reason, { status, error, sentence, remedy }]) => `### \`${reason}\`

- **Repair:** ${remedy}
- **Response:** ${status} \`${error}\`. The log and the audit log have the reason \`${reason}\`.
- **Test:** ${testOf(reason, source)}

\`\`\`text wrap
AADSTS${code}: ${sampleSentence(sentence)}
\`\`\`
`,
      )
      const meaning = facts.map(({ text }) => text).join(' ')
      return {
        slug,
        title: `AADSTS${code}: ${withoutStop(facts[0]?.text.split('. ')[0] ?? '')}`,
        description: meaning,
        body: `## What it means in Entra ID

${inEntra.join('\n')}
- [Microsoft's text for ${code}](https://login.microsoftonline.com/error?code=${code})

## How it happens here, and how to repair it

The identity provider of this project sends this code for ${refusals.length === 1 ? 'one reason' : `${refusals.length} reasons`}. The repair is the same in Entra ID, except where it names a setting of this server.

${here.join('\n')}
[All codes](${addressBetween(slug, 'errors')}) · [Members of a refusal](${addressBetween(slug, 'reference/identity-provider')}#refusals)
`,
      }
    })
  const list = pages.map(
    ({ slug, title, description }) =>
      `| [${title.split(':')[0]}](${addressBetween('errors', slug)}) | ${description} |`,
  )
  return [
    {
      slug: 'errors',
      title: 'AADSTS codes',
      description: 'Each code of the token endpoint: meaning, cause, repair and test.',
      body: `Each code that the identity provider sends. Its page has the causes, the repairs and the tests.

| code | meaning |
|---|---|
${list.join('\n')}
`,
    },
    ...pages,
  ]
}
