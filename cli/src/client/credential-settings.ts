import { type Credential, clientSecrets } from '@greeting/client'
import {
  clientCertificateFiles,
  clientSecretFile,
  federatedAssertionFile,
} from '@greeting/client/files'
import type { Settings } from '../env-file.ts'

type ReadSetting = (name: string) => string

/** One way to prove who the client is: the setting that chooses it, and what makes it. */
export type CredentialRow = {
  readonly setting: string
  /** Settings that mean something beside it. */
  readonly companions: readonly string[]
  readonly title: string
  readonly make: (given: ReadSetting) => Credential
}

/** The ways in which the client can prove who it is; exactly one of them is chosen. */
export const credentialRows: readonly CredentialRow[] = [
  {
    setting: 'CLIENT_SECRET',
    companions: ['CLIENT_SECRET_NEXT', 'CLIENT_SECRET_EXPIRES'],
    title: 'a client secret',
    make: (given) =>
      clientSecrets(...[given('CLIENT_SECRET'), given('CLIENT_SECRET_NEXT')].filter(Boolean)),
  },
  {
    setting: 'CLIENT_SECRET_FILE',
    companions: ['CLIENT_SECRET_EXPIRES'],
    title: 'a client secret in a file',
    make: (given) => clientSecretFile(given('CLIENT_SECRET_FILE')),
  },
  {
    setting: 'CLIENT_CERTIFICATE_FILE',
    companions: ['CLIENT_KEY_FILE'],
    title: 'a certificate',
    make: (given) =>
      clientCertificateFiles({
        certificateFile: given('CLIENT_CERTIFICATE_FILE'),
        privateKeyFile: given('CLIENT_KEY_FILE') || given('CLIENT_CERTIFICATE_FILE'),
      }),
  },
  {
    setting: 'CLIENT_ASSERTION_FILE',
    companions: [],
    title: 'a federated assertion in a file',
    make: (given) => federatedAssertionFile(given('CLIENT_ASSERTION_FILE')),
  },
]

const allNames = credentialRows.flatMap(({ setting, companions }) => [setting, ...companions])

/**
 * The settings of the environment over those of the file. The settings of the credential belong
 * together: where the environment chooses one, that of the file is left aside.
 */
export function mergeSettings(environment: Settings, file: Settings): Settings {
  const isChosen = credentialRows.some(({ setting }) => environment[setting])
  const rest = Object.entries(file).filter(([name]) => !isChosen || !allNames.includes(name))
  return { ...Object.fromEntries(rest), ...environment }
}

/** The credential that the settings choose, or the sentence that says why they choose none. */
export function chosenCredential(settings: Settings): CredentialRow | string {
  const chosen = credentialRows.filter(({ setting }) => settings[setting])
  const [first, ...others] = chosen
  if (first !== undefined && others.length === 0) return first
  const names = (rows: readonly CredentialRow[]) => rows.map(({ setting }) => setting)
  if (first === undefined)
    return `CLIENT_SECRET is missing (or set ${names(credentialRows).slice(1).join(', ')})`
  return `set only one of ${names(chosen).join(' and ')}`
}
