import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { createApp } from './app.ts'
import type { Authority } from './dialect/authority.ts'
import { systemRuntime } from './directory/runtime.ts'
import { FederatedIssuers } from './federation/federated-issuers.ts'
import { tellCountedRefusals } from './http/counted-refusals.ts'
import { FailedLoginRateLimit } from './http/failed-login-rate-limit.ts'
import { startPeriodicTask } from './http/periodic-task.ts'
import { randomPool } from './http/random-pool.ts'
import type { ServiceOptions } from './http/service-options.ts'
import { TrustedProxies } from './http/trusted-proxies.ts'
import { openListeners } from './listeners.ts'
import { bootstrap } from './management/bootstrap/bootstrap.ts'
import { createManagementApps } from './management/create-apps.ts'
import { purgeExpired } from './management/graph/deleted-items/purge-expired.ts'
import { seedEmptyDirectory } from './registrations/seed-empty-directory.ts'
import { readSeedRegistrations } from './registrations/seed-registrations.ts'
import { keySchedule, type Settings } from './settings.ts'
import { KeyEncryptionKey } from './signing/key-encryption-key.ts'
import { keyFromFile } from './signing/key-file.ts'
import { SigningKeys } from './signing/signing-keys.ts'
import { AuditBuffer } from './storage/audit-buffer.ts'
import { DirectoryStore } from './storage/directory-store.ts'
import { openStorage, type Storage } from './storage/storage.ts'
import { StoreReversals } from './storage/store-reversals.ts'

/** An identity provider that runs. */
export type Service = {
  /** The origin of the HTTP listener, or of the HTTPS one where HTTP is turned off. */
  readonly url: string
  /** The origin of the HTTPS listener, unless it is turned off. */
  readonly httpsUrl: string | undefined
  /** Finishes what is in hand and writes what was noted; from now on it says it is not ready. */
  readonly stop: () => Promise<void>
}

/** How often the store is asked what changed: a change is effective everywhere within a second. */
const refreshEveryMs = 250
const flushEveryMs = 500
const tendEveryMs = 60_000
const tellCountedEveryMs = 60_000
const tidyEveryMs = 300_000
const renewEveryMs = 3_600_000

/**
 * Starts the identity provider as its settings say. A start that fails leaves nothing half-done.
 *
 * @throws {Error} in one sentence for the operator; with Node's `code` when the address cannot be
 *   listened at.
 */
export async function startService(settings: Settings, log: Logger): Promise<Service> {
  const entrances = await openListeners(settings, systemRuntime.now, log)
  const opened = new AsyncDisposableStack()
  const stop = async () => {
    await Promise.all(entrances.all.map(({ listener }) => listener.stop()))
    await opened.disposeAsync()
  }
  try {
    // 1. What lasts: the store, the registrations, the keys.
    const storage = await openStorage({
      dataDir: settings.DATA_DIR,
      databaseUrl: settings.DATABASE_URL,
    })
    opened.defer(() => storage.close())
    const reversals = new StoreReversals({ report: (fields, text) => log.error(fields, text) })
    const directory = new DirectoryStore({
      log: storage.directory,
      onReversal: (followed, latest) => reversals.note('directory', followed, latest),
    })
    await seed(settings, directory, log)
    await found(settings, directory, entrances.first.authority, log)
    const { keys, keyEncryptionKey } = await openKeys(settings, storage, reversals)

    // 2. What goes on beside the requests.
    const notes = new AuditBuffer({ audit: storage.audit, uses: storage.credentialUses })
    opened.defer(() => notes.flush())
    const every = (ms: number, what: string, task: () => Promise<unknown>) =>
      opened.defer(startPeriodicTask(ms, what, task, log))
    every(refreshEveryMs, 'refreshing the directory', () => directory.refresh())
    every(refreshEveryMs, 'refreshing the signing keys', () => keys.refresh())
    every(flushEveryMs, 'writing the audit', () => notes.flush())
    every(flushEveryMs, 'recording that the store went back', () => reversals.writeTo(directory))
    every(tendEveryMs, 'tending the signing keys', () => keys.tend())
    every(tidyEveryMs, 'tidying the store', () => storage.tidy(systemRuntime.now()))
    every(renewEveryMs, 'renewing the server certificate', entrances.renewCertificate)
    every(tidyEveryMs, 'purging what was deleted', () => purgeExpired(directory, systemRuntime))

    const issuers = new FederatedIssuers({ allowedHosts: settings.FEDERATED_ISSUER_HOSTS })
    opened.defer(() => issuers.stop())

    // 3. The requests.
    let isStopping = false
    const managementOf = ({ authUrl, issuerUrl }: Authority) =>
      createManagementApps({
        baseUrl: authUrl,
        issuerUrls: [issuerUrl],
        store: directory,
        storage,
        keys,
        keyEncryptionKey,
        visibilityDelaySeconds: settings.VISIBILITY_DELAY_SECONDS,
        recordRefusal: (record) => notes.record(record, 'refusedChanges'),
        report: (err, exchange) => log.error({ err, ...exchange }, 'a management request failed'),
        runtime: systemRuntime,
      })
    const options: Omit<ServiceOptions, 'authority'> = {
      directory,
      keys: {
        sign: (claims, keyMembers) => keys.sign(claims, keyMembers),
        published: () => keys.published(),
      },
      lifetime: {
        backdatingSeconds: settings.TOKEN_BACKDATING_SECONDS,
        shortestSeconds: settings.TOKEN_LIFETIME_SECONDS.shortest,
        longestSeconds: settings.TOKEN_LIFETIME_SECONDS.longest,
      },
      assertionTimes: {
        clockToleranceSeconds: settings.CLOCK_TOLERANCE_SECONDS,
        maxLifetimeSeconds: settings.ASSERTION_LIFETIME_SECONDS,
      },
      assertions: settings.ASSERTION_USE === 'once' ? storage.assertions : undefined,
      storeWentBackAt: () => reversals.latestAt,
      verifyFederated: issuers.verify,
      throttle: new FailedLoginRateLimit({
        perClientPerMinute: settings.WRONG_CREDENTIALS_PER_CLIENT_PER_MINUTE,
        perSourcePerMinute: settings.WRONG_CREDENTIALS_PER_SOURCE_PER_MINUTE,
      }),
      trustedProxies: new TrustedProxies(settings.TRUSTED_PROXIES),
      audit: notes.record,
      noteUse: notes.noteUse,
      isReady: () => !isStopping,
      log,
      source: systemRuntime,
      randomBytes: randomPool(systemRuntime.randomBytes),
    }
    const tellCounted = async () => tellCountedRefusals(options)
    opened.defer(tellCounted)
    every(tellCountedEveryMs, 'telling of counted refusals', tellCounted)
    for (const { listener, authority } of entrances.all) {
      const app = createApp({ ...options, authority }, managementOf(authority))
      listener.answerWith((request, bindings) => app.fetch(request, bindings))
    }
    return {
      url: entrances.first.listener.url,
      httpsUrl: entrances.https?.listener.url,
      stop: () => {
        isStopping = true
        return stop()
      },
    }
  } catch (cause) {
    await stop()
    throw cause
  }
}

async function openKeys(settings: Settings, storage: Storage, reversals: StoreReversals) {
  const { KEY_ENCRYPTION_KEY: given, DATA_DIR: dataDir } = settings
  const { ring } = await storage.keyRing.read()
  const keyEncryptionKey =
    given === undefined
      ? await keyFromFile({ path: join(dataDir, 'key-encryption.key'), keysExist: ring.length > 0 })
      : KeyEncryptionKey.parse(given)
  const keys = await SigningKeys.open({
    store: storage.keyRing,
    keyEncryptionKey,
    schedule: keySchedule(settings),
    onReversal: (followed, latest) => reversals.note('signing-keys', followed, latest),
  })
  return { keys, keyEncryptionKey }
}

/** Makes sure that the directory can be managed, whatever is in it. */
async function found(
  { DATA_DIR: dataDir, NEW_ADMINISTRATOR, TENANT_ID }: Settings,
  store: DirectoryStore,
  { authUrl }: Authority,
  log: Logger,
): Promise<void> {
  const firstTenant = {
    id: TENANT_ID ?? systemRuntime.newGuid(),
    displayName: 'Default Directory',
    domains: [],
  }
  const made = await bootstrap({
    store,
    dataDir,
    authUrl,
    graphUrl: authUrl,
    firstTenant,
    anotherAdministrator: NEW_ADMINISTRATOR === 'yes',
    runtime: systemRuntime,
  })
  if (made) log.info({ file: join(dataDir, 'administrator.env') }, 'an administrator was made')
}

async function seed(settings: Settings, directory: DirectoryStore, log: Logger): Promise<void> {
  const path = settings.REGISTRATIONS
  if (path === undefined) return
  const registrations = async () =>
    readSeedRegistrations(await readFile(path), path, {
      newGuid: systemRuntime.newGuid,
      tenantId: settings.TENANT_ID ?? systemRuntime.newGuid(),
    })
  if (await seedEmptyDirectory(directory, registrations, settings.DATA_DIR, systemRuntime))
    log.info({ registrations: path }, 'applied the registrations to the empty directory')
}
