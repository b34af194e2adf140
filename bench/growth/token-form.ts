import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { idsOf, secretOf } from './seed-ids.ts'
import { seed } from './stores.ts'

const { tenantId, apiAppId, clientIdOf } = idsOf(seed)

/** The path of the token endpoint. */
export const tokenPath = `/${tenantId}/oauth2/v2.0/token`

/** Writes a token request of the first client to a file, so that the secret is not an argument. */
export async function tokenFormFile(folder: string): Promise<string> {
  const file = join(await mkdtemp(join(folder, 'form-')), 'body')
  const form = new URLSearchParams({
    ...{ grant_type: 'client_credentials', scope: `api://${apiAppId}/.default` },
    ...{ client_id: clientIdOf(0), client_secret: secretOf(seed, 0) },
  })
  await writeFile(file, form.toString(), { mode: 0o600 })
  return file
}
