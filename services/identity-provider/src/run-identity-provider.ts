import { type Listening, runService, type ServiceHost } from '@greeting/http-service'
import { startService } from './startup/service.ts'
import { readSettings, settingNames } from './startup/settings.ts'
import { createObjectsYoung } from './startup/young-objects.ts'

/**
 * Runs the identity provider as a process, or as a part of one.
 *
 * @example await runIdentityProvider(process)
 */
export function runIdentityProvider(host: ServiceHost): Promise<Listening | undefined> {
  createObjectsYoung()
  return runService(host, {
    name: 'identity-provider',
    title: 'identity provider',
    settingNames,
    readSettings,
    start: (settings, log, context) => startService({ settings, log, ...context }),
  })
}
