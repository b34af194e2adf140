// Folder: Composes the service from its settings, its storage and its listeners.

import { metricsFetch } from '@greeting/http-service'
import { reportCountedRefusals } from '../endpoints/counted-refusals.ts'
import { mountApps } from './mount-apps.ts'
import { type OpenedParts, openParts, type ServiceParts, storageLimits } from './service-parts.ts'
import { startBackgroundTasks } from './start-background-tasks.ts'
import { tokenLifetime, tokenOptions } from './token-options.ts'

/**
 * Builds everything between the storage and the listeners, and handles their requests.
 *
 * @returns ends the background tasks and writes the audit log; listeners and storage stay open
 * @throws {Error} with a sentence for the operator; then nothing runs in the background
 */
export async function composeService(opened: OpenedParts): Promise<AsyncDisposableStack> {
  await using unfinished = new AsyncDisposableStack()
  const parts = await openParts(opened, unfinished)
  const { settings, environment, keys } = parts
  // 3. Options of the token service
  const options = tokenOptions(parts)

  // 4. Background tasks. The last counted refusals are reported before the audit log is written.
  const reportRefusals = async () => reportCountedRefusals(options)
  unfinished.defer(reportRefusals)
  startBackgroundTasks(parts, reportRefusals, unfinished)

  // 5. Metrics
  answerMetrics(parts)

  // 6. Requests
  environment.lab?.connect({
    directory: parts.directory,
    keys,
    keyRing: parts.storage.keyRing,
    keyEncryptionKey: parts.keyEncryptionKey,
    lifetime: tokenLifetime(settings),
    testKeys: environment.testKeys,
    authority: parts.listeners.first.authority,
  })
  mountApps(parts, options)
  return unfinished.move()
}

function answerMetrics({ metrics, listeners, settings, ...parts }: ServiceParts): void {
  if (metrics === undefined) return
  const { registry } = metrics
  const isAlone = settings.DATABASE_URL === undefined
  metrics.watch({
    directory: parts.directory,
    keys: parts.keys,
    storage: {
      usage: parts.storage.usage,
      limits: storageLimits(settings),
      clock: parts.clock,
      standby: () => parts.standbyReads?.state,
      reversals: () => parts.reversals.count,
      auditBacklog: () => parts.auditBuffer.backlog,
      auditExport: () => parts.auditExport?.figures ?? {},
    },
    maxCacheWeight: settings.DIRECTORY_CACHE_OBJECTS,
    maxTenantObjects: settings.MAX_TENANT_OBJECTS,
    certificateEnd: listeners.certificateEnd,
    now: parts.environment.runtime.now,
  })
  listeners.metrics?.answerWith(
    metricsFetch(async () => {
      // Nothing else reads a file at rest, and the ages would grow.
      if (isAlone) await Promise.allSettled([parts.directory.refresh(), parts.keys.refresh()])
      return registry.metrics()
    }),
  )
}
