import { lstat } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import {
  clientSecret,
  createTokenSource,
  type FetchWithToken,
  fetchWithToken,
} from '@greeting/client'
import { z } from 'zod'
import { isLoopback } from '../client/client-settings.ts'
import { CommandFailure } from '../exit-codes.ts'
import {
  changeablePart,
  markFaults,
  readSettingsFile,
  remedyInSubfolder,
  type Settings,
} from '../files/env-file.ts'
import { GraphClient, type GraphClientOptions, type GraphRuntime } from './graph-client.ts'

const url = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((text) => text.replace(/\/$/, ''))
  .refine(
    (text) => URL.parse(text)?.pathname === '/',
    'must have no path, such as a tenant or /v1.0',
  )
const text = z.string('is missing').trim().min(1, 'must not be empty')

const worldwideAuthUrl = 'https://login.microsoftonline.com'
const worldwideGraphUrl = 'https://graph.microsoft.com'

const administratorSettings = z.object({
  AUTH_URL: url.default(worldwideAuthUrl),
  GRAPH_URL: url,
  TENANT_ID: z.guid('must be the ID of the tenant, a GUID').toLowerCase(),
  CLIENT_ID: text,
  CLIENT_SECRET: text,
})

/** The administrator, and the directory that it manages. */
export type AdministratorSettings = z.output<typeof administratorSettings> & {
  /** The base URL that receives the requests, where the public one cannot be reached. */
  readonly server?: string
}

/**
 * Reads the administrator's settings: all from the environment when it sets `CLIENT_ID`, else all
 * from the file. A mix would combine the ID and the secret of different clients. A file that the person
 * named wins over the environment, and may belong to another user.
 *
 * @throws {CommandFailure} bad_usage, with all faults.
 */
export async function readAdministratorSettings(
  given: Settings,
  envFile: string,
  isNamed = false,
): Promise<AdministratorSettings> {
  const environment = isNamed ? {} : given
  const found = environment.CLIENT_ID ? environment : await readSettingsFile(envFile, isNamed)
  const changeable =
    isNamed || !found || environment.CLIENT_ID ? undefined : await changeablePart(envFile)
  if (changeable !== undefined) {
    const message = `${envFile} is not used, because other users can change ${changeable}`
    throw new CommandFailure('bad_usage', message, {
      remedy: `If you trust it, add --settings ${envFile}.`,
    })
  }
  // A token of another authority must not reach the worldwide Graph.
  const isWorldwide = (found?.AUTH_URL ?? worldwideAuthUrl) === worldwideAuthUrl
  const values: Settings = isWorldwide ? { GRAPH_URL: worldwideGraphUrl, ...found } : { ...found }
  const result = administratorSettings.safeParse(values)
  const marked = markFaults(values, Object.keys(administratorSettings.shape))
  if (result.success && marked.length === 0) return result.data
  const invalid = (result.error?.issues ?? []).map(({ path, message }) => {
    const name = String(path[0])
    return values[name] === undefined ? `${name} is missing` : `${name} ${message}`
  })
  const faults = [...marked, ...invalid]
  const remedy = environment.CLIENT_ID
    ? `The environment sets CLIENT_ID, so ${envFile} was not read. Unset CLIENT_ID to use the file, or set all settings of the administrator.`
    : (found === undefined && remedyInSubfolder(envFile)) ||
      `Set them in the environment, or run "npx --no-install greeting start", which writes ${envFile} at its first start.`
  const message = `Invalid administrator settings: ${faults.join('; ')}.`
  throw new CommandFailure('bad_usage', message, { remedy })
}

/**
 * The administrator of an identity provider on this machine, for a command of a client. That may
 * run in the folder of another user, so only a plain file counts that no other user can change. Every other file is ignored.
 */
export async function ownLocalAdministrator(
  file: string,
): Promise<AdministratorSettings | undefined> {
  try {
    if (!(await lstat(file)).isFile()) return undefined
    const settings = await readAdministratorSettings({}, file)
    return isLoopback(settings.AUTH_URL) ? settings : undefined
  } catch {
    return undefined
  }
}

// National clouds have their own Graph. Every other base URL means the worldwide one.
const nationalGraphs = new Set([
  'https://graph.microsoft.us',
  'https://dod-graph.microsoft.us',
  'https://microsoftgraph.chinacloudapi.cn',
])

// Above the longest known Retry-After of Graph.
const callDeadlineMs = 300_000

/** The real clock, timer and `fetch`. */
export const graphRuntime: GraphRuntime = {
  sleep: (durationMs, signal) => setTimeout(durationMs, undefined, signal && { signal }),
  monotonicMs: () => performance.now(),
}

export function graphClientOf(
  settings: AdministratorSettings,
  options: Omit<GraphClientOptions, 'call' | 'runtime'>,
): GraphClient {
  const { GRAPH_URL } = settings
  const resource = nationalGraphs.has(GRAPH_URL) ? GRAPH_URL : worldwideGraphUrl
  const call = callerOf(settings, GRAPH_URL, resource)
  return new GraphClient({ ...options, runtime: graphRuntime, call })
}

// The management API of this identity provider. Entra ID has none.
const managementResource = 'api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6'

/** A client of the management API, for example for signing keys, or of the lab with its root. */
export function managementClientOf(
  settings: AdministratorSettings,
  options: Omit<GraphClientOptions, 'call' | 'runtime'>,
): GraphClient {
  const call = callerOf(settings, settings.AUTH_URL, managementResource)
  return new GraphClient({ root: '/management', ...options, runtime: graphRuntime, call })
}

function callerOf(
  { AUTH_URL, TENANT_ID, CLIENT_ID, CLIENT_SECRET, server }: AdministratorSettings,
  baseUrl: string,
  resource: string,
): FetchWithToken {
  const tokens = createTokenSource({
    authority: `${server ?? AUTH_URL}/${TENANT_ID}`,
    clientId: CLIENT_ID,
    credential: clientSecret(CLIENT_SECRET),
    scope: `${resource}/.default`,
  })
  const call = fetchWithToken({ baseUrl: server ?? baseUrl, tokens, deadlineMs: callDeadlineMs })
  if (server === undefined) return call
  const { origin } = new URL(baseUrl)
  // The links between pages have the public origin.
  const here = (path: string | URL) =>
    path instanceof URL && path.origin === origin ? `${path.pathname}${path.search}` : path
  return (path, init) => call(here(path), init)
}
