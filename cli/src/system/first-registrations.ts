import { join } from 'node:path'
import type { SecretName } from '@greeting/registrations/apply'
import { adoptionLine, isHeldByOthers, type Plan } from '@greeting/registrations/planning'
import { readAdministratorSettings } from '../administrator/administrator-settings.ts'
import { refusalFailure } from '../administrator/refusal-failure.ts'
import { CommandFailure } from '../exit-codes.ts'
import type { LoadedFile } from '../registrations/load-file.ts'
import { clientsWithoutFile, SecretFiles, secretFileName } from '../registrations/secret-files.ts'
import { RegistrationsSession } from '../registrations/session.ts'
import type { ClientEnv, DataFolder } from './data-folder.ts'
import { RegisteredApplications } from './registered-applications.ts'

/**
 * Registers what a file contains, as `greeting registrations apply` does, and writes the settings of
 * the first client to `client.env`.
 *
 * @throws {CommandFailure} failed when they cannot be created. The next start continues from there.
 */
export async function firstRegistrations(
  folder: DataFolder,
  loaded: LoadedFile,
  stop: AbortSignal,
): Promise<ClientEnv> {
  const settings = await readAdministratorSettings({}, folder.administratorEnvFile)
  const session = new RegistrationsSession(settings, { stop })
  const fileOf = secretFileOf(folder, loaded)
  const record = new RegisteredApplications(folder.path)
  const plan = await session.plan(loaded, {
    // A start ended too early, or files were removed. With a complete `client.env`, this code does not run.
    rotate: new Set(
      clientsWithoutFile(loaded.file, (name) =>
        fileOf(name) === folder.clientEnvFile ? '' : fileOf(name),
      ),
    ),
    confirmed: await record.read(),
  })
  const { AUTH_URL, TENANT_ID } = settings
  const secrets = new SecretFiles({ fileOf, settings: { AUTH_URL, TENANT_ID } })
  const { stopped } = await session.apply(withoutRemovals(plan, loaded), secrets, {
    onRegistered: (id) => record.add(id),
  })
  if (stopped) throw refusalFailure(stopped.error)
  const made = await folder.readClientEnv()
  if (made) return made
  const message = `${loaded.path} registers no client with a secret for exactly one API.`
  throw new CommandFailure('failed', message)
}

type FileOf = (name: SecretName) => string

/** The first client's secret goes to `client.env`, other secrets to separate files. */
function secretFileOf(folder: DataFolder, { file }: LoadedFile): FileOf {
  const [first] = file.clients
  return ({ client, secret }) =>
    client === first?.displayName && secret === first.secrets?.[0]?.displayName
      ? folder.clientEnvFile
      : join(folder.secretFolder, secretFileName(client, secret))
}

/** A start adds only. It never removes changes of administrators. */
function withoutRemovals(plan: Plan, { path }: LoadedFile): Plan {
  if (plan.faults.length > 0) throw new CommandFailure('failed', plan.faults.join(' '))
  // A killed start leaves an application without a record, without credentials and without owners.
  const strange = plan.adoptions.find(isHeldByOthers)
  if (strange) {
    const message = `This command did not register an application that it found:\n${adoptionLine(strange)}`
    const remedy = `If this is the right application, add "applicationId": "${strange.applicationId}" to the entry "${strange.application}" of ${path}.`
    throw new CommandFailure('failed', message, { remedy })
  }
  const changes = plan.changes.filter(
    ({ destructive, kind }) => !destructive || kind === 'rotateSecret',
  )
  return { ...plan, changes }
}
