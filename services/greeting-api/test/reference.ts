import { createMetrics } from '@greeting/http-service/guard-metrics'
import { serviceReference } from '../../../test/fixtures/service-reference.ts'
import { greetings, pathOf } from '../src/greetings.ts'
import { settingSchemas } from '../src/settings.ts'

const metrics = createMetrics()
metrics.watch({ keySets: () => [], cachedTokens: () => 0 })

/** The page with the parts, from the root of the repository. */
export const file = 'docs/reference/greeting-api.md'

const process = await serviceReference({
  settings: settingSchemas,
  metrics: metrics.registry,
  end: `
With the first two settings alone, the API trusts real Entra. The audience of a v1.0 token is \`api://{API_APPLICATION_ID}\`.
A v2.0 token has the issuer \`{AUTH_URL}/{TENANT_ID}/v2.0\` and the application ID alone as audience.
`,
})

const rows = greetings.map((greeting) => {
  const rules = Object.entries(greeting.parameters).map(
    ([name, { text }]) => `. \`${name}\`: ${text}`,
  )
  const path = pathOf(greeting, (_, example) => example)
  return `| \`GET ${path}\` | \`${greeting.role}\` | \`${greeting.example}\`${rules.join('')} |`
})

/** The parts as the code makes them. */
export const parts = {
  greetings: ['## Greetings', '', '| route | role | response |', '|---|---|---|', ...rows].join(
    '\n',
  ),
  process,
}
