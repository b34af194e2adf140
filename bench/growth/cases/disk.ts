import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { AgreedTime } from '../../../services/identity-provider/src/clock/agreed-time.ts'
import { put, remove } from '../../../services/identity-provider/src/directory/directory-change.ts'
import type { AuditRecord } from '../../../services/identity-provider/src/storage/audit-record.ts'
import {
  defaultStorageLimits,
  type Storage,
} from '../../../services/identity-provider/src/storage/storage.ts'
import type { Figure } from '../figure.ts'
import type { GrowthCase } from '../growth-case.ts'
import { openForSeeding } from '../open-for-seeding.ts'
import { startSystem } from '../running-system.ts'
import { guidOf } from '../seed-ids.ts'
import { seed } from '../stores.ts'

const limit = 1000
const removalsKept = 10_000
const maxLogMib = 1
const refusals = 10_000
const requestsAtOnce = 16
const dayMs = 86_400_000

/** Writes past the limits of everything that requests add. */
export const disk: GrowthCase = {
  id: 'disk',
  title: 'what remains on disk after writing past a limit; the size is what was written',
  usesStore: false,
  goals: [
    // Two files of a MiB, and the line that fills each of them.
    { what: 'log of one service', atMost: 2200 },
    { what: 'records before authentication', atMost: limit },
    { what: 'used assertions', atMost: limit },
    { what: 'removed objects', atMost: removalsKept },
  ],
  async run({ isTiny, folder, progress }) {
    const figures: Figure[] = []
    const dataDir = await mkdtemp(join(folder, 'disk-'))
    const storage = await openForSeeding({
      dataDir,
      limits: {
        ...defaultStorageLimits,
        records: { ...defaultStorageLimits.records, unauthenticated: limit },
        usedAssertions: limit,
      },
    })
    progress('writing past the limits of the store')
    const scale = isTiny ? 0.01 : 1
    await spendAssertions(storage, 3 * limit * scale)
    await appendUnauthenticated(storage, 5 * limit * scale)
    await removeObjects(storage, 1.25 * removalsKept * scale)
    await storage.tidy(new Date(), new AgreedTime(new Date()))
    const { auditRecords, usedAssertions } = storage.usage()
    await storage.close()
    const count = (what: string, size: number, value: number | undefined): void => {
      figures.push({ what, size, unit: 'count', value: value ?? Number.NaN })
    }
    count('used assertions', 3 * limit * scale, usedAssertions)
    count('records before authentication', 5 * limit * scale, auditRecords.unauthenticated)
    count('removed objects', 1.25 * removalsKept * scale, await countRemoved(dataDir))

    progress('writing past the limit of the log')
    const size = refusals * scale
    const system = await startSystem(await mkdtemp(join(folder, 'log-')), [
      ...['--max-log-mib', String(maxLogMib)],
    ])
    await refuseTokens(system.identityProviderUrl, system.clientEnvFile, size)
    const value = await bytesOf(system.logFolder, 'identity-provider')
    await system.stop()
    figures.push({ what: 'log of one service', size, unit: 'kB', value: value / 1e3 })
    return { figures }
  },
}

async function spendAssertions(storage: Storage, count: number): Promise<void> {
  const expiresAt = new Date(Date.now() + dayMs)
  for (let spent = 0; spent < count; spent += limit / 10) {
    const uses = Array.from({ length: Math.min(limit / 10, count) }, (_, index) =>
      storage.assertions.spend('growth', `${spent + index}`, expiresAt),
    )
    // Beyond the limit, each use is refused.
    await Promise.allSettled(uses)
  }
}

async function appendUnauthenticated(storage: Storage, count: number): Promise<void> {
  const record: AuditRecord = {
    ...{ at: new Date(), tenantId: null, actor: 'unknown', action: 'token.issue', target: null },
    ...{ outcome: 'refused', reason: 'client_unknown', correlationId: null },
  }
  await storage.audit.append(
    'unauthenticated',
    Array.from({ length: count }, () => record),
  )
}

/** Each removal is a commit of its own, as a consent that is revoked. */
async function removeObjects(storage: Storage, count: number): Promise<void> {
  const tenantId = guidOf(seed, 'tenant')
  let base = await storage.directory.latest()
  const commit = async (changes: Parameters<Storage['directory']['commit']>[2]) => {
    const mark = guidOf(seed, `removal ${base.revision}`)
    await storage.directory.commit(base, mark, changes, [])
    base = { revision: base.revision + 1, mark }
  }
  const idOf = (index: number) => guidOf(seed, `assignment ${index}`)
  await commit([
    put('tenant', {
      ...{ id: tenantId, displayName: 'Growth', domains: [], isEnabled: true },
      createdDateTime: new Date(),
    }),
  ])
  for (let index = 0; index < count; index += 1) await commit([remove('tenant', idOf(index))])
}

async function countRemoved(dataDir: string): Promise<number> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(join(dataDir, 'greeting.sqlite'), { readOnly: true })
  const row = database.prepare('select count(*) as number from removed_object').get()
  database.close()
  return Number(row?.number)
}

/** Sends token requests with a scope that does not exist. Each refusal is a line in the log. */
async function refuseTokens(url: string, clientEnvFile: string, count: number): Promise<void> {
  const { TENANT_ID, CLIENT_ID, CLIENT_SECRET } = parseEnv(await readFile(clientEnvFile, 'utf8'))
  const body = new URLSearchParams({
    ...{ grant_type: 'client_credentials', scope: 'api://unknown/.default' },
    ...{ client_id: CLIENT_ID ?? '', client_secret: CLIENT_SECRET ?? '' },
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  let left = count
  const send = async () => {
    for (; left > 0; left -= 1) {
      const answer = await fetch(`${url}/${TENANT_ID}/oauth2/v2.0/token`, {
        ...{ method: 'POST', body, headers },
      })
      await answer.text()
      if (answer.status !== 400) throw new Error(`a wrong scope got ${answer.status}`)
    }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, send))
}

async function bytesOf(folder: string, prefix: string): Promise<number> {
  const names = (await readdir(folder)).filter((name) => name.startsWith(prefix))
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}
