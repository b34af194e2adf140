import { join } from 'node:path'
import { parseEnv } from 'node:util'
import {
  envText,
  readIfThere,
  recoverSecretFile,
  replaceSecretFile,
  type StagedSecretFile,
  stageSecretFile,
} from '@greeting/directory/files'
import type { Administrator } from './administrator.ts'

const pathIn = (dataDir: string) => join(dataDir, 'administrator.env')

/** The URLs for the administrator's client, each without a trailing slash. */
export type AdministratorEndpoints = {
  readonly authUrl: string
  /** The base URL of Microsoft Graph, without version. */
  readonly graphUrl: string
}

/** Stages the settings of the administrator's client. They are kept after the directory is changed. */
export const stageAdministratorFile = (
  dataDir: string,
  { tenantId, clientId, clientSecret }: Administrator,
  { authUrl, graphUrl }: AdministratorEndpoints,
): Promise<StagedSecretFile> =>
  stageSecretFile(
    pathIn(dataDir),
    envText({
      AUTH_URL: authUrl,
      TENANT_ID: tenantId,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      GRAPH_URL: graphUrl,
    }),
  )

/** Updates the URLs of an existing file, because the port of the server may have changed. */
export async function updateAdministratorFile(
  dataDir: string,
  { authUrl, graphUrl }: AdministratorEndpoints,
): Promise<void> {
  const text = await readIfThere(pathIn(dataDir))
  if (text === undefined) return
  const settings = parseEnv(text)
  if (settings.AUTH_URL === authUrl && settings.GRAPH_URL === graphUrl) return
  const updated = { ...settings, AUTH_URL: authUrl, GRAPH_URL: graphUrl }
  await replaceSecretFile(pathIn(dataDir), envText(updated))
}

/** Recovers from a crash between the file and the directory. */
export const recoverAdministratorFile = (
  dataDir: string,
  isKnown: (clientId: string, clientSecret: string) => boolean | Promise<boolean>,
  now: Date,
): Promise<void> =>
  recoverSecretFile(
    pathIn(dataDir),
    (text) => {
      const { CLIENT_ID = '', CLIENT_SECRET = '' } = parseEnv(text)
      return isKnown(CLIENT_ID, CLIENT_SECRET)
    },
    now,
  )
