import { createMetrics } from '@greeting/http-service/guard-metrics'
import { serviceReference } from '../../../test/fixtures/service-reference.ts'
import { settingSchemas } from '../src/settings.ts'

const metrics = createMetrics()
metrics.watch({ keySets: () => [], cachedTokens: () => 0 })

/** The page, from the root of the repository. */
export const file = 'docs/generated/greeting-api.md'

/** The page as the code makes it. */
export const text = await serviceReference({
  name: 'greeting-api',
  title: 'Greeting API',
  settings: settingSchemas,
  metrics: metrics.registry,
  end: `
With the first two settings alone, the API trusts real Entra. The audience of a v1.0 token is \`api://{API_APPLICATION_ID}\`.
A v2.0 token has the issuer \`{AUTH_URL}/{TENANT_ID}/v2.0\` and the application ID alone as audience.
`,
})
