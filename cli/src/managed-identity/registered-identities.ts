import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readEnvFile } from '../files/env-file.ts'
import type { DataFolder } from '../system/data-folder.ts'
import type { ManagedIdentity } from './managed-identity.ts'

const maxFiles = 200

/**
 * Reads the identities of a data folder: the client of `client.env`, then the clients of the settings
 * files in `secrets`. They are read at each request, so that a new secret counts immediately.
 */
export async function registeredIdentities({
  clientEnvFile,
  secretFolder,
}: Pick<DataFolder, 'clientEnvFile' | 'secretFolder'>): Promise<readonly ManagedIdentity[]> {
  const names = await readdir(secretFolder).catch(() => [])
  const others = names
    .filter((name) => name.endsWith('.env'))
    .sort()
    .slice(0, maxFiles)
  const files = [clientEnvFile, ...others.map((name) => join(secretFolder, name))]
  const read = await Promise.all(files.map(identityOf))
  return read.filter((one) => one !== undefined)
}

async function identityOf(path: string): Promise<ManagedIdentity | undefined> {
  const { AUTH_URL, TENANT_ID, CLIENT_ID, CLIENT_SECRET } = (await readEnvFile(path)) ?? {}
  if (!AUTH_URL || !TENANT_ID || !CLIENT_ID || !CLIENT_SECRET) return undefined
  return {
    authUrl: AUTH_URL,
    tenantId: TENANT_ID,
    clientId: CLIENT_ID.toLowerCase(),
    clientSecret: CLIENT_SECRET,
  }
}
