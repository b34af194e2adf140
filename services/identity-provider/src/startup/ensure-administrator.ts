import { join } from 'node:path'
import type { AgreedClock } from '../clock/agreed-clock.ts'
import type { Authority } from '../dialect/authority.ts'
import type { Runtime } from '../directory/runtime.ts'
import type { Log } from '../http/service-options.ts'
import { bootstrap } from '../management/bootstrap/bootstrap.ts'
import type { Settings } from '../settings.ts'
import type { DirectoryStore } from '../storage/directory-store.ts'

/** Creates an administrator when the directory has none, or when the settings require a new one. */
export async function ensureAdministrator(
  { DATA_DIR: dataDir, NEW_ADMINISTRATOR, TENANT_ID }: Settings,
  store: DirectoryStore,
  { authUrl }: Authority,
  { latestAgreed }: Pick<AgreedClock, 'latestAgreed'>,
  runtime: Runtime,
  log: Pick<Log, 'info' | 'warn'>,
): Promise<void> {
  const isCreated = await bootstrap({
    store,
    dataDir,
    authUrl,
    graphUrl: authUrl,
    firstTenant: {
      id: TENANT_ID ?? runtime.newGuid(),
      displayName: 'Default Directory',
      domains: [],
    },
    anotherAdministrator: NEW_ADMINISTRATOR === 'yes',
    latestAgreed,
    runtime,
    onStaleFile: (err) =>
      log.warn({ err }, 'administrator.env has a former address of this server'),
  })
  if (isCreated) log.info({ file: join(dataDir, 'administrator.env') }, 'administrator created')
}
