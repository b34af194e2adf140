import { serviceReference } from '../../../test/fixtures/service-reference.ts'
import { createMetrics } from '../src/authorizer-metrics.ts'
import { settingSchemas } from '../src/settings.ts'

const { guard, watchRules } = createMetrics()
guard.watch({ keySets: () => [], cachedTokens: () => 0 })
watchRules(() => 0)

/** The page, from the root of the repository. */
export const file = 'docs/generated/authorizer.md'

/** The page as the code makes it. */
export const text = await serviceReference({
  name: 'authorizer',
  title: 'Authorizer',
  settings: settingSchemas,
  metrics: guard.registry,
})
