import { createMetrics } from '@greeting/http-service/guard-metrics'
import { serviceReference } from '../../../test/fixtures/service-reference.ts'
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

/** The parts as the code makes them. */
export const parts = { process }
