import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Administrator } from './administrator.ts'

const finalName = 'administrator.env'
/** Longer than any start between writing the draft and telling the directory. */
const draftLifetimeMs = 60 * 60 * 1000
const draftPattern = /^administrator\.env\.[0-9a-f-]{36}$/

/** Where the administrator's client finds the server, each without a slash at its end. */
export type AdministratorEndpoints = {
  readonly authUrl: string
  /** The base URL of Microsoft Graph, without version. */
  readonly graphUrl: string
}

/** The administrator's secret, on the disk, while nobody knows yet whether the directory took it. */
export type AdministratorDraft = {
  /** Makes it the file that people read. */
  readonly keep: () => Promise<void>
  /** Takes it back: somebody else was faster. */
  readonly discard: () => Promise<void>
}

/**
 * Writes the settings of the administrator's client, readable by its owner only, and returns when
 * the disk has them: the secret is nowhere else, so this comes before the directory is told.
 */
export async function draftAdministratorFile(
  dataDir: string,
  { tenantId, clientId, clientSecret }: Administrator,
  { authUrl, graphUrl }: AdministratorEndpoints,
): Promise<AdministratorDraft> {
  const draft = await writeDraft(dataDir, {
    AUTH_URL: authUrl,
    TENANT_ID: tenantId,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    GRAPH_URL: graphUrl,
  })
  return {
    keep: () => publish(dataDir, draft),
    discard: () => rm(draft, { force: true }),
  }
}

/** Brings the file, when there is one, to where the server is reached now: a port may be another. */
export async function updateAdministratorFile(
  dataDir: string,
  { authUrl, graphUrl }: AdministratorEndpoints,
): Promise<void> {
  const text = await readFile(join(dataDir, finalName), 'utf8').catch(unlessGone)
  if (text === undefined) return
  const settings = parseEnv(text)
  if (settings.AUTH_URL === authUrl && settings.GRAPH_URL === graphUrl) return
  const moved = { ...settings, AUTH_URL: authUrl, GRAPH_URL: graphUrl }
  await publish(dataDir, await writeDraft(dataDir, moved))
}

/**
 * Finds what a crash left between file and directory: a draft whose secret the directory knows
 * becomes the file. Any other is removed when it is old: a young one may belong to a server that
 * starts at the same time and has not told the directory yet.
 */
export async function recoverAdministratorFile(
  dataDir: string,
  isKnown: (clientId: string, clientSecret: string) => boolean,
  now: Date,
): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!draftPattern.test(name)) continue
    const draft = join(dataDir, name)
    const text = await readFile(draft, 'utf8').catch(unlessGone)
    const { CLIENT_ID = '', CLIENT_SECRET = '' } = parseEnv(text ?? '')
    if (isKnown(CLIENT_ID, CLIENT_SECRET)) await publish(dataDir, draft)
    else if (await isOld(draft, now)) await rm(draft, { force: true })
  }
}

async function writeDraft(dataDir: string, settings: NodeJS.Dict<string>): Promise<string> {
  const draft = join(dataDir, `${finalName}.${crypto.randomUUID()}`)
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`)
  const file = await open(draft, 'wx', 0o600)
  try {
    await file.writeFile(lines.join(''))
    await file.sync()
  } finally {
    await file.close()
  }
  await syncFolder(dataDir)
  return draft
}

/** Makes a draft the file. Another server may have done so, since the directory knows the secret. */
async function publish(dataDir: string, draft: string): Promise<void> {
  await rename(draft, join(dataDir, finalName)).catch(unlessGone)
  await syncFolder(dataDir)
}

async function isOld(draft: string, now: Date): Promise<boolean> {
  const found = await stat(draft).catch(unlessGone)
  return found !== undefined && now.getTime() - found.mtimeMs > draftLifetimeMs
}

function unlessGone(cause: NodeJS.ErrnoException): undefined {
  if (cause.code !== 'ENOENT') throw cause
}

async function syncFolder(path: string): Promise<void> {
  // Windows neither opens a folder as a file nor needs to.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
