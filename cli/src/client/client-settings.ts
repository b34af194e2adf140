import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { type Credential, clientSecrets } from '@greeting/client'
import {
  clientCertificateFiles,
  clientSecretFile,
  federatedAssertionFile,
} from '@greeting/client/files'
import { CommandFailure } from '../exit-codes.ts'
import {
  changeablePart,
  isReadableByOthers,
  markFaults,
  readSettingsFile,
  remedyInSubfolder,
  type Settings,
} from '../files/env-file.ts'

type ReadSetting = (name: string) => string

/** One method of client authentication: the setting that selects it, and its factory. */
type CredentialRow = {
  readonly setting: string
  /** Settings that are valid only together with it. */
  readonly companions: readonly string[]
  readonly title: string
  readonly make: (read: ReadSetting) => Credential
}

/** The methods of client authentication. The settings select exactly one. */
export const credentialRows: readonly CredentialRow[] = [
  {
    setting: 'CLIENT_SECRET',
    companions: ['CLIENT_SECRET_NEXT', 'CLIENT_SECRET_EXPIRES'],
    title: 'a client secret',
    make: (read) =>
      clientSecrets(...[read('CLIENT_SECRET'), read('CLIENT_SECRET_NEXT')].filter(Boolean)),
  },
  {
    setting: 'CLIENT_SECRET_FILE',
    companions: ['CLIENT_SECRET_EXPIRES'],
    title: 'a client secret in a file',
    make: (read) => clientSecretFile(read('CLIENT_SECRET_FILE')),
  },
  {
    setting: 'CLIENT_CERTIFICATE_FILE',
    companions: ['CLIENT_KEY_FILE'],
    title: 'a certificate',
    make: (read) =>
      clientCertificateFiles({
        certificateFile: read('CLIENT_CERTIFICATE_FILE'),
        privateKeyFile: read('CLIENT_KEY_FILE') || read('CLIENT_CERTIFICATE_FILE'),
      }),
  },
  {
    setting: 'CLIENT_ASSERTION_FILE',
    companions: [],
    title: 'a federated assertion in a file',
    make: (read) => federatedAssertionFile(read('CLIENT_ASSERTION_FILE')),
  },
]

const credentialNames = credentialRows.flatMap(({ setting, companions }) => [
  setting,
  ...companions,
])

/** Settings that belong together: one of the first place replaces all of the second. */
const groups: readonly (readonly string[])[] = [credentialNames, ['SCOPE', 'API_APPLICATION_ID']]

const hasCredential = (settings: Settings) =>
  credentialRows.some(({ setting }) => settings[setting])

/** Merges settings over others: the environment's settings over the settings in a found file. */
export function mergeSettings(first: Settings, second: Settings): Settings {
  const replaced = groups.filter((names) => names.some((name) => first[name])).flat()
  const rest = Object.entries(second).filter(([name]) => !replaced.includes(name))
  return { ...Object.fromEntries(rest), ...first }
}

/** The selected credential, or a sentence why the selection is invalid. */
export function chosenCredential(settings: Settings): CredentialRow | string {
  const chosen = credentialRows.filter(({ setting }) => settings[setting])
  const [first, ...others] = chosen
  if (first !== undefined && others.length === 0) return first
  const names = (rows: readonly CredentialRow[]) => rows.map(({ setting }) => setting)
  if (first === undefined)
    return `CLIENT_SECRET is missing (or set ${names(credentialRows).slice(1).join(', ')})`
  return `set only one of ${names(chosen).join(' and ')}`
}

/** The settings file of the client that `greeting start` registered. */
export const defaultSettingsFile = '.greeting/client.env'

// The client commands run each minute. A schema library would take a fifth of their CPU time.
type SettingKind = {
  /** The end of the sentence "must be ...". */
  readonly expected: string
  /** The value as it is used, or undefined when the text is invalid. */
  readonly read: (text: string) => string | undefined
}

const url: SettingKind = {
  expected: 'an http or https URL',
  read: (text) => {
    const trimmed = text.trim()
    const isHttp = ['http:', 'https:'].includes(URL.parse(trimmed)?.protocol ?? '')
    return isHttp ? (trimmed.endsWith('/') ? trimmed.slice(0, -1) : trimmed) : undefined
  },
}
// People copy the issuer or the token endpoint, which contain the tenant.
const origin: SettingKind = {
  expected:
    'an http or https URL without tenant, /oauth2, /v2.0 or another path, such as https://login.microsoftonline.com',
  read: (given) => {
    const read = url.read(given)
    const { pathname = '', search, hash, username } = URL.parse(read ?? '') ?? {}
    return pathname === '/' && !search && !hash && !username && !read?.endsWith('/')
      ? read
      : undefined
  },
}
const text: SettingKind = {
  expected: 'a text that is not empty',
  read: (given) => given.trim() || undefined,
}

/** One setting of the client: what it means, and its default. */
type ClientSettingRow = {
  readonly kind: SettingKind
  readonly description: string
  readonly defaultValue?: string
  readonly isOptional?: true
}

const rows = {
  AUTH_URL: {
    kind: origin,
    defaultValue: 'https://login.microsoftonline.com',
    description: 'URL of the identity provider, without tenant',
  },
  TENANT_ID: { kind: text, description: 'tenant ID or domain name' },
  CLIENT_ID: { kind: text, description: 'application ID of the client' },
  AGENT_ID: {
    kind: text,
    isOptional: true,
    description: 'ID of an agent identity; `CLIENT_ID` is its blueprint then',
  },
  API_APPLICATION_ID: {
    kind: text,
    isOptional: true,
    description: 'application ID of the API; the scope is `api://{API_APPLICATION_ID}/.default`',
  },
  SCOPE: { kind: text, isOptional: true, description: 'scope, instead of `API_APPLICATION_ID`' },
  BASE_URL: {
    kind: url,
    defaultValue: 'http://127.0.0.1:3000',
    description: 'URL of the greeting API',
  },
  TOKEN_CACHE_FILE: {
    kind: text,
    isOptional: true,
    description: 'file of the token cache; `off` disables it',
  },
} as const satisfies Readonly<Record<string, ClientSettingRow>>

type Name = keyof typeof rows
type OptionalName = {
  [Key in Name]: (typeof rows)[Key] extends { isOptional: true } ? Key : never
}[Name]
type Values = { readonly [Key in Exclude<Name, OptionalName>]: string } & {
  readonly [Key in OptionalName]?: string
}

/** The settings of the client besides its credential, in the order of the reference. */
export const clientSettings: Readonly<Record<Name, ClientSettingRow>> = rows

/** The validated settings of the client, and their origin. */
export type ClientSettings = Values & {
  readonly scope: string
  readonly credential: CredentialRow
  /** All settings before validation, for the credential. */
  readonly values: Settings
  readonly file: string | undefined
  /** Whether that file contains the secret itself, and other users can read it. */
  readonly isSecretOpen: boolean
}

/** True for a URL of this machine: `localhost`, 127.0.0.0/8 or ::1. */
export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname)

async function real(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const folder = dirname(resolve(path))
    return folder === resolve(path) ? folder : join(await real(folder), basename(path))
  })
}

const names = [...Object.keys(rows), ...credentialNames]

/** The servers that a command calls. */
export type CalledServers = readonly ('AUTH_URL' | 'BASE_URL')[]

type FoundFile = {
  readonly path: string
  /** What other users can change. */
  readonly changeable: string | undefined
  readonly file: Settings
  readonly environment: Settings
}

/**
 * Faults of a file that was found in the working folder, as far as its settings are used. The
 * folder may be of another user, or a copy of a foreign repository. So the file chooses no server
 * for a credential from another source, and no file outside of its folder.
 */
async function foundFaults(
  { path, changeable, file, environment }: FoundFile,
  given: Settings,
  servers: CalledServers,
): Promise<readonly string[]> {
  const isUsed = (name: string) =>
    Boolean(file[name]) && given[name] === file[name] && environment[name] === undefined
  if (changeable !== undefined)
    return names.some(isUsed)
      ? [
          `${path} is not used, because other users can change ${changeable} (if you trust it, add --settings ${path})`,
        ]
      : []
  const folder = await real(dirname(path))
  const faults = hasCredential(environment)
    ? servers
        .filter(isUsed)
        .map((name) => `the environment has the credential, so it must set ${name} too`)
    : []
  for (const name of names.filter((one) => one.endsWith('_FILE') && isUsed(one))) {
    const named = file[name]
    if (named && named !== 'off' && !(await real(named)).startsWith(`${folder}${sep}`))
      faults.push(
        `the file of ${name} is not in ${dirname(path)}, so the environment must set ${name}`,
      )
  }
  return faults
}

/** The values of the settings, and a sentence for each that is missing or invalid. */
function readValues(given: Settings): { readonly values: Values; readonly faults: string[] } {
  const values: Record<string, string> = {}
  const faults: string[] = []
  for (const [name, { kind, defaultValue, isOptional }] of Object.entries(clientSettings)) {
    const value = given[name]
    const used = value === undefined ? defaultValue : kind.read(value)
    if (used !== undefined) values[name] = used
    else if (value !== undefined)
      faults.push(`${name} ${JSON.stringify(value)} must be ${kind.expected}`)
    else if (!isOptional) faults.push(`${name} is missing`)
  }
  return { values: values as Values, faults }
}

/** The options of the command line that select settings. */
export type NamedSettings = {
  /** The settings file that the person named; it must exist. Its settings win over the environment. */
  readonly settings?: string | undefined
  /** The agent identity that calls, in place of the client. */
  readonly agent?: string | undefined
}

/**
 * Reads the client's settings from the environment, and the missing ones from the settings file.
 * The error lists all faults.
 *
 * @throws {CommandFailure} bad_usage when at least one is missing or invalid.
 */
export async function readClientSettings(
  environment: Settings,
  { settings: namedFile, agent }: NamedSettings = {},
  servers: CalledServers = ['AUTH_URL', 'BASE_URL'],
): Promise<ClientSettings> {
  const path = namedFile ?? defaultSettingsFile
  const file = await readSettingsFile(path, namedFile !== undefined)
  if (file === undefined && namedFile !== undefined)
    throw new CommandFailure('bad_usage', `There is no file ${namedFile}`)
  const isFound = file !== undefined && namedFile === undefined
  const changeable = isFound ? await changeablePart(path) : undefined
  const given: Settings = {
    ...(isFound ? mergeSettings(environment, file) : mergeSettings(file ?? {}, environment)),
    ...(agent && { AGENT_ID: agent }),
  }
  const { values, faults: invalid } = readValues(given)
  const credential = chosenCredential(given)
  const { SCOPE, API_APPLICATION_ID } = given
  const scope = SCOPE || (API_APPLICATION_ID && `api://${API_APPLICATION_ID}/.default`)
  const faults = [
    ...markFaults(given, names),
    ...invalid,
    ...(typeof credential === 'string' ? [credential] : []),
    ...(scope ? [] : ['API_APPLICATION_ID is missing (or set SCOPE)']),
    ...(isFound ? await foundFaults({ path, changeable, file, environment }, given, servers) : []),
  ]
  if (scope && typeof credential === 'object' && faults.length === 0) {
    const usedFile = changeable === undefined && file ? path : undefined
    const isSecretOpen = Boolean(
      usedFile && file?.CLIENT_SECRET && (await isReadableByOthers(path)),
    )
    return { ...values, scope, credential, values: given, file: usedFile, isSecretOpen }
  }
  const isEmpty = file !== undefined && Object.keys(file).length === 0
  const origin = isEmpty ? `${path} has no line NAME=value; ` : ''
  const message = `Invalid client settings: ${origin}${faults.join('; ')}.`
  const remedy =
    (file === undefined && remedyInSubfolder(path)) ||
    `Set them in the environment${namedFile ? ` or in ${namedFile}` : ''}, or run "npx --no-install greeting start", which writes ${defaultSettingsFile}.`
  throw new CommandFailure('bad_usage', message, { remedy })
}
