import { z } from 'zod'
import { CommandFailure } from '../command-failure.ts'
import { readEnvFile, type Settings } from '../env-file.ts'
import { type CredentialRow, chosenCredential, mergeSettings } from './credential-settings.ts'

/** Where `greeting start` writes the settings of the client it registered. */
export const defaultSettingsFile = '.greeting/client.env'

const url = z
  .url({ protocol: /^https?$/, error: 'an http or https URL' })
  .transform((text) => text.replace(/\/$/, ''))
const text = z.string().trim().min(1, 'a text that is not empty')

/** The settings of the client besides its credential, with what each of them means. */
export const clientSettings = z.object({
  AUTH_URL: url
    .default('https://login.microsoftonline.com')
    .describe('URL of the identity provider, without tenant'),
  TENANT_ID: text.describe('tenant ID or domain name'),
  CLIENT_ID: text.describe('application ID of the client'),
  API_APPLICATION_ID: text
    .optional()
    .describe('application ID of the API; the scope is `api://{API_APPLICATION_ID}/.default`'),
  SCOPE: text.optional().describe('scope, instead of `API_APPLICATION_ID`'),
  BASE_URL: url.default('http://127.0.0.1:3000').describe('URL of the greeting API'),
  TOKEN_CACHE_FILE: text.optional().describe('file of the token cache; `off` disables it'),
})

/** The client's settings, judged, and where they came from. */
export type ClientSettings = z.output<typeof clientSettings> & {
  readonly scope: string
  readonly credential: CredentialRow
  /** All settings as they were given, for the credential. */
  readonly given: Settings
  /** The file of settings, when there is one. */
  readonly file: string | undefined
  /** Whether that file holds the secret itself. */
  readonly isSecretInFile: boolean
}

function issueText(issue: z.core.$ZodIssue, given: Settings): string {
  const name = String(issue.path[0])
  const value = given[name]
  if (value === undefined) return `${name} is missing`
  return `${name} ${JSON.stringify(value)} must be ${issue.message}`
}

/**
 * The client's settings from the environment, and for names not set there from the file. All faults
 * are told together.
 *
 * @param namedFile The file of settings, when the person names one; then it has to be there.
 * @throws {CommandFailure} badUsage when at least one is missing or wrong.
 */
export async function readClientSettings(
  environment: Settings,
  namedFile: string | undefined,
): Promise<ClientSettings> {
  const path = namedFile ?? defaultSettingsFile
  const file = await readSettingsFile(path)
  if (file === undefined && namedFile !== undefined) {
    throw new CommandFailure('badUsage', `There is no file ${namedFile}.`)
  }
  const given = mergeSettings(environment, file ?? {})
  const { success, data, error } = clientSettings.safeParse(given)
  const credential = chosenCredential(given)
  const { SCOPE, API_APPLICATION_ID } = given
  const scope = SCOPE || (API_APPLICATION_ID && `api://${API_APPLICATION_ID}/.default`)
  const faults = [
    ...(error?.issues ?? []).map((issue) => issueText(issue, given)),
    ...(typeof credential === 'string' ? [credential] : []),
    ...(scope ? [] : ['API_APPLICATION_ID is missing (or set SCOPE)']),
  ]
  if (success && scope && typeof credential === 'object' && faults.length === 0) {
    const isSecretInFile = Boolean(file?.CLIENT_SECRET)
    return { ...data, scope, credential, given, file: file && path, isSecretInFile }
  }
  const message = `Invalid client settings: ${faults.join('; ')}.`
  const remedy = `Set them in the environment, or run "greeting start", which writes ${defaultSettingsFile}.`
  throw new CommandFailure('badUsage', message, { remedy })
}

async function readSettingsFile(path: string): Promise<Settings | undefined> {
  try {
    return await readEnvFile(path)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandFailure('badUsage', `The file Cannot read ${path}: ${reason}.`, { cause })
  }
}
