import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { idsOf, secretOf } from './seed-ids.ts'
import { seed } from './stores.ts'

const { tenantId, apiAppId, clientIdOf } = idsOf(seed)

/** The path of the token endpoint. */
export const tokenPath = `/${tenantId}/oauth2/v2.0/token`

/** The client of a load, by its index from 0, and the application ID of the API. */
export type TokenOf = { readonly client: number; readonly appId: string }

/** Writes a token request to a file, so that the secret is not an argument. */
export async function tokenFormFile(
  folder: string,
  { client, appId }: TokenOf = { client: 0, appId: apiAppId },
): Promise<string> {
  const file = join(await mkdtemp(join(folder, 'form-')), 'body')
  const form = new URLSearchParams({
    ...{ grant_type: 'client_credentials', scope: `api://${appId}/.default` },
    ...{ client_id: clientIdOf(client), client_secret: secretOf(seed, client) },
  })
  await writeFile(file, form.toString(), { mode: 0o600 })
  return file
}
