import { serviceReference } from '../../../test/fixtures/service-reference.ts'
import { createMetrics } from '../src/authorizer-metrics.ts'
import { settingSchemas } from '../src/settings.ts'

const { guard, watchRules } = createMetrics()
guard.watch({ keySets: () => [], cachedTokens: () => 0 })
watchRules(() => 0)

/** The page with the parts, from the root of the repository. */
export const file = 'docs/reference/authorizer.md'

const process = await serviceReference({
  settings: settingSchemas,
  metrics: guard.registry,
})

/** The parts as the code makes them. */
export const parts = { process }
