import { type Credential, clientSecrets } from '@greeting/client'
import {
  clientCertificateFiles,
  clientSecretFile,
  federatedAssertionFile,
} from '@greeting/client/files'
import type { Settings } from '../files/env-file.ts'

type ReadSetting = (name: string) => string

/** One method of client authentication: the setting that selects it, and its factory. */
export type CredentialRow = {
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

const allNames = credentialRows.flatMap(({ setting, companions }) => [setting, ...companions])

/**
 * Merges the settings of the environment over the settings of the file. The settings of a credential
 * belong together: a credential of the environment replaces the whole credential of the file.
 */
export function mergeSettings(environment: Settings, file: Settings): Settings {
  const isChosen = credentialRows.some(({ setting }) => environment[setting])
  const rest = Object.entries(file).filter(([name]) => !isChosen || !allNames.includes(name))
  return { ...Object.fromEntries(rest), ...environment }
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
